from collections import Counter


def per_hour(entries):
    return Counter(entry.hour for entry in entries)


def busiest_hour(entries):
    """The hour with most requests, or -1 without any."""
    counts = per_hour(entries)
    if not counts:
        return -1
    return max(counts, key=lambda hour: (counts[hour], -hour))


def error_rate(entries):
    if not entries:
        return 0.0
    return sum(entry.status >= 500 for entry in entries) / len(entries)
