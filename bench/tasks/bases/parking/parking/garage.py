from parking.fees import fee


class Garage:
    def __init__(self, capacity):
        self.capacity = capacity
        self.inside = {}

    def enter(self, plate, now):
        """Let a car in; False if there is no space."""
        if len(self.inside) >= self.capacity:
            return False
        self.inside[plate] = now
        return True

    def leave(self, plate, now):
        """Let a car out, and say what is to be paid, in cents."""
        arrived = self.inside.pop(plate)
        minutes = int((now - arrived).total_seconds() // 60)
        return fee(minutes)
