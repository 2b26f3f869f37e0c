from checking import points_at, unchanged

points_at("alert/patience.go")
unchanged()
