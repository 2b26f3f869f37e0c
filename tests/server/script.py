"""What the server is told to do: answers and faults, the same for all wire formats."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

Kind = Literal["rate_limit", "overloaded", "server", "context_overflow", "auth", "bad_request", "no_model"]
STATUS: dict[Kind, int] = {
    "rate_limit": 429,
    "overloaded": 529,
    "server": 500,
    "context_overflow": 400,
    "auth": 401,
    "bad_request": 400,
    "no_model": 404,
}


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call."""

    name: str
    arguments: dict[str, Any] | str = {}
    """As text they are sent as they stand, valid or not (Ollama sends objects only)."""
    id: str = ""
    """Where there is none, one as the provider would make it."""


class Tokens(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The usage that is reported; `input` counts what was not in the cache."""

    input: int = 10
    output: int = 5
    cache_read: int = 0
    cache_write: int = 0


class Reply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer, and what goes wrong with it."""

    thinking: str = ""
    redacted: bool = False
    """The thinking is kept from the reader (Anthropic)."""
    text: str = ""
    """A ☠ in it is sent as a byte that is no UTF-8."""
    calls: tuple[Call, ...] = ()
    stop: Literal["end_turn", "tool_use", "max_tokens", "refusal"] | None = None
    usage: Tokens | None = Tokens()
    piece: int = 12
    """Characters in each delta."""

    status: int = 200
    """Anything else is a failure; `kind` and `message` then make its body in the provider's own form."""
    kind: Kind | None = None
    """With status 200: an error of this kind inside the stream, after all else, instead of its end."""
    message: str = ""
    headers: dict[str, str] = {}
    body: str | None = None
    """Sent as it stands instead of anything else."""

    delay: float = 0
    """Seconds before the first byte."""
    pace: float = 0
    """Seconds between writes."""
    chunk: int = 0
    """Bytes in each write; 0: one write for each event."""
    cut: int | None = None
    """The connection is closed after so many bytes of the body."""
    reset: bool = False
    """... hard, instead of properly."""
    stall: int | None = None
    """Nothing more comes after so many bytes, but the connection stays."""
    garbage: str = ""
    """A record in the middle that is no JSON."""
    no_end: bool = False
    """The end marker is left out."""
    silent: bool = False
    """The connection is closed before a single byte is sent."""


def failure(kind: Kind, *, message: str = "", status: int | None = None, **more: Any) -> Reply:
    """A failure of a kind, with the status that is usual for it."""
    return Reply(status=status or STATUS[kind], kind=kind, message=message, **more)


Step = Reply | Callable[["Received"], Reply]
"""A reply, or what makes one of the request."""


class Received(msgspec.Struct, kw_only=True):
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    body: Any = None
    at: float = msgspec.field(default_factory=time.time)
    connection: int = 0
    """Which connection it came on."""
    refused: str = ""
    """Why the server would not have it."""
    abandoned: bool = False
    """Whether the client left before the answer was whole."""


def load(path: Path) -> list[Step]:
    """Read a script: a JSON list of replies."""
    return list(msgspec.json.decode(path.read_bytes(), type=list[Reply]))


def pieces(text: str, size: int) -> list[str]:
    """Cut a text as a model would stream it."""
    return [text[start : start + size] for start in range(0, len(text), max(size, 1))]
