"""What the user has said about projects: what they may always do, and which of them are trusted.

It stands in a file of the user's own, `projects.json`, by the project's directory, with links resolved; never in the
project, which could otherwise speak for itself. What cannot be read of it counts as not said.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ferrule.config import paths
from ferrule.config.files import LARGEST, locked, read, replace
from ferrule.config.keys import KEYS, MisfitError
from ferrule.config.words import plain
from ferrule.core.errors import ConfigError

FILE = "projects.json"
MOST_PARTS = 200
"""How many parts of a fingerprint are kept, so that it can be said which of them changed."""


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """That a project was trusted, as it was then."""

    hash: str
    at: str = ""
    files: dict[str, str] = {}
    """Its files then, each with its own hash, as far as they are kept."""


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has said about one project."""

    allow: tuple[str, ...] = ()
    trusted: Trust | None = None


def file(environ: paths.Environ = os.environ) -> Path:
    """Where it stands."""
    return paths.config_home(environ) / FILE


def known(environ: paths.Environ = os.environ) -> dict[str, Project]:
    """All projects about which something was said, by their directories."""
    try:
        entries = _entries(file(environ))
    except ConfigError:
        return {}
    return {directory: _project(entry) for directory, entry in entries.items()}


def about(directory: Path, environ: paths.Environ = os.environ) -> Project:
    """What was said about one project."""
    try:
        return _project(_entries(file(environ)).get(_name(directory), {}))
    except ConfigError:
        return Project()


def allow_for(directory: Path, environ: paths.Environ = os.environ) -> tuple[str, ...]:
    """The rules that the user said "always" to in a project."""
    return about(directory, environ).allow


def trusted_hash(directory: Path, environ: paths.Environ = os.environ) -> str | None:
    """The fingerprint with which a project was trusted."""
    trust = about(directory, environ).trusted
    return trust.hash if trust else None


def remember_allow(directory: Path, rules: Iterable[str], environ: paths.Environ = os.environ) -> None:
    """Note that something may always be done in a project.

    Raises:
        ConfigError: one of them is no rule, or the file cannot be changed.
    """
    fitting = KEYS["safety.allow"].fit(list(rules))

    def add(entry: dict[str, Any]) -> None:
        entry["allow"] = list(dict.fromkeys((*_project(entry).allow, *fitting)))

    _change(directory, add, environ)


def set_trust(
    directory: Path, hash: str, *, files: Mapping[str, str] | None = None, environ: paths.Environ = os.environ
) -> None:
    """Note that a project is trusted as long as its fingerprint is this one.

    Raises:
        ConfigError: it is no project that can be trusted, or the file cannot be changed.
    """
    if holds_home(directory, environ):
        raise ConfigError(f"{plain(str(directory))} is no project: your home directory is not trusted as a whole.")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    kept = dict(list((files or {}).items())[:MOST_PARTS])

    def trust(entry: dict[str, Any]) -> None:
        entry["trusted"] = {"hash": hash, "at": now, "files": kept}

    _change(directory, trust, environ)


def revoke(directory: Path, environ: paths.Environ = os.environ) -> bool:
    """Take trust back; gives whether there was any.

    Raises:
        ConfigError: the file cannot be changed.
    """
    if "trusted" not in _entries(file(environ)).get(_name(directory), {}):
        return False
    _change(directory, lambda entry: entry.pop("trusted", None), environ)
    return True


def holds_home(directory: Path, environ: paths.Environ = os.environ) -> bool:
    """Whether a directory is the user's home, or the home lies in it."""
    return Path(os.path.realpath(paths.home(environ))).is_relative_to(os.path.realpath(directory))


def _change(directory: Path, change: Callable[[dict[str, Any]], object], environ: paths.Environ) -> None:
    """Change the entry of one project, and leave all else as it is, what is not understood included."""
    path, name = file(environ), _name(directory)
    with locked(path.parent):
        everything = _raw(path)
        entry = everything.get(name)
        entry = entry if isinstance(entry, dict) else {}
        change(entry)
        everything[name] = entry
        data = msgspec.json.format(msgspec.json.encode(everything), indent=2) + b"\n"
        if len(data) > LARGEST:
            raise ConfigError(f"{plain(str(path))}: It would become larger than 1 MB; remove what is not needed.")
        replace(path, data)


def _entries(path: Path) -> dict[str, dict[str, Any]]:
    return {name: entry for name, entry in _raw(path).items() if isinstance(entry, dict)}


def _raw(path: Path) -> dict[str, Any]:
    """What the file holds.

    Raises:
        ConfigError: it cannot be read, or is not JSON; whoever would write over it loses what it held.
    """
    data = read(path)
    try:
        return msgspec.json.decode(data, type=dict[str, Any]) if data and data.strip() else {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        words = "The file is damaged, so nothing is written to it; mend it or remove it."
        raise ConfigError(f"{plain(str(path))}: {words}") from None


def _project(entry: Mapping[str, Any]) -> Project:
    allow, trusted = entry.get("allow"), entry.get("trusted")
    rules = [rule for rule in allow if _is_rule(rule)] if isinstance(allow, list) else ()
    return Project(allow=tuple(rules), trusted=_trust(trusted) if isinstance(trusted, dict) else None)


def _trust(entry: Mapping[str, Any]) -> Trust | None:
    try:
        return msgspec.convert(entry, Trust)
    except msgspec.ValidationError:
        return None


def _is_rule(rule: object) -> bool:
    try:
        KEYS["safety.allow"].fit([rule])
    except MisfitError:
        return False
    return True


def _name(directory: Path) -> str:
    """A project's directory as its key.

    Raises:
        ConfigError: its path is not text, so that another could be mistaken for it.
    """
    name = os.path.realpath(directory)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{plain(name)}: Nothing can be remembered for a path that is not UTF-8.") from None
    return name
