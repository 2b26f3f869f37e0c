"""Coupon codes and what they are worth."""

CODES = {"WELCOME10": 10, "SPRING15": 15, "FRIENDS20": 20}


class Coupons:
    """The codes that a customer entered for one order."""

    def __init__(self):
        self.entered = []

    def enter(self, code):
        """Take a code; gives False if it is not known."""
        code = code.strip().upper()
        if code not in CODES:
            return False
        if code not in self.entered:
            self.entered.append(code)
        return True

    def percent(self):
        """The discount in percent: the best code alone counts."""
        return max((CODES[code] for code in self.entered), default=0)
