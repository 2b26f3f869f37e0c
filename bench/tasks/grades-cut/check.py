from checking import names_file, says, unchanged

names_file("certificate.py")
says("the function's name", r"final_mark")
unchanged()
