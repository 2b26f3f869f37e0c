"""The moves of an errand: use tools, let the model speak, be done. Each is yielded, and what came of it comes back."""

from collections.abc import Generator, Mapping
from typing import Any, Literal

from ferrule.core.messages import ToolResult, Value

Turns = tuple[tuple[Literal["user", "assistant"], str], ...]
"""What was said so far, and by whom."""


class Use(Value, frozen=True, kw_only=True):
    """Calls of tools, all at once; their results come back in the same order."""

    calls: tuple[tuple[str, dict[str, Any]], ...]


class Say(Value, frozen=True, kw_only=True):
    """Something for the model to answer; an `Answer` comes back."""

    system: str
    turns: Turns
    warmth: float = 0.0
    most: int = 500
    """How many pieces of words it may say: tiny models repeat themselves for ever."""
    begun: str = ""
    """How its answer begins; it goes on from there, where its server lets it."""
    one_file: bool = False
    """Whether the first file that it has written is all that is wanted."""
    files: tuple[str, ...] = ()
    """The files that it may name, the likeliest first, where it has to name one."""
    homes: Mapping[str, str] = {}
    """The names that it may say to be in a file, each with the one that it is in."""
    shown: Literal["text", "thinking"] = "text"
    """Whether the person reads it as the answer, or as work on the way to one."""


class Copy(Value, frozen=True, kw_only=True):
    """A text for the model to write letter for letter, to learn where it would rather have written something else.

    `Piece`s come back, none where its server cannot tell.
    """

    system: str
    turns: Turns
    begun: str
    """How its answer begins, before that text."""
    text: str


Piece = tuple[str, tuple[tuple[str, float], ...]]
"""A piece of a text, and what the model could have written there, that piece first, with the logarithms of how likely
it found each."""


class Answer(Value, frozen=True):
    """What the model said, and whether it was cut off."""

    text: str
    is_cut: bool = False


class Done(Value, frozen=True):
    """The last word, where the model has not said it itself."""

    text: str = ""


Move = Use | Say | Copy
Moves = Generator[Move, Any, Any]
Errand = Generator[Move, Any, Done]


def use(*calls: tuple[str, dict[str, Any]]) -> Generator[Move, Any, list[ToolResult]]:
    """Use tools and get their results."""
    results: list[ToolResult] = yield Use(calls=calls)
    return results


def say(move: Say) -> Generator[Move, Any, str]:
    """Let the model speak and get its words."""
    answer = yield from hear(move)
    return answer.text


def hear(move: Say) -> Generator[Move, Any, Answer]:
    """Let the model speak and get its words, and whether they are all."""
    answer: Answer = yield move
    return answer


def copied(move: Copy) -> Generator[Move, Any, list[Piece]]:
    """Let the model copy a text and get it in pieces."""
    pieces: list[Piece] = yield move
    return pieces
