"""What a listing says of a session, read from the two ends of its file."""

import os
from io import BufferedReader
from pathlib import Path

from ferrule.core.events import Appended
from ferrule.core.messages import User, Value, text_of
from ferrule.session.files import open_private
from ferrule.session.records import Header, SessionEnded, SessionNamed, Totals
from ferrule.session.repair import records_in

_LINES_OF_THE_HEAD = 50
_LONGEST_PROMPT = 8 * 1024 * 1024
_TAIL = 4096
_PROMPT_SHOWN = 1_000


class Summary(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A session, as a listing shows it."""

    id: str
    number: int = 0
    """Its place in the listing of its project, the one used last being 1; 0 in a listing of all projects."""
    name: str = ""
    directory: str = ""
    model: str = ""
    first_prompt: str = ""
    started: float = 0.0
    updated: float = 0.0
    turns: int = 0
    messages: int = 0
    cost: float | None = None
    """US dollars, where they are known and the session was closed in good order."""
    forked_from: str | None = None
    path: Path


def summarise(path: Path) -> Summary | None:
    """Say what is in a session file; nothing if it has vanished or is no file of ours."""
    try:
        with open(open_private(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123
            header, prompt = _head(file)
            name, totals = _tail(file) or _scan(file)
            updated = os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    header = header or Header(id=path.stem, created=updated)
    return Summary(
        id=path.stem,
        name=name,
        directory=header.directory,
        model=header.model,
        first_prompt=prompt,
        started=header.created,
        updated=updated,
        turns=totals.turns,
        messages=totals.messages,
        cost=totals.cost,
        forked_from=header.forked_from,
        path=path,
    )


def _head(file: BufferedReader) -> tuple[Header | None, str]:
    """The header and the first words of the person, both of which stand near the beginning."""
    header: Header | None = None
    for _ in range(_LINES_OF_THE_HEAD):
        if not (line := file.readline(_LONGEST_PROMPT)):
            break
        for record in records_in(line):
            match record.event:
                case Header() as event:
                    header = header or event
                case Appended(message=User(by="person", content=content)):
                    return header, text_of(content)[:_PROMPT_SHOWN]
                case _:
                    pass
    return header, ""


def _tail(file: BufferedReader) -> tuple[str, Totals] | None:
    """What the closing record says, if nothing but a new name came after it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    name: str | None = None
    for line in reversed(file.read(_TAIL).rstrip(b"\n").split(b"\n")):
        match [record.event for record in records_in(line)]:
            case [SessionNamed(name=new)]:
                name = new if name is None else name
            case [SessionEnded(name=last, totals=totals)]:
                return last if name is None else name, totals
            case _:
                return None
    return None


def _scan(file: BufferedReader) -> tuple[str, Totals]:
    """Count in the bytes: the session is open, or was never closed."""
    file.seek(0)
    data = file.read()
    totals = Totals(
        turns=data.count(_begins("turn_started")),
        messages=data.count(_begins("appended")) + data.count(_begins("tool_ended")),
    )
    return _last_name(data), totals


def _last_name(data: bytes) -> str:
    end = len(data)
    while (found := max(data.rfind(_begins(kind), 0, end) for kind in ("session_named", "session_end"))) >= 0:
        line = data[data.rfind(b"\n", 0, found) + 1 :].split(b"\n", 1)[0]
        for record in records_in(line):
            if isinstance(record.event, SessionNamed | SessionEnded):
                return record.event.name
        end = found
    return ""


def _begins(kind: str) -> bytes:
    """How an event of a kind begins in a record. Inside a string its quotation marks would be escaped."""
    return b'"event":{"type":"%b"' % kind.encode()
