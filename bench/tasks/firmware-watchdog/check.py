from checking import names_file, unchanged

names_file("src/dog.c")
unchanged()
