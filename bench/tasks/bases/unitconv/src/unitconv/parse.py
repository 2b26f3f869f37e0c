import re

QUANTITY = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*([a-z]*)\s*$")
FALLBACK = "cm"


def parse_quantity(text):
    """Split a text such as "12 km" into its value and its unit."""
    match = QUANTITY.match(text)
    if not match:
        raise ValueError(f"not a quantity: {text!r}")
    number, unit = match.groups()
    return float(number), unit or FALLBACK
