import csv


def load_trips(path):
    """The raw rows, as the rental company publishes them."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))
