from checking import names_file, unchanged

names_file("convert.py")
unchanged()
