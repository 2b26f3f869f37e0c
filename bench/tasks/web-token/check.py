from checking import names_file, unchanged

names_file("app/gate.py")
unchanged()
