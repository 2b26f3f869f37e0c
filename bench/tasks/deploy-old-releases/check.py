from checking import names_file, unchanged

names_file("scripts/tidy.sh")
unchanged()
