"""The hero."""

STRENGTH = 8
FULL_HEALTH = 60


class Player:
    def __init__(self, name):
        self.name = name
        self.health = 35
        self.strength = STRENGTH
        self.bag = []

    def heal(self, points):
        self.health = min(FULL_HEALTH, self.health + points)

    def take(self, item):
        self.bag.append(item)

    def armour(self):
        return 4 if "shield" in self.bag else 0
