"""`ferrule export`: writes a session as Markdown or JSON."""

import argparse
import sys
from pathlib import Path

from ferrule.cli.sessions import add_directory, directory_of, show, store_of
from ferrule.core.errors import FerruleError, SessionError, UsageError
from ferrule.front.export.harmless import harmless
from ferrule.front.export.markdown import to_markdown
from ferrule.front.export.plain import to_json
from ferrule.session.reading import read_log
from ferrule.session.secrets import Mask
from ferrule.session.summary import Summary

FORMATS = {"md": to_markdown, "json": to_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("session", nargs="?", metavar="SESSION", help="by number, name or id")
    parser.add_argument("--last", action="store_true", help="the session of this directory that was used last")
    parser.add_argument("--format", choices=tuple(FORMATS), help="md for people (the default), json for programs")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file; .json asks for JSON")
    add_directory(parser, default=None)


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code.

    Raises:
        FerruleError: there is no such session, it cannot be read, or the file cannot be written.
    """
    loaded = read_log(_session(args).path)
    for warning in loaded.warnings:
        sys.stderr.write(f"ferrule: {harmless(warning)}\n")
    suffix = Path(args.output or "").suffix.lstrip(".").lower()
    text = FORMATS[args.format or (suffix if suffix in FORMATS else "md")](loaded, Mask())
    if args.output in {None, "-"}:
        show(text)
    else:
        _write(Path(args.output), text)
    return 0


def _session(args: argparse.Namespace) -> Summary:
    if (args.session is None) != args.last:
        raise UsageError("Name one session, or ask for the last one: ferrule export SESSION, ferrule export --last.")
    directory = directory_of(args)
    store = store_of(directory)
    if args.session is not None:
        return store.find(directory, args.session)
    if (latest := store.latest(directory)) is None:
        raise SessionError(f"There are no sessions of {directory} yet.")
    return latest


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode(errors="replace"))
    except OSError as error:
        raise FerruleError(f"The session cannot be written to {path} ({error.strerror}).") from None
