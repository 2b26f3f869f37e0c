"""The hall of fame."""


def ranking(scores):
    """Names and points, best first."""
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)


def best(scores):
    return ranking(scores)[0][0] if scores else None
