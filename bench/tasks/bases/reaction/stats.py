"""Numbers about reaction times, in milliseconds."""


def average(times):
    return sum(times) / len(times)


def spread(times):
    return max(times) - min(times) if times else 0
