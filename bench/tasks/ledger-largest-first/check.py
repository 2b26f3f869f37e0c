from checking import function, same, tests_pass, unchanged

report = function("ledger.report", "report")
totals = {"tea": 1250, "cash": 122750, "rent": 8000, "members": -132000, "bar": 1250}
names = [line.split()[0] for line in report(totals).splitlines()]
same(names, ["cash", "rent", "bar", "tea", "members"], "The order of the accounts")
same(report({"tea": 1250}), "tea              12.50", "The line of an account")
tests_pass()
unchanged("ledger/report.py", "README.md")
