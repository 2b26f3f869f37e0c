"""A name in code becomes another, everywhere: what can be done exactly is not left to a small model."""

import re
import tokenize

from ferrule.small.code.parsed import tokens_of

_RENAME = re.compile(
    r"\brename\s+(?:the\s+)?(?:\w+\s+)?[`'\"]?(?P<old>[A-Za-z_]\w*)(?:\(\))?[`'\"]?\s+"
    r"(?:(?:of|in|from)\s+[\w./`'\"]+\s+)?(?:to|into|as)\s+[`'\"]?(?P<new>[A-Za-z_]\w*)(?![\w.]*\.\w)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"`([A-Za-z_]\w*)(?:\(\))?`|\b([A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b|\b([A-Za-z_]\w*)\(\)"
    r"|\b(?:function|method|class|variable|constant|parameter)\s+(?:called\s+|named\s+)?([A-Za-z_]\w*)\b"
    r"|(?<![\w./])([A-Za-z_]\w*)\s+(?:in\s+\S+\s+)?is\s+(?:not\s+)?(?:an?\s+|such\s+an?\s+|too\s+)?(?:very\s+|really\s+)?"
    r"(?:bad|terrible|poor|good|great|unclear|ugly|confusing|misleading|short|long|vague|cryptic|wrong|strange|silly)\b"
)
"""What is a name in code by its look: "get_tot is a terrible name, rename it to month_total"."""
_POINTING = {"it", "this", "that", "one", "function", "method", "class", "variable", "constant", "parameter", "name"}
"""What stands for a name that was said before."""
_FORMATTED = re.compile(r"[rR]?[fF][rR]?[\"']")
_BRACES = re.compile(r"\{[^{}]+\}")
"""What is computed inside a text; up to Python 3.11 a formatted text is one token."""

_CALLED = r"(^[ \t]*|[;&|({!]\s*|\b(?:then|else|do|if|function)\s+)"
"""Where a shell takes a word for a command."""
_SCRIPT = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<name>[A-Za-z_$][\w$]*)", re.DOTALL
)
"""What may be a name in JavaScript, and what only looks like one; what a text computes has names in it."""

_OLD, _NEW = (rf"(?P<{name}>\"[^\"\n]{{3,120}}\"|'[^'\n]{{3,120}}'(?!\w)|`[^`\n]{{3,120}}`)" for name in ("old", "new"))
_BETWEEN = r"(?:[^\"'`\n]|(?<=\w)'(?=\w))"
_REWORDED = (
    re.compile(
        rf"\b(?:say|says|show|print|read|return|raise|display|be|use)\s+{_NEW},?\s+(?:and\s+)?(?:not|instead\s+of|rather\s+than)\s+{_OLD}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:change|replace|reword|turn|switch)\s+(?:the\s+)?(?:\w+\s+){{0,4}}?{_OLD}\s+(?:[\w./]+\s+){{0,4}}?(?:to|by|with|into)\s+{_NEW}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\binstead\s+of\s+{_OLD},?\s+(?:\w+\s+){{0,5}}?(?:say|show|print|read|return|be|display|use)\s+{_NEW}",
        re.IGNORECASE,
    ),
    re.compile(rf"{_OLD}\s+(?:should|must)\s+(?:be|read|say|become)\s+{_NEW}", re.IGNORECASE),
    re.compile(
        rf"\b(?:says?|shows?|prints?|reads?|writes?|displays?|is)\s+(?:just\s+|only\s+|for\s+example\s+|like\s+)?{_OLD}{_BETWEEN}{{0,80}}?"
        rf"\b(?:should|must|make|let|have|want|please|change)\b{_BETWEEN}{{0,40}}?"
        rf"\b(?:be|read|say|show|print|write|display|to|have)\s+{_NEW}",
        re.IGNORECASE,
    ),
)
"""Two texts of which one takes the place of the other."""


def renaming(text: str) -> tuple[str, str] | None:
    """The name that a request wants to be another, and the other."""
    match = _RENAME.search(text)
    if match is None:
        return None
    old, new = match["old"], match["new"]
    if old.lower() in _POINTING:
        before = ["".join(found) for found in _NAMED.findall(text[: match.start()])]
        old = before[-1] if before else new
    return (old, new) if old != new else None


def renamed(text: str, old: str, new: str) -> str | None:
    """A Python file with a name changed wherever it stands as a name; nothing where the new one is taken already.

    Comments and texts stay as they are, but for what is computed in them.
    """
    tokens = tokens_of(text)
    if not tokens or any(token.type == tokenize.NAME and token.string == new for token in tokens):
        return None
    lines = text.splitlines(keepends=True)
    for token in reversed(tokens):
        if token.start[0] != token.end[0]:
            continue
        if token.type == tokenize.NAME and token.string == old:
            changed = new
        elif token.type == tokenize.STRING and _FORMATTED.match(token.string):
            changed = _BRACES.sub(lambda one: re.sub(rf"\b{old}\b", new, one[0]), token.string)
        else:
            continue
        row, column = token.start
        line = lines[row - 1]
        lines[row - 1] = line[:column] + changed + line[token.end[1] :]
    return "".join(lines)


def renamed_in_script(path: str, text: str, old: str, new: str) -> str | None:
    """The same for JavaScript and for shells, there only for functions."""
    if path.endswith((".sh", ".bash")):
        made = [re.search(rf"^[ \t]*(?:function\s+)?{name}\s*\(\)", text, re.MULTILINE) for name in (old, new)]
        called = rf"{_CALLED}{old}(?=\s*\(\)|[ \t;)]|$)"
        is_free = made[0] and not made[1]
        return re.sub(called, rf"\g<1>{new}", text, flags=re.MULTILINE) if is_free else None
    names = [one for one in _SCRIPT.finditer(text) if one["name"]]
    if any(one["name"] == new for one in names):
        return None
    for one in reversed(names):
        if one["name"] == old:
            text = text[: one.start()] + new + text[one.end() :]
    return text


def rewording(request: str) -> tuple[str, str] | None:
    """A text that is to be said in other words, and those words, where a request quotes both."""
    for pattern in _REWORDED:
        if found := pattern.search(request):
            old, new = found["old"][1:-1], found["new"][1:-1]
            return (old, new) if old != new else None
    return None
