"""Where sessions lie, and how one is found again.

A project's directory has a folder of its own, named after it; a session is a file in it, and beside that a
folder for the full outputs of its tools. Several Ferrules may be at work in the same place: each writes its
own session, and what another removes meanwhile is simply no longer there.
"""

import difflib
import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path

import msgspec

from ferrule.config.files import remove_tree
from ferrule.core.errors import SessionError
from ferrule.session.files import append, lock, make_private, open_private, reason
from ferrule.session.log import SessionLog
from ferrule.session.reading import read_log
from ferrule.session.records import Header, Record, SessionEnded, SessionNamed, encode
from ferrule.session.repair import records_in
from ferrule.session.secrets import Mask
from ferrule.session.summary import Summary, summarise
from ferrule.version import __version__

_SUFFIX = ".jsonl"
_OUTPUTS = ".outputs"
_DAY = 86_400
_SHORTEST_PREFIX = 4
_LONGEST_NAME = 100
_LONGEST_NUMBER = 9
_SEVERAL = 5
_TICK = 250
"""Nanoseconds that an id can tell apart."""
_last_moment = 0


class Store:
    """The sessions of a user. Limits of 0 are none."""

    def __init__(self, root: Path, *, max_sessions: int = 0, retention_days: int = 0) -> None:
        self.root = root
        self.max_sessions = max_sessions
        self.retention_days = retention_days

    def folder(self, directory: Path) -> Path:
        """Where the sessions of a project lie: named so that a person knows it, and no two are the same."""
        place = os.path.realpath(directory)
        slug = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(Path(place).parts[-2:])).strip("-")[-40:].strip("-")
        mark = hashlib.blake2b(os.fsencode(place), digest_size=4).hexdigest()
        return self.root / f"{slug}-{mark}".strip("-")

    def create(self, directory: Path, *, model: str = "", edited: int = 0, mask: Mask | None = None) -> SessionLog:
        """Begin a session. Its file appears with the first event."""
        id_, place = new_id(), os.path.realpath(directory)
        header = Header(id=id_, directory=place, model=model, created=time.time(), edited=edited)
        return SessionLog.create(self.folder(directory) / f"{id_}{_SUFFIX}", header, mask=mask)

    def list(self, directory: Path | None = None) -> tuple[Summary, ...]:
        """The sessions of a project, the one used last first and numbered 1; or those of all projects."""
        if directory is None:
            return _by_use(one for folder in _folders(self.root) for one in _summaries(folder))
        found = _by_use(_summaries(self.folder(directory)))
        return tuple(msgspec.structs.replace(one, number=place) for place, one in enumerate(found, start=1))

    def latest(self, directory: Path) -> Summary | None:
        """The session of a project that was used last."""
        return next(iter(self.list(directory)), None)

    def find(self, directory: Path, reference: str) -> Summary:
        """Find a session of a project by number, name or id, or one of another project by its id.

        Of an id the first characters will do, where no other begins with them.

        Raises:
            SessionError: there is none, or more than one.
        """
        wanted, here = reference.strip(), self.list(directory)
        if _is_number(wanted) and 0 < int(wanted) <= len(here):
            return here[int(wanted) - 1]
        for matches in self._matches(here, wanted):
            if len(matches) == 1:
                return matches[0]
            if matches:
                several = ", ".join(one.id for one in matches[:_SEVERAL])
                raise SessionError(f"{wanted} fits {len(matches)} sessions: {several}. Give more of the id.")
        raise SessionError(_not_found(directory, wanted, here))

    def rename(self, session: Summary | SessionLog, name: str) -> str:
        """Give a session a name that no other of its project has, and say what it came to.

        Raises:
            SessionError: it is no name, another session has it, or the session is in use elsewhere.
        """
        path, kept = session.path, _proper(name)
        for other in _summaries(path.parent):
            if other.name == kept and other.path != path:
                raise SessionError(f"Another session has the name {kept} already: {other.id}.")
        if isinstance(session, SessionLog):
            session.write(SessionNamed(kept))
            return kept
        with SessionLog.open(path) as log:
            log.write(SessionNamed(kept))
        with suppress(OSError):  # a session is not used by being named
            os.utime(path, (session.updated, session.updated))
        return kept

    def fork(self, session: Summary, directory: Path | None = None, *, mask: Mask | None = None) -> SessionLog:
        """Go on in a copy of a session; the session itself may be open elsewhere.

        The copy belongs to the same project, or to the one that is given.

        Raises:
            SessionError: it cannot be read, or the copy cannot be written.
        """
        header, id_ = read_log(session.path).header, new_id()
        place = os.path.realpath(directory) if directory else header.directory
        target = (self.folder(directory) if directory else session.path.parent) / f"{id_}{_SUFFIX}"
        copy = msgspec.structs.replace(
            header, id=id_, directory=place, created=time.time(), ferrule=__version__, forked_from=session.id
        )
        try:
            make_private(target.parent)
            _write_copy(session.path, target, copy)
        except OSError as error:
            raise SessionError(f"The session cannot be copied ({reason(error)}): {target}") from None
        return SessionLog.open(target, mask=mask)

    def remove(self, session: Summary) -> None:
        """Remove a session and the outputs of its tools.

        Raises:
            SessionError: it is open in a Ferrule, or it cannot be removed.
        """
        try:
            removed = _remove(session.path)
        except OSError as error:
            raise SessionError(f"The session cannot be removed ({reason(error)}): {session.path}") from None
        if not removed:
            raise SessionError(f"The session is open in another Ferrule, so it stays: {session.path}")

    def prune(self, directory: Path | None = None) -> int:
        """Remove the sessions of a project, or of all, that are too many or too old; gives their count.

        The one that was used last stays in each project, and so does any that is open or has a name: many short
        runs must not push out what a person wanted to find again.
        """
        folders = [self.folder(directory)] if directory else _folders(self.root)
        return sum(self._prune(folder) for folder in folders)

    def _prune(self, folder: Path) -> int:
        now, removed = time.time(), 0
        aged = sorted(((_age(path, now), path) for path in _files(folder, _SUFFIX)), key=itemgetter(0))
        for place, (age, path) in enumerate(aged):
            too_many = 0 < self.max_sessions <= place
            too_old = 0 < self.retention_days * _DAY < age
            if place > 0 and (too_many or too_old) and not _has_name(path):
                with suppress(OSError):
                    removed += _remove(path)
        for outputs in _files(folder, _OUTPUTS):
            if not outputs.with_suffix(_SUFFIX).exists() and _age(outputs, now) > _DAY:
                remove_tree(outputs)
        with suppress(OSError):  # it is in use, as it should be
            folder.rmdir()
        return removed

    def _matches(self, here: Sequence[Summary], wanted: str) -> Iterator[Sequence[Summary]]:
        """What a reference may mean, the likelier first."""
        yield [one for one in here if one.name == wanted]
        start = wanted.lower()
        yield [one for one in here if one.id == start]
        if len(start) < _SHORTEST_PREFIX:
            return
        yield [one for one in here if one.id.startswith(start)]
        everywhere = (path for folder in _folders(self.root) for path in _files(folder, _SUFFIX))
        yield [one for path in everywhere if path.stem.startswith(start) and (one := summarise(path))]


def outputs_of(session: Path) -> Path:
    """Where the full outputs of a session's tools lie; removed with it."""
    return session.with_suffix(_OUTPUTS)


def new_id() -> str:
    """An id of the shape of a UUID (version 7) that sorts behind every earlier one of this process."""
    global _last_moment  # noqa: PLW0603
    _last_moment = max(time.time_ns(), _last_moment + _TICK)
    milliseconds, rest = divmod(_last_moment, 1_000_000)
    fraction = rest * 4096 // 1_000_000
    random = int.from_bytes(os.urandom(8)) >> 2
    text = f"{milliseconds << 80 | 7 << 76 | fraction << 64 | 2 << 62 | random:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _folders(root: Path) -> list[Path]:
    try:
        with os.scandir(root) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir()]
    except OSError:
        return []


def _files(folder: Path, suffix: str) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.name.endswith(suffix)]
    except OSError:
        return []


def _summaries(folder: Path) -> list[Summary]:
    return [one for path in _files(folder, _SUFFIX) if (one := summarise(path))]


def _has_name(path: Path) -> bool:
    found = summarise(path)
    return found is not None and bool(found.name)


def _by_use(sessions: Iterable[Summary]) -> tuple[Summary, ...]:
    return tuple(sorted(sessions, key=lambda one: (one.updated, one.id), reverse=True))


def _age(path: Path, now: float) -> float:
    try:
        return now - path.lstat().st_mtime
    except OSError:  # it has vanished, and cannot be removed any more
        return 0.0


def _remove(path: Path) -> bool:
    """Remove a session unless someone has it open; it is locked meanwhile, so that nobody opens it."""
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        if not lock(descriptor):
            return False
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    remove_tree(outputs_of(path))
    return True


def _write_copy(source: Path, target: Path, header: Header) -> None:
    """Write the records of a session under another header; what was torn off at its end stays behind."""
    with open(open_private(source, os.O_RDONLY), "rb") as file:  # noqa: PTH123
        kept = [line for line in file if line.endswith(b"\n") and not _is_about_the_session(line)]
    descriptor = open_private(target, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
    try:
        first = encode(Record(0, header.created, header)) + b"\n"
        append(descriptor, b"".join((first, *kept)))
    except OSError:
        target.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def _is_about_the_session(line: bytes) -> bool:
    """Whether a line names or frames the session, and so does not belong into a copy."""
    if b'"session_' not in line:
        return False
    return any(isinstance(one.event, Header | SessionNamed | SessionEnded) for one in records_in(line))


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= _LONGEST_NUMBER


def _proper(name: str) -> str:
    kept = " ".join(name.split())
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable():
        raise SessionError(f"A name has 1 to {_LONGEST_NAME} characters, all of them printable.")
    if kept.isdecimal():
        raise SessionError(f"{kept} would be taken for a number; a name needs something that is no digit.")
    return kept


def _not_found(directory: Path, wanted: str, here: Sequence[Summary]) -> str:
    if not here:
        return f"There is no session {wanted}: {directory} has none yet."
    if _is_number(wanted):
        return f"There is no session number {wanted}: {directory} has {len(here)}."
    names = [one.name for one in here if one.name]
    near = difflib.get_close_matches(wanted, [*names, *(one.id for one in here)], n=3, cutoff=0.5)
    hint = f"There is {', '.join(near)}." if near else "`ferrule sessions` lists them."
    return f"There is no session {wanted}. {hint}"
