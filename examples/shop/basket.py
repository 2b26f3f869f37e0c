"""A basket of things to buy."""


def total(prices: list[float], discount: float = 0.0) -> float:
    """The price of everything, less a discount of so many per cent."""
    return sum(prices) * (1 - discount)
