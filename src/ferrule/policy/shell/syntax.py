"""What a shell line is made of: pieces of words, words, and the commands that bash builds from them.

`reader.py` makes these from text; `expand.py` and `shell.py` say what they come to.
"""

from typing import Any

import msgspec


class Node(msgspec.Struct, frozen=True, gc=False):
    """Something that was written in a line."""


class Plain(Node, frozen=True):
    """Text without quotes: braces, a tilde and patterns in it mean something."""

    text: str


class Quoted(Node, frozen=True):
    """Text that stands for itself."""

    text: str


class Parameter(Node, frozen=True, kw_only=True):
    """`$x`, `${x:-y}`, `${!x}`, `${x[1]}` and so on."""

    name: str
    quoted: bool = False
    braced: bool = False
    """Whether its name cannot run into what follows."""
    operator: str = ""
    argument: "tuple[Piece, ...]" = ()
    subscript: "tuple[Piece, ...] | None" = None
    indirect: bool = False
    """`${!x}`: the name is in the variable."""
    length: bool = False
    """`${#x}`: how long it is."""


class Substitution(Node, frozen=True):
    """`$(…)` or backquotes: what a script prints."""

    script: "Sequence"
    quoted: bool = False


class Process(Node, frozen=True):
    """`<(…)` or `>(…)`: a script behind the name of a file."""

    script: "Sequence"
    operator: str


class Arithmetic(Node, frozen=True):
    """`$((…))`: a number; what it is computed from may run commands."""

    pieces: "tuple[Piece, ...]"


class Array(Node, frozen=True):
    """`(a b)` behind `x=`."""

    words: "tuple[Written, ...]"


Piece = Plain | Quoted | Parameter | Substitution | Process | Arithmetic | Array


class Written(Node, frozen=True):
    """A word as it was written."""

    raw: str
    pieces: tuple[Piece, ...]

    @property
    def plain(self) -> str | None:
        """Its text, if nothing in it is quoted or expanded: only such a word can be a keyword."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], Plain):
            return self.pieces[0].text
        return None


class Assignment(Node, frozen=True, kw_only=True):
    """`x=1`, `x+=1`, `x[2]=1`."""

    name: str
    value: Written
    add: bool = False
    subscript: tuple[Piece, ...] | None = None


class Redirection(Node, frozen=True):
    """`2> file`, `<<< word`, or a here-document, whose text is then the target."""

    operator: str
    target: Written


class Command(Node, frozen=True, kw_only=True):
    """A simple command: assignments, words and redirections, any of which may be missing."""

    raw: str
    assignments: tuple[Assignment, ...] = ()
    words: tuple[Written, ...] = ()
    redirections: tuple[Redirection, ...] = ()


class Test(Node, frozen=True):
    """`[[ … ]]`: the words between its brackets, operators included."""

    raw: str
    words: tuple[Written, ...]


class Calculation(Node, frozen=True):
    """`((…))`."""

    pieces: tuple[Piece, ...]


class Pipeline(Node, frozen=True, kw_only=True):
    """Commands whose output goes into the next."""

    members: "tuple[Statement, ...]"
    negated: bool = False


class Chain(Node, frozen=True):
    """Pipelines joined by `&&` and `||`; an operator stands before each but the first."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...] = ()


class Sequence(Node, frozen=True):
    """Chains one after the other; those with True run in the background."""

    items: tuple[tuple[Chain, bool], ...]


class Group(Node, frozen=True):
    """`{ …; }`, or `( … )`, which is a shell of its own."""

    body: Sequence
    subshell: bool


class If(Node, frozen=True):
    """Conditions with what follows from each, and what follows from none."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None


class While(Node, frozen=True):
    """`while` and `until`."""

    condition: Sequence
    body: Sequence
    until: bool


class For(Node, frozen=True):
    """`for` and `select` over words; None stands for the arguments."""

    name: str
    words: tuple[Written, ...] | None
    body: Sequence


class Count(Node, frozen=True):
    """`for ((…; …; …))`."""

    pieces: tuple[Piece, ...]
    body: Sequence


class Case(Node, frozen=True):
    """A word, and scripts by pattern."""

    word: Written
    items: tuple[tuple[tuple[Written, ...], Sequence], ...]


class Function(Node, frozen=True):
    """A script that gets a name."""

    name: str
    body: "Statement"


class Redirected(Node, frozen=True):
    """A compound command with redirections behind it."""

    raw: str
    body: "Statement"
    redirections: tuple[Redirection, ...]


class Forked(Node, frozen=True):
    """`coproc …`: runs beside the rest."""

    body: "Statement"


Statement = (
    Command | Test | Calculation | Group | If | While | For | Count | Case | Function | Redirected | Forked | Pipeline
)


def merged(pieces: list[Any]) -> tuple[Piece, ...]:
    """Join neighbouring pieces of plain text, so that a continued line does not hide a keyword."""
    joined: list[Any] = []
    for piece in pieces:
        if joined and isinstance(piece, Plain) and isinstance(joined[-1], Plain):
            joined[-1] = Plain(joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return tuple(joined)
