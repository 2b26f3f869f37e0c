"""Marks as a picture."""


def histogram(marks):
    """One line for each mark."""
    counts = {mark: sum(int(one) == mark for one in marks) for mark in range(1, 7)}
    return "\n".join(f"{mark}: {'#' * count}".rstrip() for mark, count in counts.items())
