"""Lengths of time."""

import re


def parse_duration(text):
    """The minutes in a text such as 1h30m."""
    found = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?", text)
    if not text or not found:
        raise ValueError(f"{text!r} is no duration")
    hours, minutes = found.groups()
    return int(hours or 0) * 60 + int(minutes or 0)
