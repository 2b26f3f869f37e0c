"""Dice such as 2d6+1."""

import random
import re


def roll(text, chance=random):
    """Throw dice and add up."""
    number, sides, more = re.fullmatch(r"(\d+)d(\d+)([+-]\d+)?", text).groups()
    return sum(chance.randint(1, int(sides)) for _ in range(int(number))) + int(more or 0)
