from checking import equal, function, load, raises, unchanged

account = function("bank.account", "Account")("x", 10)
faults = load("bank.faults")
for amount in (0, -1, -50):
    raises(ValueError, lambda amount=amount: account.deposit(amount), f"deposit({amount})")
    equal(account.balance, 10, f"The balance after deposit({amount})")
account.deposit(5)
account.withdraw(3)
equal(account.balance, 12, "The balance after a deposit of 5 and a withdrawal of 3")
raises(faults.Overdrawn, lambda: account.withdraw(100), "withdraw(100)")
account.frozen = True
raises(faults.Frozen, lambda: account.deposit(5), "deposit(5) to a frozen account")
unchanged("bank/account.py")
