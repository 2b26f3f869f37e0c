from bank.faults import Frozen, Overdrawn


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.frozen = False

    def deposit(self, amount):
        if self.frozen:
            raise Frozen(self.owner)
        self.balance += amount

    def withdraw(self, amount):
        if self.frozen:
            raise Frozen(self.owner)
        if amount > self.balance:
            raise Overdrawn(f"{self.owner} has only {self.balance}")
        self.balance -= amount
