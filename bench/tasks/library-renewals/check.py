from datetime import date

from checking import function, raises, same, tests_pass, unchanged

Loan = function("library.loans", "Loan")
loan = Loan("978-1", date(2024, 1, 1))
loan.renew()
loan.renew()
same((loan.due, loan.renewals), (date(2024, 2, 26), 2), "The loan after two renewals")
raises(ValueError, loan.renew, "The third renewal")
same((loan.due, loan.renewals), (date(2024, 2, 26), 2), "The loan after a third renewal was refused")
tests_pass()
unchanged("library/loans.py", "tests/test_loans.py")
