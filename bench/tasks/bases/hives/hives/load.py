import json


def load(path):
    """Readings as dictionaries with hive, day and weight."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)
