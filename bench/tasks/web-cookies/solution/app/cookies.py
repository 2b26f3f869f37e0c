"""Cookies."""


def parse_cookies(header):
    """The cookies of a header, by name."""
    parts = (part.partition("=") for part in header.split(";") if "=" in part)
    return {name.strip(): value.strip() for name, _, value in parts}
