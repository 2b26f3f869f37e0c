"""The options of a program, read by a table: which words are options, which are values, which are paths.

A table is a line of text: what the operands are, a semicolon, and the options that do nothing but shape the output.

    "tame reads; -n -b -A= --number --lines= --files0-from=< --arg== --color=? -o=>"

`-n` stands alone. `-A=` takes a value, `--color=?` only an attached one, `--arg==` two. After the sign a `<` says
that the value is a path that is read, `>` one that is written, `~` one that is only looked at. `-#` is any number
(`head -20`). What the table does not name is not known to be harmless; a long option's abbreviation is not named.

The operands are `reads`, `lists` or `writes` (paths), `words` (no paths), `none` (there may be none), `pattern` (as
`reads`, after a first word that is a pattern unless an option has given it), `in-out` (reads the first, writes the
second, and one word may become both), `copies` (writes the last). `tame` says that no option at all, known or not,
could do harm: a word that nobody knows yet may then stand where an option could. A table that says `text` and nothing
else is that of a program for which no word is an option.
"""

from functools import cache
from typing import Literal

import msgspec

from ferrule.policy.command import Word

Operands = Literal["reads", "lists", "writes", "words", "none", "pattern", "in-out", "copies"]
PATTERN_GIVERS = {"-e", "-f", "--regexp", "--file", "--files", "--type-list"}
GLOB_STARTS = tuple("*?[@+!(")


class Spec(msgspec.Struct, frozen=True):
    """A table, ready for use."""

    operands: Operands
    options: dict[str, str]
    """Each option with what follows it: nothing, `=`, `=?`, `=<`, `=>`, `==` …"""
    tame: bool = False


class Uses(msgspec.Struct):
    """What the words of one command were found to be."""

    operands: list[Word] = msgspec.field(default_factory=list)
    given: dict[str, Word | None] = msgspec.field(default_factory=dict)
    """The options that the table knows, each with its last value."""
    values: list[tuple[str, Word]] = msgspec.field(default_factory=list)
    """All options with a value, in order."""
    unknown: list[str] = msgspec.field(default_factory=list)
    loose: list[Word] = msgspec.field(default_factory=list)
    """Words that may become options once the shell has expanded them."""
    spilling: list[Word] = msgspec.field(default_factory=list)
    """Values that may become several words, of which all but the first are operands: `nl -s ~/x/*`."""
    reads: list[Word] = msgspec.field(default_factory=list)
    lists: list[Word] = msgspec.field(default_factory=list)
    writes: list[Word] = msgspec.field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether one of these options was given."""
        return any(name in self.given for name in names)


@cache
def spec_of(table: str) -> Spec:
    """Read a table; those of programs that are never used are never read."""
    head, _, tail = table.partition(";")
    kinds = head.split()
    options = {"--help": "", "--version": ""}
    for token in tail.split():
        name, sign, rest = token.partition("=")
        options[name] = sign + rest
    return Spec(operands=kinds[-1], options=options, tame="tame" in kinds)  # type: ignore[arg-type]  # our own tables


def names(text: str) -> frozenset[str]:
    """The words of a text, for asking whether one is among them."""
    return frozenset(text.split())


def may_be_option(word: Word) -> bool:
    """Whether the shell may make an option of this word, or several words of which one is."""
    if word.many:
        return True
    if word.text is None:
        return not word.prefix
    return word.glob and word.text.startswith(GLOB_STARTS)


def may_be_several(word: Word) -> bool:
    """Whether the shell may make more than one word of it."""
    return word.many or word.glob


def rest_of(word: Word, start: int) -> Word:
    """The word without its first characters: the value that is attached to an option."""
    if word.text is None:
        return Word(word.raw, prefix=word.prefix[start:], many=word.many, below=word.below)
    return Word(word.raw, word.text[start:], glob=word.glob, many=word.many)


def literal(text: str) -> Word:
    """A word that says what it will be."""
    return Word(text, text)


def parse(words: tuple[Word, ...], spec: Spec, *, leading: bool = False) -> Uses:
    """Tell options, values and operands apart, as getopt does: options may stand behind operands, up to `--`.

    With `leading`, options end at the first operand, which is how programs read that run other programs.
    """
    uses = Uses()
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        start = word.prefix if word.text is None else word.text
        if leading and (len(start) < 2 or start[0] != "-"):
            uses.operands.extend(words[position - 1 :])
            break
        if may_be_option(word):
            uses.loose.append(word)
        if len(start) < 2 or start[0] != "-":
            uses.operands.append(word)
            continue
        if word.many:
            uses.spilling.append(word)
        if word.text == "--":
            uses.operands.extend(words[position:])
            break
        if start.startswith("--") or (word.text is not None and start in spec.options):
            position = _long(word, start, spec=spec, words=words, position=position, uses=uses)
        else:
            position = _cluster(word, start, spec=spec, words=words, position=position, uses=uses)
    _sort_operands(uses, spec.operands)
    return uses


def _long(word: Word, start: str, *, spec: Spec, words: tuple[Word, ...], position: int, uses: Uses) -> int:
    name, sign, _ = start.partition("=")
    follows = spec.options.get(name)
    if follows is None or (sign and not follows) or (word.text is None and not sign):
        uses.unknown.append(name)
    elif sign:
        _give(uses, name, rest_of(word, len(name) + 1), follows)
    elif not follows or follows.startswith("=?"):
        uses.given[name] = None
    else:
        return _take(uses, name, follows, words=words, position=position)
    return position


def _cluster(word: Word, start: str, *, spec: Spec, words: tuple[Word, ...], position: int, uses: Uses) -> int:
    if word.text is not None and start[1:].isdigit() and "-#" in spec.options:
        uses.given["-#"] = rest_of(word, 1)
        return position
    for index in range(1, len(start)):
        name = "-" + start[index]
        follows = spec.options.get(name)
        if follows is None:
            uses.unknown.append(name if len(start) == 2 else f"{name} (in {word.raw})")
            return position
        if follows.startswith("=?") or (follows and (index + 1 < len(start) or word.text is None)):
            _give(uses, name, rest_of(word, index + 1), follows)
            return position
        if follows:
            return _take(uses, name, follows, words=words, position=position)
        uses.given[name] = None
    if word.text is None:  # `-n$x`, where -n stands alone: more options may follow
        uses.unknown.append(word.raw)
    return position


def _take(uses: Uses, name: str, follows: str, *, words: tuple[Word, ...], position: int) -> int:
    wanted = 2 if follows.startswith("==") else 1
    taken = words[position : position + wanted]
    several = [word for word in taken if may_be_several(word)]
    uses.loose.extend(several)
    uses.spilling.extend(several)
    if taken:
        _give(uses, name, taken[-1], follows)
    else:
        uses.given[name] = None
    return position + len(taken)


def _give(uses: Uses, name: str, value: Word, follows: str) -> None:
    uses.given[name] = value
    uses.values.append((name, value))
    if value.text == "":
        return
    if follows.endswith("<"):
        uses.reads.append(value)
    elif follows.endswith(">"):
        uses.writes.append(value)
    elif follows.endswith("~"):
        uses.lists.append(value)


def _sort_operands(uses: Uses, kind: Operands) -> None:
    operands = uses.operands
    if kind == "lists":
        uses.lists.extend((*operands, *uses.spilling))
        return
    if kind in {"reads", "pattern", "in-out", "copies"}:
        uses.reads.extend(uses.spilling)
    if kind == "reads":
        uses.reads.extend(operands)
    elif kind == "writes":
        uses.writes.extend(operands)
    elif kind == "pattern":
        given = uses.given.keys() & PATTERN_GIVERS or any(may_be_several(word) for word in operands[:1])
        uses.reads.extend(operands if given else operands[1:])
    elif kind == "in-out":
        uses.reads.extend(operands[:1])
        uses.writes.extend(operands if any(map(may_be_several, operands[:1])) else operands[1:])
    elif kind == "copies":
        uses.reads.extend(operands[:-1])
        uses.writes.extend(operands[-1:])
