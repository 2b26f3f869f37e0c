"""A session file becomes events again, whatever happened to it: what can be read is read."""

import os
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path

import msgspec

from ferrule.core.errors import SessionError
from ferrule.core.events import Appended, Event
from ferrule.core.history import History
from ferrule.core.messages import Assistant
from ferrule.session.files import open_private, reason
from ferrule.session.records import (
    NOTHING,
    VERSION,
    Header,
    Record,
    SessionEnded,
    SessionNamed,
    Tally,
    Totals,
    decode,
)
from ferrule.session.repair import in_order, salvage

LONGEST_LINE = 64 * 1024 * 1024
_LINES_NAMED = 5


class LoadedLog(msgspec.Struct, frozen=True, kw_only=True):
    """What a session file tells."""

    header: Header
    events: tuple[Event, ...] = ()
    warnings: tuple[str, ...] = ()
    name: str = ""
    totals: Totals = NOTHING
    next: int = 0
    """The number that the next record gets."""


def read_log(path: Path) -> LoadedLog:
    """Read a session back. Its content never raises, however damaged; what was left out is in the warnings.

    Raises:
        SessionError: there is no such file, it may not be read, or a newer Ferrule wrote it.
    """
    reader = _Reader(path)
    try:
        with open(open_private(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123
            for number, line in enumerate(_lines(file), start=1):
                reader.take(number, line)
    except OSError as error:
        raise SessionError(f"The session cannot be read ({reason(error)}): {path}") from None
    return reader.loaded()


def rebuild(loaded: LoadedLog) -> History:
    """The conversation of a session, ready to be sent: every call has its result. Nothing is run."""
    history = History(loaded.events)
    for ended in history.closing():
        history.apply(ended)
    return history


def _lines(file: BufferedReader) -> Iterator[bytes]:
    """The lines of a file; one that is too long is read over, and rubbish stands in its place."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (line := file.readline(LONGEST_LINE)) and not line.endswith(b"\n"):
                pass
            line = b"?\n"
        yield line


class _Reader:
    """Takes in the lines of a file, one by one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._records: list[Record] = []
        self._damaged: list[int] = []
        self._strange: list[int] = []
        self._torn = self._tangled = False
        self._last = -1

    def take(self, number: int, line: bytes) -> None:
        """Take in a line."""
        try:
            self._keep(decode(line))
        except (ValueError, RecursionError) as error:
            if line.strip(b"\0 \t\r\n"):
                self._mend(number, line, is_json=isinstance(error, msgspec.ValidationError))

    def loaded(self) -> LoadedLog:
        """What the lines came to."""
        records, following = self._records, max(self._last, *self._strange, -1) + 1
        if self._tangled:
            records, following = in_order(records, self._strange)
        header = next((one.event for one in records if isinstance(one.event, Header)), None)
        tally, name, events = Tally(), "", list[Event]()
        for record in records:
            event = record.event
            if isinstance(event, SessionNamed | SessionEnded):
                name = event.name
            elif not isinstance(event, Header):
                events.append(event)
                tally.add(event)
        return LoadedLog(
            header=header if header and header.id else self._invented(records),
            events=tuple(events),
            warnings=tuple(self._warnings(has_header=header is not None)),
            name=name,
            totals=tally.totals,
            next=following,
        )

    def _keep(self, record: Record) -> None:
        event = record.event
        if isinstance(event, Header) and event.version > VERSION:
            raise SessionError(
                f"The session was written by a newer Ferrule (format {event.version}, where this one reads "
                f"format {VERSION}); update Ferrule to open it: {self._path}"
            )
        if isinstance(event, Appended) and not _is_sendable(event):
            self._strange.append(record.n)
            return
        self._tangled |= record.n <= self._last
        self._last = record.n
        self._records.append(record)

    def _mend(self, number: int, line: bytes, *, is_json: bool) -> None:
        records, strange = salvage(line)
        for record in records:
            self._keep(record)
        self._strange += strange
        if not records and not line.endswith(b"\n"):
            self._torn = True
        elif not is_json or not (records or strange):
            self._damaged.append(number)

    def _invented(self, records: Sequence[Record]) -> Header:
        models = (
            one.event.message.model
            for one in records
            if isinstance(one.event, Appended) and isinstance(one.event.message, Assistant)
        )
        created = records[0].at if records else 0.0
        return Header(id=self._path.stem, model=next(models, ""), created=created, ferrule="")

    def _warnings(self, *, has_header: bool) -> Iterator[str]:
        if not self._records:
            yield "The session has nothing in it that can be read."
        elif not has_header:
            yield "The session does not say in which directory and with which model it began."
        if self._damaged:
            yield f"{_named(self._damaged)} damaged; what could not be read was left out."
        if self._torn:
            yield "The last line was cut off and was left out."
        if self._strange:
            count = len(self._strange)
            what = "record was" if count == 1 else "records were"
            yield f"{count} {what} left out: of a kind that this Ferrule does not know."


def _is_sendable(event: Appended) -> bool:
    """Whether a provider would take the message: it says something, and its calls can be told apart."""
    message = event.message
    ids = [call.id for call in message.calls] if isinstance(message, Assistant) else []
    return bool(message.content) and len(ids) == len(set(ids))


def _named(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"Line {lines[0]} is"
    names = ", ".join(map(str, lines[:_LINES_NAMED]))
    more = len(lines) - _LINES_NAMED
    return f"Lines {names} and {more} more are" if more > 0 else f"Lines {names} are"
