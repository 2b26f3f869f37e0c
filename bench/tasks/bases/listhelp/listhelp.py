def first_n(items, n):
    return items[:n]


def last_n(items, n):
    """The last n items of a list."""
    return items[-n:]


def chunks(items, size):
    return [items[i : i + size] for i in range(0, len(items), size)]
