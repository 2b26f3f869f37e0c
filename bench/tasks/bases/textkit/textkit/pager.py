"""Splits long lists into pages."""


def page_count(items, size):
    """How many pages there are."""
    return (len(items) + size - 1) // size


def page(items, number, size=10):
    """The items of a page; pages count from 1."""
    start = (number - 1) * size
    return items[start : start + size]
