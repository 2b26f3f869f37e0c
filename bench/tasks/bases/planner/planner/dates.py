"""Dates."""

from datetime import date


def parse_date(text):
    """2024-05-01 as a date."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def is_leap(year):
    """Whether a year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
