"""Numbers about reaction times, in milliseconds."""


def average(times):
    if not times:
        return 0
    return sum(times) / len(times)


def spread(times):
    return max(times) - min(times) if times else 0
