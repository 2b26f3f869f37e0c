from checking import points_at, unchanged

points_at("conf/nightly.conf")
unchanged()
