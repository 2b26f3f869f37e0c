"""Examples that a request gives without a call: "aaab" becomes "a3b1", "12.05 EUR" for 1205."""

import ast
import re

_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\(([a-z_]\w*)\)")
_TEXT = r"\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'(?!\w)|`[^`\n]{1,60}`"
_VALUE = rf"({_TEXT}|-?\d+(?:\.\d+)?(?![\w.]*\w)|\[[^\]\n]{{0,60}}\]|True\b|False\b|None\b)"
_BEFORE = r"(?:^|[:;,(.]\s*|\b(?:so|e\.g\.|i\.e\.|example|instance|and|that|for|input|like|say|meaning)[:,]?\s+)"
"""Where an example begins; "a number below 3 gives …" is none for 3."""
_BEHIND = r"(?=`?\s*(?:[.,;:)!?]|$|\s(?:and|but|while|or)\b))"
_BECOMES = (
    r"\s*(?:->|→|=>|(?:should\s+|must\s+|would\s+|is\s+to\s+)?(?:becomes?|turns?\s+into|gives?|returns?|yields?|stays?"
    r"|remains?)|is\s+(?:turned|converted)\s+(?:in)?to|comes\s+out\s+as|is\s+(?:shown|formatted|written)\s+as)\s+"
)
_FORWARD = re.compile(rf"{_BEFORE}(?:the\s+\w+\s+)?{_VALUE}{_BECOMES}{_VALUE}{_BEHIND}", re.MULTILINE)
_BACKWARD = re.compile(
    rf"(?:{_BEFORE}|\b(?:returns?|gives?|be|is)\s+){_VALUE}\s+for\s+(?:the\s+\w+\s+)?{_VALUE}{_BEHIND}", re.MULTILINE
)
_GIVEN = re.compile(
    rf"\b(?:for|given|from)\s+(?:the\s+\w+\s+)?{_VALUE},?\s+(?:(?:it|that|this|the\s+(?:function|result|answer))\s+)?"
    rf"(?:should\s+|must\s+|would\s+)?(?:be|is|gives?|returns?|yields?)\s+{_VALUE}{_BEHIND}"
)
_AT_MOST = r"at most|no more than|not more than|no longer than|not longer than|never longer than"
_IS_TEXT = re.compile(r"text|str|word|name|title|line|sentence|label|message|^s$")
_CUTS = re.compile(r"\b(?:longer|too long|cuts?|truncat\w*|shorten\w*)\b", re.IGNORECASE)
_FILLS = re.compile(r"\b(?:shorter|too short|fill\w*|pad\w*)\b", re.IGNORECASE)
_SAMPLE, _SHORT, _WIDTH = "abcde fghij klmno", 4, 9


def mapped(text: str) -> list[tuple[str, str]]:
    """The calls that a request tells by what is given and what comes of it, with what they should come to.

    It must be plain which function is meant: the only one that is named with the one thing that it takes.
    """
    functions = {match[1] for match in _FUNCTION.finditer(text)}
    if len(functions) != 1:
        return []
    (name,) = functions
    pairs = [
        *_FORWARD.findall(text),
        *_GIVEN.findall(text),
        *((given, value) for value, given in _BACKWARD.findall(text)),
    ]
    found = [(_python(given), _python(value)) for given, value in pairs]
    return [(f"{name}({given})", value) for given, value in dict.fromkeys(found) if given and value]


def lengths(text: str) -> list[tuple[str, str]]:
    """The calls that tell whether a text comes out as long as a request says: "exactly width characters long"."""
    found = re.search(r"\b([A-Za-z_]\w*)\(([a-z_]\w*), ?([a-z_]\w*)\)", text)
    said = (
        re.search(rf"\b(exactly|{_AT_MOST}) {found[3]}\b(?! (?:items|words|lines|elements))", text) if found else None
    )
    if not found or not said or not _IS_TEXT.search(found[2]):
        return []
    given = _SAMPLE[:_SHORT] if _FILLS.search(text) and not _CUTS.search(text) else _SAMPLE
    call = f"len({found[1]}({given!r}, {_WIDTH}))"
    return [(call, str(_WIDTH))] if said[1] == "exactly" else [(f"{call} <= {_WIDTH}", "True")]


def _python(value: str) -> str:
    """A value as Python; empty where it is none."""
    value = value.strip("`")
    try:
        return repr(ast.literal_eval(value))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return ""
