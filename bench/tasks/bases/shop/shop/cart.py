"""The basket of a customer."""

from shop.rates import lookup


class Cart:
    def __init__(self, country="DE"):
        self.country = country
        self.items = {}

    def add(self, name, price, quantity=1):
        """Put something into the basket; the price is in cents."""
        _, before = self.items.get(name, (price, 0))
        self.items[name] = (price, before + quantity)

    def remove(self, name):
        self.items.pop(name, None)

    def net_total(self):
        """The sum of all items, in cents, without tax."""
        return sum(price * quantity for price, quantity in self.items.values())

    def gross_total(self):
        """The sum of all items, in cents, with tax."""
        return round(self.net_total() * (1 + lookup(self.country)))
