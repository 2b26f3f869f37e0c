from checking import names_file, says, unchanged

names_file("storage.py")
says("the function's name", r"default_path")
unchanged()
