"""`ferrule models`: the providers, the models found, their windows and prices, and what is missing."""

import argparse
import sys
from pathlib import Path

import msgspec

from ferrule.config.layers import load
from ferrule.survey import Offer, offers

_HEAD = ("provider", "model", "window", "$ a million", "state")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the table; gives the exit code."""
    found = list(offers(load(Path.cwd()).config))
    if args.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
        return 0
    rows = [_HEAD, *map(_cells, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
    return 0


def _cells(offer: Offer) -> tuple[str, ...]:
    window = f"{offer.window:,}" if offer.window else ""
    return (offer.provider, offer.model, window, offer.price, offer.state)
