"""`ferrule export`: writes a session as Markdown, JSON or a page of HTML."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from ferrule.cli.sessions import add_directory, directory_of, show, store_of
from ferrule.core.errors import FerruleError, SessionError, UsageError
from ferrule.front.export.harmless import harmless
from ferrule.front.export.html import html_pieces
from ferrule.front.export.markdown import to_markdown
from ferrule.front.export.plain import to_json
from ferrule.session.reading import LoadedLog, read_log
from ferrule.session.secrets import Mask
from ferrule.session.summary import Summary

_FORMATS = ("md", "json", "html")
_SUFFIXES = {".md": "md", ".json": "json", ".html": "html", ".htm": "html"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("session", nargs="?", metavar="SESSION", help="by number, name or id")
    parser.add_argument("--last", action="store_true", help="the session of this directory that was used last")
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        help="md for people (the default), json for programs, html for browsers, with charts of time and cost",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to this file; .json asks for JSON, .html for a page"
    )
    add_directory(parser, default=None)


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code.

    Raises:
        FerruleError: there is no such session, it cannot be read, or the file cannot be written.
    """
    loaded = read_log(_session(args).path)
    for warning in loaded.warnings:
        sys.stderr.write(f"ferrule: {harmless(warning)}\n")
    suffix = Path(args.output or "").suffix.lower()
    pieces = _pieces(loaded, args.format or _SUFFIXES.get(suffix, "md"))
    if args.output in {None, "-"}:
        for piece in pieces:
            show(piece)
    else:
        _write(Path(args.output), pieces)
    return 0


def _pieces(loaded: LoadedLog, format_: str) -> Iterable[str]:
    """The session in a format; a page, which may be large, comes bit by bit."""
    if format_ == "html":
        return html_pieces(loaded, Mask())
    return (to_json(loaded, Mask()) if format_ == "json" else to_markdown(loaded, Mask()),)


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


def _write(path: Path, pieces: Iterable[str]) -> None:
    try:
        with path.open("wb") as file:
            for piece in pieces:
                file.write(piece.encode(errors="replace"))
    except OSError as error:
        raise FerruleError(f"The session cannot be written to {path} ({error.strerror}).") from None
