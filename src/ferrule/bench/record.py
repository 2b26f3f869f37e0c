"""What came of one trial, kept as a line of JSON: a series that was broken off goes on where it stopped."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ferrule.bench.task import Kind
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.messages import Value

Key = tuple[str, str, str, int]
_BEGINNING = b'{"agent":'
"""Of every record; nothing else may be overwritten."""


class Record(Value, frozen=True, kw_only=True, omit_defaults=False):
    """What came of one task, given once to one agent."""

    agent: str
    model: str
    """As it was asked for; empty where the agent chose by itself."""
    task: str
    kind: Kind
    number: int
    """Which repetition, counted from 1."""
    success: bool
    why: str
    """Why it failed, in the words of the check; empty where it did not."""
    exit_reason: str
    tries: int
    turns: int | None
    """Over all tries; what an agent does not tell is None."""
    tokens_in: int | None
    tokens_out: int | None
    seconds: float
    """Of the agent alone, without copying and checking."""
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """What tells trials apart."""
        return (self.agent, self.model, self.task, self.number)

    @property
    def counts(self) -> bool:
        """Whether the agent had its chance: a model that could not be reached is asked again."""
        return self.exit_reason != "error"


def read_records(path: Path) -> list[Record]:
    """The records of a file, the last where a trial was done again; none where there is no file.

    A last record that was cut off when the machine went down is passed over.

    Raises:
        UsageError: the file holds something else.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    found: dict[Key, Record] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line, type=Record)
        except msgspec.MsgspecError as error:
            if number == len(lines) and line.startswith(_BEGINNING):
                break
            raise UsageError(f"{path}:{number} is no record of a trial: {error}") from None
        found[record.key] = record
    return list(found.values())


def append_record(path: Path, record: Record) -> None:
    """Write a record at the end of a file, over one that was cut off.

    Raises:
        FerruleError: it cannot be written.
    """
    try:
        with path.open("a+b") as file:
            whole, end = _whole(path.read_bytes())
            file.truncate(whole)
            file.write(end + msgspec.json.encode(record) + b"\n")
    except OSError as error:
        raise FerruleError(f"{path} cannot be written: {error.strerror}.") from None


def done(records: Iterable[Record]) -> frozenset[Key]:
    """The trials that need not be done again."""
    return frozenset(record.key for record in records if record.counts)


def _whole(data: bytes) -> tuple[int, bytes]:
    """How many bytes are whole records, and what the last of them lacks."""
    start = data.rfind(b"\n") + 1
    try:
        msgspec.json.decode(data[start:], type=Record)
    except msgspec.MsgspecError:
        return start, b""
    return len(data), b"\n"
