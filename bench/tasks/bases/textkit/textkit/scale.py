"""Scores between 0 and 1."""


def normalize(scores):
    """Scores stretched so that the lowest is 0.0 and the highest 1.0."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if low == high:
        return [0.5] * len(scores)
    return [(score - low) / (high - low) for score in scores]
