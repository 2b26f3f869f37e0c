def add(a, b):
    return a + b


def subtract(a, b):
    return a - b


def percent(part, whole):
    """How many percent of the whole a part is."""
    return part / whole * 100
