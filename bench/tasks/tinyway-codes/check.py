from checking import points_at, unchanged

points_at("src/tinyway/mint.py")
unchanged()
