from checking import points_at, unchanged

points_at("gymclub/views/account.py")
unchanged()
