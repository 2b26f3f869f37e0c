from checking import names_file, unchanged

names_file("textkit/plain.py")
unchanged()
