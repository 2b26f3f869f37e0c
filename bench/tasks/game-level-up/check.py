from checking import names_file, unchanged

names_file("game/progress.py")
unchanged()
