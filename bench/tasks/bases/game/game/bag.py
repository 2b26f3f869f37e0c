"""What a hero carries."""


class Bag:
    def __init__(self, size=8):
        self.size = size
        self.things = []

    def add(self, thing):
        """Put a thing into the bag."""
        if len(self.things) >= self.size:
            raise OverflowError("the bag is full")
        self.things.append(thing)

    def drop(self, thing):
        """Take a thing out; gives whether it was there."""
        if thing not in self.things:
            return False
        self.things.remove(thing)
        return True
