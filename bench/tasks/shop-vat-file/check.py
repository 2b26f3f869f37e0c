from checking import names_file, unchanged

names_file("shop/rates.py")
unchanged()
