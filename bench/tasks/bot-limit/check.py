from checking import points_at, unchanged

points_at("lib/gate.js")
unchanged()
