"""What is handed to the function that knows a program, and the words in which it answers."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from ferrule.policy.command import LEVELS, Knowledge, Level, Nested, Redirect, Word
from ferrule.policy.programs.options import Uses, parse, spec_of


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a program, as far as it is known before it runs."""

    name: str
    """The program's name without its directory."""
    words: tuple[Word, ...]
    """What follows the name."""
    directory: str | None = None
    home: str = ""
    piped: bool = False
    redirects: tuple[Redirect, ...] = ()

    @property
    def texts(self) -> tuple[str | None, ...]:
        """The words as text; None where only running it would tell."""
        return tuple(None if word.glob else word.text for word in self.words)

    def inner(self, start: int) -> "Call":
        """The same call without its first words: that of a sub-command."""
        return msgspec.structs.replace(self, words=self.words[start:])


Handler = Callable[[Call], Knowledge]

Answer = TypeVar("Answer")

HARMLESS = Knowledge(level="reads")


def serves(programs: str, answer: Answer) -> dict[str, Answer]:
    """The same answer for each of these programs."""
    return dict.fromkeys(programs.split(), answer)


def worse(one: Level, other: Level) -> Level:
    """The more serious of two levels."""
    return one if LEVELS.index(one) >= LEVELS.index(other) else other


def raised(knowledge: Knowledge, level: Level, reason: str) -> Knowledge:
    """The same knowledge with at least this level."""
    if worse(knowledge.level, level) == knowledge.level:
        return knowledge
    return msgspec.structs.replace(knowledge, level=level, reason=reason, git=False)


def changes(reason: str, *, writes: Iterable[Word] = (), reads: Iterable[Word] = ()) -> Knowledge:
    """It may change something."""
    return Knowledge(level="changes", reason=reason, writes=tuple(writes), reads=tuple(reads))


def network(reason: str, *, writes: Iterable[Word] = (), reads: Iterable[Word] = ()) -> Knowledge:
    """It reaches other machines."""
    return Knowledge(level="network", reason=reason, writes=tuple(writes), reads=tuple(reads))


def danger(reason: str, *, writes: Iterable[Word] = (), reads: Iterable[Word] = ()) -> Knowledge:
    """It may do harm that nothing takes back."""
    return Knowledge(level="danger", reason=reason, writes=tuple(writes), reads=tuple(reads))


def catastrophe(reason: str) -> Knowledge:
    """It would end everything."""
    return Knowledge(level="catastrophe", reason=reason)


def wraps(*nested: Nested, level: Level = "reads", reason: str = "") -> Knowledge:
    """It runs other commands, and is itself of this level."""
    return Knowledge(level=level, reason=reason, runs=nested)


def by_table(call: Call, table: str) -> Knowledge:
    """Judge a program that only reads unless one of its options says otherwise."""
    if table == "text":
        return HARMLESS
    spec = spec_of(table)
    uses = parse(call.words, spec)
    if reason := objection(call.name, uses, tame=spec.tame):
        return judged("changes", uses, reason)
    if spec.operands == "none" and uses.operands:
        return judged("changes", uses, f"{call.name} with {uses.operands[0].raw} is not known to only read")
    return judged("reads", uses)


def objection(name: str, uses: Uses, *, tame: bool = False) -> str:
    """Why this use is not known to only read; empty where it is."""
    if uses.unknown:
        return f"{name}: option {uses.unknown[0]} is not known to only read"
    if uses.loose and not tame:
        return f"{name}: {uses.loose[0].raw} may become an option"
    if uses.writes:
        return f"{name} writes {uses.writes[0].raw}"
    return ""


def judged(level: Level, uses: Uses, reason: str = "") -> Knowledge:
    """Put what a table found into words."""
    return Knowledge(
        level=level, reason=reason, reads=tuple(uses.reads), lists=tuple(uses.lists), writes=tuple(uses.writes)
    )
