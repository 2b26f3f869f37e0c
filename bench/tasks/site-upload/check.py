from checking import points_at, unchanged

points_at("scripts/ship.sh")
unchanged()
