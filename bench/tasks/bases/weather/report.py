"""Averages over many readings."""


def average(readings, key):
    """The average of one value, or None if there are no readings."""
    if not readings:
        return None
    return sum(reading[key] for reading in readings) / len(readings)


def warmest(readings):
    """The reading with the highest temperature; the first of them if there are several."""
    return max(readings, key=lambda reading: reading["temperature"])
