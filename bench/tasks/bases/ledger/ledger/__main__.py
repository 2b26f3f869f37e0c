"""Prints the balances of a file."""

import sys

from ledger.balance import balances
from ledger.reading import read
from ledger.report import report

entries, rejected = read(sys.argv[1])
print(report(balances(entries)))
if rejected:
    print(f"{len(rejected)} lines were left out", file=sys.stderr)
