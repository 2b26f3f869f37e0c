"""Texts that code puts together, said otherwise: a request shows a value of them where the code computes it."""

import re

_FORMATTED = re.compile(r"(?P<mark>\b[fF]\"|\b[fF]'|`)(?P<text>[^\"'`\n]*)(?P<end>[\"'`])")
_PLACE = re.compile(r"\$?\{[^{}\n]+\}")
_OPEN_END = re.compile(r"\s*(?:\.\.\.|…)$")
_LEAST, _LONGEST, _MOST = 4, 200, 5
"""Characters that tell a text, those that are looked at, and values in it: of more, nobody can tell which is which."""


def said_otherwise(code: str, old: str, new: str) -> list[str]:
    """Code with a text that it computes in other words, once for each place where that may be meant.

    The old words may end in "...", or show the value of one case: `"table 2 is full"` for `f"table {number} is full"`.
    """
    if len(old) > _LONGEST:
        return []
    if _OPEN_END.search(old) and _OPEN_END.search(new):
        return _with_beginning(code, _OPEN_END.sub("", old), _OPEN_END.sub("", new))
    found: list[str] = []
    for match in _FORMATTED.finditer(code):
        words = _in_place(match["text"], old, new)
        if words is not None:
            found.append(code[: match.start("text")] + words + code[match.end("text") :])
    return found


def longest_words(text: str) -> str:
    """The longest part of a text that can hardly be computed: letters and blanks."""
    return max(re.findall(r"[A-Za-z][A-Za-z ]*[A-Za-z]|[A-Za-z]", text), key=len, default="")


def _with_beginning(code: str, old: str, new: str) -> list[str]:
    """Code with other words at the beginning of a text."""
    places = list(re.finditer(rf"(?<=[\"'`]){re.escape(old)}(?!\w)", code)) if len(old) >= _LEAST else []
    return [code[: one.start()] + new + code[one.end() :] for one in places]


def _in_place(text: str, old: str, new: str) -> str | None:
    """A text with other words around what it computes; nothing where it is not the old one, or that is not plain."""
    places = _PLACE.findall(text)
    parts = _PLACE.split(text)
    if not 0 < len(places) <= _MOST or len("".join(parts).strip()) < _LEAST:
        return None
    found = re.fullmatch("(.{1,40}?)".join(map(re.escape, parts)), old)
    if found is None:
        return None
    for value, place in zip(found.groups(), places, strict=True):
        spots = list(re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", new))
        if len(spots) != 1:
            return None
        new = new[: spots[0].start()] + place + new[spots[0].end() :]
    return new
