from checking import names_file, says, unchanged

names_file("library/charges.py")
says("the function's name", r"late_fee")
unchanged()
