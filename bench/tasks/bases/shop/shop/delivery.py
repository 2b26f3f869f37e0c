"""What it costs to send a parcel."""

FREE_FROM = 4900
BASE = 495
PER_KILO = 120


def cost(total, weight):
    """The price of sending an order, in cents; heavy parcels cost more from the third kilogram on."""
    if total >= FREE_FROM:
        return 0
    return BASE + PER_KILO * max(0, weight - 2)
