"""Prices in words."""


def in_words(cents, currency="EUR"):
    """A price as it is printed on an invoice: 12.50 EUR."""
    return f"{cents // 100}.{cents % 100:02d} {currency}"


def with_discount(cents, percent):
    """A price after a discount, rounded to whole cents."""
    return round(cents * (100 - percent) / 100)
