from checking import points_at, unchanged

points_at("jobqueue/settings.py")
unchanged()
