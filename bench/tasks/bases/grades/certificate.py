"""The mark at the end of the year."""

import math

from stats import mean

PASSED = 4.0


def final_mark(marks):
    """The mean, cut (not rounded) to one decimal; None without marks."""
    value = mean(marks)
    return None if value is None else math.floor(value * 10 + 1e-9) / 10


def has_passed(marks):
    final = final_mark(marks)
    return final is not None and final <= PASSED
