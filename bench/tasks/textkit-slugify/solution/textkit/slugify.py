"""Addresses of pages."""

import re


def slugify(title):
    """A title as part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
