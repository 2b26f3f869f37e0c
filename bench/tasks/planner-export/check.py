from checking import names_file, unchanged

names_file("planner/feed.py")
unchanged()
