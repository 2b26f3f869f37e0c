"""What is known of a shell at one point of a line: where it is, what its variables hold, which functions it has.

A scope never changes: what a command does to the shell makes a new one, so that branches can be compared and joined.
"""

from typing import Any

import msgspec

from ferrule.policy.command import Word
from ferrule.policy.shell.syntax import Statement

MOST_DIRECTORIES = 4


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What a variable holds, as far as it is known before the line runs."""

    text: str | None = None
    glob: bool = False
    """Whether `text` is a pattern, and the variable holds the name of a file that fits it."""
    number: bool = False
    """Whether it is a number, if an unknown one."""
    below: tuple[str, ...] = ()
    """Where `text` is None: the places in which it names something, line by line if it is an output."""
    fields: "tuple[Held, ...] | None" = None
    """What an array holds."""


UNKNOWN = Held()
NUMBER = Held(number=True)


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """A shell at one point."""

    directories: tuple[str | None, ...]
    """Where it may be; None is a place that is not known."""
    variables: dict[str, Held]
    functions: dict[str, Statement | None]
    """None stands for a function of which more than one body is possible."""
    arguments: tuple[Held, ...] | None
    """`$1` and so on; None if not known."""
    exported: frozenset[str] = frozenset()
    steering: tuple[tuple[str, Word], ...] = ()
    """Variables that were set before and change what programs do."""
    within: tuple[str, ...] = ()
    calling: tuple[str, ...] = ()
    """The functions that are being run, outermost first."""

    def replaced(self, **changes: Any) -> "Scope":
        """The same scope with other values."""
        return msgspec.structs.replace(self, **changes)

    def holding(self, name: str, held: Held) -> "Scope":
        """The scope after an assignment."""
        return self.replaced(variables={**self.variables, name: held})

    def doubting(self, names: tuple[str, ...]) -> "Scope":
        """The scope after something that may have assigned to these variables."""
        return self.replaced(variables={**self.variables, **dict.fromkeys(names, UNKNOWN)}) if names else self

    def inside(self) -> "Scope":
        """What a program that is a shell itself gets of it: only what is exported."""
        kept = {name: held if name in self.exported else UNKNOWN for name, held in self.variables.items()}
        return self.replaced(variables=kept, functions={}, arguments=None, calling=())


def joined(one: Scope, other: Scope) -> Scope:
    """What is known where either of two scopes may be the one."""
    if one is other or one == other:
        return one
    directories = tuple(dict.fromkeys((*one.directories, *other.directories)))
    names = one.variables.keys() | other.variables.keys()
    functions = one.functions.keys() | other.functions.keys()
    return one.replaced(
        directories=directories
        if len(directories) <= MOST_DIRECTORIES
        else (*directories[: MOST_DIRECTORIES - 1], None),
        variables={name: _either(one.variables.get(name), other.variables.get(name)) for name in names},
        functions={
            name: one.functions.get(name) if one.functions.get(name) is other.functions.get(name) else None
            for name in functions
        },
        arguments=one.arguments if one.arguments == other.arguments else None,
        exported=one.exported & other.exported,
        steering=tuple(dict.fromkeys((*one.steering, *other.steering))),
    )


def _either(one: Held | None, other: Held | None) -> Held:
    if one is not None and one == other:
        return one
    return NUMBER if one and other and _is_number(one) and _is_number(other) else UNKNOWN


def _is_number(held: Held) -> bool:
    return held.number or (held.text or "").lstrip("-").isdecimal()
