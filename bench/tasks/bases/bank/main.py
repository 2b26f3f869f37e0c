from bank.account import Account
from bank.transfer import transfer

anna = Account("Anna", 100)
ben = Account("Ben")
transfer(anna, ben, 30)
print(anna.balance, ben.balance)
