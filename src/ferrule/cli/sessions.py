"""`ferrule sessions`: lists, names and removes sessions."""

import argparse
import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from ferrule.config.layers import load
from ferrule.config.paths import data_home, expand
from ferrule.core.errors import FerruleError, UsageError
from ferrule.front.export.harmless import harmless, harmless_json, moment, one_line
from ferrule.session.secrets import Mask
from ferrule.session.store import Store
from ferrule.session.summary import Summary

_WIDTH_OF_A_PIPE = 160
_WIDEST_CELL = 24
_LEAST_FOR_THE_PROMPT = 20
_ID = 13
"""Characters of an id that say when to the millisecond, and so tell sessions apart."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--all", action="store_true", help="those of every directory")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_directory(parser, default=None)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    what = "by number, name or id"
    remove = actions.add_parser("rm", help="remove sessions", description="Remove sessions.")
    remove.add_argument("sessions", nargs="+", metavar="SESSION", help=what)
    path = actions.add_parser("path", help="print where a session lies", description="Print where a session lies.")
    path.add_argument("session", metavar="SESSION", help=what)
    name = actions.add_parser("name", help="name a session", description="Give a session a name.")
    name.add_argument("session", metavar="SESSION", help=what)
    name.add_argument("name", metavar="NAME")
    for action in (remove, path, name):
        add_directory(action, default=argparse.SUPPRESS)  # what stood before the action holds


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code.

    Raises:
        FerruleError: there is no such session, or it cannot be had.
    """
    directory = directory_of(args)
    actions = {"rm": _remove, "path": _path, "name": _name, None: _list}
    actions[args.action](args, directory, store_of(directory))
    return 0


def add_directory(parser: argparse.ArgumentParser, *, default: str | None) -> None:
    """Let the project be another than the current directory."""
    parser.add_argument("--cwd", default=default, metavar="DIR", help="the project's directory")


def directory_of(args: argparse.Namespace) -> Path:
    """The project that is asked about."""
    try:
        directory = Path(args.cwd or ".").absolute()
    except OSError:
        raise UsageError("The current directory is no longer there; --cwd DIR names another.") from None
    if not directory.is_dir():
        raise UsageError(f"There is no directory {directory}.")
    return directory


def store_of(directory: Path) -> Store:
    """The sessions, as the configuration says where they lie."""
    settings = load(directory).config.session
    return Store(
        expand(settings.storage_path) if settings.storage_path else data_home() / "sessions",
        max_sessions=settings.max_sessions,
        retention_days=settings.retention_days,
    )


def show(text: str) -> None:
    """Print it. Where nobody reads on (`| head`), that is quietly the end.

    Raises:
        FerruleError: it cannot be written, since a disk is full, say.
    """
    try:
        sys.stdout.buffer.write(text.encode(errors="replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its end
        if not isinstance(error, BrokenPipeError):
            raise FerruleError(f"The output cannot be written ({error.strerror}).") from None


def _list(args: argparse.Namespace, directory: Path, store: Store) -> None:
    found = store.list(None if args.all else directory)
    if args.json:
        encoded = msgspec.json.encode(found, enc_hook=lambda path: os.fsencode(path).decode(errors="replace"))
        show(harmless_json(msgspec.json.format(Mask().line(encoded), indent=2).decode()) + "\n")
    elif found:
        show(Mask()(_table(found, directories=args.all)))
    else:
        show(f"There are no sessions {'' if args.all else f'of {harmless(str(directory))} '}yet.\n")


def _remove(args: argparse.Namespace, directory: Path, store: Store) -> None:
    # All are looked up before the first goes, since the numbers of the others change with it.
    for session in {one.id: one for one in (store.find(directory, each) for each in args.sessions)}.values():
        store.remove(session)
        show(f"Removed {session.id}: {one_line(session.name or session.first_prompt, 60)}\n")


def _path(args: argparse.Namespace, directory: Path, store: Store) -> None:
    show(f"{store.find(directory, args.session).path}\n")


def _name(args: argparse.Namespace, directory: Path, store: Store) -> None:
    session = store.find(directory, args.session)
    show(f"{session.id} is now named {store.rename(session, args.name)}.\n")


def _table(sessions: Sequence[Summary], *, directories: bool) -> str:
    rows = [_cells(session, directories=directories) for session in sessions]
    heads = list(rows[0])
    widths = [max(_width(head), *(_width(row[head]) for row in rows)) for head in heads[:-1]]
    room = max(_LEAST_FOR_THE_PROMPT, _columns() - sum(widths) - 2 * len(widths))
    lines = [{head: head for head in heads}, *rows]
    return "".join(_line([line[head] for head in heads], widths, room) for line in lines)


def _cells(session: Summary, *, directories: bool) -> Mapping[str, str]:
    cells = {"id": session.id[:_ID]} if directories else {"#": str(session.number)}
    cells |= {
        "last used": moment(session.updated),
        "turns": str(session.turns),
        "model": one_line(session.model, _WIDEST_CELL),
        "name": one_line(session.name, _WIDEST_CELL),
    }
    if directories:
        cells["directory"] = "…"[len(session.directory) <= _WIDEST_CELL :] + session.directory[-_WIDEST_CELL:]
    return {**cells, "first prompt": one_line(session.first_prompt, _WIDTH_OF_A_PIPE)}


def _line(cells: Sequence[str], widths: Sequence[int], room: int) -> str:
    *padded, last = cells
    start = "".join(f"{cell}{' ' * (width - _width(cell))}  " for cell, width in zip(padded, widths, strict=True))
    return f"{start}{_cut(last, room)}".rstrip() + "\n"


def _cut(text: str, room: int) -> str:
    if _width(text) <= room:
        return text
    while _width(text) >= room:
        text = text[:-1]
    return text + "…"


def _width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return _WIDTH_OF_A_PIPE
