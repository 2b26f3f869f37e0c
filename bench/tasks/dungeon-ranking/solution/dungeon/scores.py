"""The hall of fame."""


def ranking(scores, worst_first=False):
    """Names and points, best first."""
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=not worst_first)


def best(scores):
    return ranking(scores)[0][0] if scores else None
