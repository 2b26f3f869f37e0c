"""Sums by month."""


def monthly_totals(entries):
    """The cents of all entries, by month."""
    totals = {}
    for entry in entries:
        month = entry["date"][:7]
        totals[month] = totals.get(month, 0) + entry["cents"]
    return totals
