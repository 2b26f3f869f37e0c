from checking import names_file, unchanged

names_file("library/members.py")
unchanged()
