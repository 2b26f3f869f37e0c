"""Reads the books."""

import csv

from ledger.money import to_cents


def read(path):
    """The entries of a file, and the numbers of the lines that cannot be understood."""
    entries, rejected = [], []
    with open(path, encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                cents = to_cents(row["amount"])
            except ValueError:
                rejected.append(number)
                continue
            entries.append({"date": row["date"], "from": row["from"], "to": row["to"], "cents": cents})
    return entries, rejected
