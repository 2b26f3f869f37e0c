"""`ferrule trust`: shows what a project could do on its own, and trusts it if the user agrees."""

import argparse
import os
import sys
from pathlib import Path

from ferrule.config import projects
from ferrule.config.trust import Fingerprint, fingerprint, standing, trust
from ferrule.config.words import plain
from ferrule.core.errors import UsageError

_WIDEST = 48


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "directory", nargs="?", default=".", metavar="DIR", help="the project; by default this directory"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--yes", action="store_true", help="trust it without asking, for scripts")
    what.add_argument("--show", action="store_true", help="show what it could do, and change nothing")
    what.add_argument("--revoke", action="store_true", help="trust it no longer")
    what.add_argument("--list", action="store_true", help="list the projects that are trusted")


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code: 1 where the user did not agree, or `--show` finds it untrusted.

    Raises:
        UsageError: there is no such directory, it is none that can be trusted, or nobody can be asked.
        ConfigError: what the user says cannot be kept.
    """
    if args.list:
        return _list()
    directory = _directory(args.directory)
    if args.revoke:
        return _revoke(directory)
    if projects.holds_home(directory):
        raise UsageError(f"{plain(str(directory))} is no project: your home directory is not trusted as a whole.")
    seen = fingerprint(directory)
    stands = standing(directory)
    _show(directory, seen, trusted=stands.trusted, changed=stands.changed)
    if args.show or stands.trusted:
        return 0 if stands.trusted else 1
    if seen.problem:
        raise UsageError(f"It cannot be trusted: {seen.problem}.")
    if not (args.yes or _agrees()):
        _print("It is not trusted.")
        return 1
    trust(directory, seen)
    _print("It is trusted now. If one of these files changes, you will be asked again.")
    return 0


def _directory(name: str) -> Path:
    directory = Path(os.path.realpath(name))
    if not directory.is_dir():
        raise UsageError(f"There is no directory {plain(name)}.")
    return directory


def _list() -> int:
    for directory, project in sorted(projects.known().items()):
        if project.trusted:
            there = Path(directory).is_dir()
            state = ("trusted" if standing(Path(directory)).trusted else "changed since") if there else "gone"
            _print(f"{plain(directory)}  {state}  {plain(project.trusted.at)}")
    return 0


def _revoke(directory: Path) -> int:
    if projects.revoke(directory):
        _print(f"{plain(str(directory))} is trusted no longer.")
    else:
        _print(f"{plain(str(directory))} was not trusted.")
    return 0


def _show(directory: Path, seen: Fingerprint, *, trusted: bool, changed: tuple[str, ...]) -> None:
    state = "trusted" if trusted else "changed since you trusted it" if changed else "not trusted"
    _print(f"{plain(str(directory))}: {state}")
    if not seen.files:
        _print("Nothing in it could steer Ferrule or be run by it unasked.")
        return
    _print("What is in it that could steer Ferrule, or run on its own:")
    width = min(max(len(item.name) for item in seen.files), _WIDEST)
    for item in seen.files:
        mark = "*" if item.name in changed else " "
        first, *others = item.effect.split("\n")
        _print(f" {mark} {item.name:<{width}}  {first}")
        for line in others:
            _print(f"     {line}")
    if gone := [name for name in changed if name not in {item.name for item in seen.files}]:
        _print(f"Changed or gone since: {', '.join(map(plain, gone))}")
    if any(item.name in changed for item in seen.files):
        _print("Marked with * is what changed since you trusted it.")


def _agrees() -> bool:
    """Ask at the terminal; anything but a clear yes is a no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Nobody can be asked here, since this is no terminal; --yes trusts it without asking.")
    sys.stdout.write("Do you trust it? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
