from checking import points_at, unchanged

points_at("src/store/pool.js")
unchanged()
