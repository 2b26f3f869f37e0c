"""Globs for rules, without regular expressions: no pattern, however it is made, takes long to match.

Two kinds. A *command glob* speaks of the words of one simple command: a blank stands between two words, `*` for
anything at all, further words included. A *path glob* speaks of the parts of a path, as gitignore does: `*` stays
inside one part, `**` is any number of parts.
"""

import unicodedata
from functools import lru_cache

from ferrule.core.regex import lazy

BLANK = "\x1f"
"""Stands between words, where a blank inside a word must not be mistaken for one between two."""
UNKNOWN = "\x00"
"""Stands for a word, or several, that only running the command would tell."""
_STAR = "\x01"
_ARROW = "\x02"
_OURS = frozenset((BLANK, UNKNOWN, _STAR, _ARROW))

_MEANS_MORE = lazy(r"[\s\\'\"*>~]")
_ESCAPED = lazy(r"[\\\"*]")

Pieces = tuple[str, ...]
"""A command glob, cut at its stars."""


class CommandGlob:
    """The pattern of a rule for commands."""

    __slots__ = ("everything", "forms", "redirects")

    def __init__(self, pattern: str) -> None:
        marked = _marked(f"{pattern[:-2]} *" if pattern.endswith(":*") else pattern)
        words, arrow, target = marked.partition(_ARROW)
        words = words.removesuffix(BLANK) if arrow else words
        self.everything = words == _STAR and not arrow
        self.redirects: Pieces | None = _cut(target.removeprefix(BLANK)) if arrow else None
        """What the target of a redirect must be, if the pattern names one."""
        open_end = words.endswith(BLANK + _STAR)
        self.forms: tuple[Pieces, ...] = (_cut(words), _cut(words[:-2])) if open_end else (_cut(words),)
        """`git diff *` is also `git diff` alone."""

    def matches(self, text: str) -> bool:
        """Whether the pattern covers a command, whatever its unknown words turn out to be."""
        return any(_matches(form, text) for form in self.forms)

    def might_match(self, text: str) -> bool:
        """Whether the unknown words could turn out to be such that the pattern covers the command."""
        return any(_might_match(form, text) for form in self.forms)

    def matches_redirect(self, target: str | None) -> bool:
        """Whether the pattern names this target of a redirect."""
        return self.redirects is not None and _matches(self.redirects, joined((target,)))


@lru_cache(4096)
def command_glob(pattern: str) -> CommandGlob:
    """Read the pattern of a rule for commands; any text is one."""
    return CommandGlob(pattern)


def joined(words: tuple[str | None, ...]) -> str:
    """The words of a command as one text to match; a word that nobody knows has its own sign."""
    return BLANK.join(UNKNOWN if word is None or not _OURS.isdisjoint(word) else word for word in words)


def quoted(word: str) -> str:
    """A word so that it means itself in a command glob."""
    if word and not _MEANS_MORE.search(word):
        return word
    return '"' + _ESCAPED.sub(lambda found: "\\" + found[0], word) + '"'


def text_matches(pattern: str, text: str) -> bool:
    """Whether a glob covers a text as it stands, with `*` for anything."""
    return _matches(tuple(pattern.split("*")), text)


def _matches(pieces: Pieces, text: str) -> bool:
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in pieces[1:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _might_match(pieces: Pieces, text: str) -> bool:
    known = tuple(text.split(UNKNOWN))
    if len(known) == 1:
        return _matches(pieces, text)
    if len(pieces) == 1:
        return _matches(known, pieces[0])
    # Both sides have room for anything between their ends, so only the ends can contradict each other.
    ends_agree = pieces[-1].endswith(known[-1]) or known[-1].endswith(pieces[-1])
    return ends_agree and (pieces[0].startswith(known[0]) or known[0].startswith(pieces[0]))


def _cut(text: str) -> Pieces:
    pieces = text.split(_STAR)
    return (pieces[0], *filter(None, pieces[1:-1]), pieces[-1]) if len(pieces) > 1 else (text,)


def _marked(pattern: str) -> str:
    """The pattern with signs for what is no plain text: stars, blanks between words, arrows. Quotes are taken off."""
    out: list[str] = []
    quote, at, text = "", 0, pattern.strip()
    while at < len(text):
        char, at = text[at], at + 1
        if char == "\\" and quote != "'" and at < len(text) and (not quote or text[at] in '"\\$`*'):
            out.append(text[at])
            at += 1
        elif char == quote:
            quote = ""
        elif char in "'\"" and not quote and text.find(char, at) >= 0:
            quote = char
        elif char == "*":
            out.append(_STAR)
        elif char.isspace() and not quote:
            out.append(BLANK)
            at += len(text[at:]) - len(text[at:].lstrip())
        elif char == ">" and not quote and _stands_alone(out):
            at += len(text[at:]) - len(text[at:].lstrip(">|&"))
            out.append(_ARROW)
        else:
            out.append("\ufffd" if char in _OURS else char)
    return "".join(out)


def _stands_alone(before: list[str]) -> bool:
    """Whether an arrow begins a word, perhaps behind the number of a descriptor, which it then takes with it."""
    if before and before[-1] in "012&" and (len(before) == 1 or before[-2] == BLANK):
        before.pop()
    return not before or before[-1] == BLANK


Token = str | tuple[bool, tuple[tuple[str, str], ...]] | None
"""Of a path glob's part: a character, any one character (an empty text), one of a set, or anything (None)."""
Part = tuple[Token, ...]
DEEP: Part = (None, None)
"""`**`: any number of parts, none included."""
MOST_PARTS = 64


class PathGlob:
    """The parts of an absolute path, as a pattern."""

    __slots__ = ("below", "folded", "parts")

    def __init__(self, pattern: str, *, sets: bool, folded: bool, below: bool) -> None:
        """Read a pattern that begins with `/`.

        With `sets` brackets are sets of characters; with `folded` neither case nor Unicode's ways of writing a letter
        make a difference; with `below` a directory that matches stands for all that is in it.
        """
        texts = [text for text in (fold(pattern) if folded else pattern).split("/") if text not in {"", "."}]
        whole = len(texts) <= MOST_PARTS
        self.parts = tuple(DEEP if text == "**" else _tokens(text, sets=sets) for text in texts[:MOST_PARTS])
        self.folded = folded
        self.below = below or not whole
        if not whole and not below:
            self.parts = (("/",),)  # no name has a slash in it: what is cut short must not cover more than was meant

    def matches(self, path: str) -> bool:
        """Whether an absolute path, without `.` and `..` in it, is covered."""
        names = [name for name in (fold(path) if self.folded else path).split("/") if name]
        end, reached = len(self.parts), self._past_deep({0})
        for name in names:
            if self.below and end in reached:
                return True
            reached = self._past_deep({after for at in reached for after in self._step(at, name)})
            if not reached:
                return False
        return end in reached

    def _step(self, at: int, name: str) -> tuple[int, ...]:
        if at == len(self.parts):
            return ()
        if self.parts[at] is DEEP:
            return (at,)
        return (at + 1,) if _part_matches(self.parts[at], name) else ()

    def _past_deep(self, reached: set[int]) -> set[int]:
        for at in sorted(reached):
            while at < len(self.parts) and self.parts[at] is DEEP:
                at += 1  # noqa: PLW2901
                reached.add(at)
        return reached


def fold(text: str) -> str:
    """The text as the most forgiving file system would compare it."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _tokens(text: str, *, sets: bool) -> Part:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        char, at = text[at], at + 1
        close = text.find("]", at + 1) if sets and char == "[" else -1
        if char == "*":
            tokens += [] if tokens and tokens[-1] is None else [None]
        elif char == "?":
            tokens.append("")
        elif close >= 0:
            tokens.append(_set(text[at:close]))
            at = close + 1
        elif char == "\\" and at < len(text):
            tokens.append(text[at])
            at += 1
        else:
            tokens.append(char)
    return tuple(tokens)


def _set(inside: str) -> Token:
    negated = inside[0] in "!^"
    chars, at = inside[negated:], 0
    ranges: list[tuple[str, str]] = []
    while at < len(chars):
        length = 3 if chars[at + 1 : at + 2] == "-" and at + 2 < len(chars) else 1
        ranges.append((chars[at], chars[at + length - 1]))
        at += length
    return negated, tuple(ranges)


def _part_matches(part: Part, name: str) -> bool:
    """Compare from left to right; where it fails, the last star takes one character more."""
    at = here = 0
    star, taken = -1, 0
    while here < len(name):
        if at < len(part) and part[at] is None:
            star, taken, at = at, here, at + 1
        elif at < len(part) and _is_one(part[at], name[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            taken += 1
            at, here = star + 1, taken
        else:
            return False
    return all(token is None for token in part[at:])


def _is_one(token: Token, char: str) -> bool:
    if isinstance(token, str):
        return token in {"", char}
    return token is not None and token[0] != any(low <= char <= high for low, high in token[1])
