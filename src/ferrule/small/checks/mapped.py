"""Examples that a request gives without a call: "aaab" becomes "a3b1", "12.05 EUR" for 1205."""

import re

from ferrule.small.code.parsed import literal

_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\(([a-z_]\w*)\)")
_TEXT = r"\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'(?!\w)|`[^`\n]{1,60}`"
VALUE = rf"({_TEXT}|-?\d{{1,30}}(?:\.\d{{1,30}})?(?!\.*\w)|\[[^\]\n]{{0,60}}\]|True\b|False\b|None\b)"
_BEFORE = r"(?:^|[:;,(.]\s*|\b(?:so|e\.g\.|i\.e\.|example|instance|and|that|for|input|like|say|meaning)[:,]?\s+)"
"""Where an example begins; "a number below 3 gives …" is none for 3."""
_WHICH = (
    r"(?:the\s+(?!(?:default|timeout|limit|version|step|line|old|current|port|delay|flag|option|constant|factor|rate"
    r"|maximum|minimum)\s)\w+\s+)?"
)
"""What is given may be named: "the text"; "the default 3 becomes 5" is no example."""
_NOT_MEANT = r"(?!`?,?\s*(?:but|although|though|which)\s+(?:it|that|this|should|must|I|we|is)\b)"
_BEHIND = rf"{_NOT_MEANT}(?=`?\s*(?:[.,;:)!?]|$|\s(?:and|but|while)\b))"
_BEHIND_GIVEN = rf"{_NOT_MEANT}(?=`?\s*(?:[.,;:)!?]|$|\s(?:and|but|while|or)\b))"
BECOMES = (
    r"\s*(?:->|→|=>|(?:should\s+|must\s+|would\s+|is\s+to\s+)?(?:becomes?|turns?\s+into|gives?|returns?|yields?|stays?"
    r"|remains?)|is\s+(?:turned|converted)\s+(?:in)?to|comes\s+out\s+as|is\s+(?:shown|formatted|written)\s+as)\s+"
)
_FORWARD = re.compile(rf"{_BEFORE}{_WHICH}{VALUE}{BECOMES}{VALUE}{_BEHIND}", re.MULTILINE)
_BACKWARD = re.compile(
    rf"(?:{_BEFORE}|\b(?:returns?|gives?|be|is)\s+){VALUE}\s+for\s+{_WHICH}{VALUE}{_BEHIND_GIVEN}", re.MULTILINE
)
_GIVEN = re.compile(
    rf"\b(?:for|given|from)\s+{_WHICH}{VALUE},?\s+(?:(?:it|that|this|the\s+(?:function|result|answer))\s+)?"
    rf"(?:should\s+|must\s+|would\s+)?(?:be|is|gives?|returns?|yields?)\s+{VALUE}{_BEHIND}"
)
_AS_IT_IS = re.compile(
    r"\b(?:currently|wrongly|at the moment|so far|still|(?:now|it already)\s+(?:gives?|returns?|becomes?|yields?))\b"
    r"|(?:^|[.!?]\s+|\bplease\s+)(?:rename|refactor|bump|migrate)\b"
    r"|\b(?:chang|increas|decreas|rais|lower|set|updat|adjust|reword)\w*\s[^.\n]{0,60}?\bthe\s+(?:\w+\s+)?"
    r"(?:default|timeout|limit|retries|interval|port|threshold|constant|setting|option|flag|version|delay|column|key|field"
    r"|variable|parameter|type|placeholder|caption|heading|label|message|wording)s?\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What tells how it is and not how it should be, or of something else than a function that is given a value."""
NO_NUMBER = re.compile(r"text|str|word|name|title|sentence|label|message|host|path|url|mail|file|query|^s$")


def mapped(text: str) -> list[tuple[str, str]]:
    """The calls that a request tells by what is given and what comes of it, with what they should come to.

    It must be plain which function is meant: the only one that is named with the one thing that it takes.
    """
    functions = {match[1]: match[2] for match in _FUNCTION.finditer(text)}
    if len(functions) != 1 or _AS_IT_IS.search(text):
        return []
    ((name, parameter),) = functions.items()
    pairs = [
        *_FORWARD.findall(text),
        *_GIVEN.findall(text),
        *((given, value) for value, given in _BACKWARD.findall(text)),
    ]
    found: dict[str, set[str]] = {}
    for given, value in pairs:
        if not (NO_NUMBER.search(parameter) and re.match(r"-?\d", given)):
            found.setdefault(python_of(given), set()).add(python_of(value))
    told = [(given, values.pop()) for given, values in found.items() if len(values) == 1]
    return [(f"{name}({given})", value) for given, value in told if given and value]


def python_of(value: str) -> str:
    """A value as Python; empty where it is none, or where nobody can tell whether a backslash stands for itself."""
    value = value.strip("`")
    try:
        return "" if "\\" in value else repr(literal(value))
    except ValueError:
        return ""
