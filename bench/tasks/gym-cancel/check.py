from checking import points_at, unchanged

points_at("gymclub/rules.py")
unchanged()
