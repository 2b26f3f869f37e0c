from checking import names_file, says, unchanged

names_file("ledger/money.py")
says("the function's name", r"to_cents")
unchanged()
