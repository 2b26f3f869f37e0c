"""What is in each account."""


def balances(entries):
    """The balance of each account: money goes from one account to another."""
    totals = {}
    for entry in entries:
        totals[entry["from"]] = totals.get(entry["from"], 0) - entry["cents"]
        totals[entry["to"]] = totals.get(entry["to"], 0) + entry["cents"]
    return totals
