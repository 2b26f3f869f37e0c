"""A function that is added: the others stay as they are, and it is known to other files as they are."""

import re
from collections import Counter
from collections.abc import Sequence

from ferrule.small.code.blocks import Block, blocks_of, lines_of
from ferrule.small.words.wish import Wish

_ADDS = re.compile(
    r"(?:please\s+|can you\s+|could you\s+)?(?:add|write|implement|create)\s+(?:me\s+)?(?:an?\s+|another\s+|the\s+)?"
    r"(?:(?:new|small|little|simple|helper)\s+)*(?:functions?|methods?)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:us(?:e|es|ed|ing) it|call(?:s|ed)? it|calls? (?:to )?(?:this|that)|instead|replac\w+|chang\w+|updat\w+"
    r"|mov\w+|renam\w+|refactor\w*|extract\w*|remov\w+|so that|make \w+ (?:use|call)|should (?:use|call)|fix\w*)\b",
    re.IGNORECASE,
)
"""What asks for more than a function."""
_BEGINS = re.compile(r"(?:export\s+)?(?:async\s+)?function\s+(\w+)\b.*\{[ \t]*$")
_ENDS = re.compile(r"\}[ \t]*$")
_NAMED = re.compile(r"^(?:async\s+)?function\s+(\w+)", re.MULTILINE)
_CLASS = re.compile(r"^class\b", re.MULTILINE)
_EXPORTS = re.compile(r"^module\.exports\s*=\s*\{([^{}]*)\};?[ \t]*$", re.MULTILINE)


def only_adds(wish: Wish) -> bool:
    """Whether a request is for a function more, and for nothing else."""
    return bool(_ADDS.match(wish.text)) and not _MORE.search(wish.text)


def others_kept(path: str, base: str, text: str, wish: Wish) -> str:
    """A file with a function more, the others as they were, where nothing else was asked for."""
    if not only_adds(wish):
        return text
    before, after = _functions(path, base), _functions(path, text)
    were, lines = base.split("\n"), text.split("\n")
    for name, one in sorted(after.items(), key=lambda item: -item[1].first):
        if name in before:
            was, now = were[before[name].first - 1 : before[name].last], lines[one.first - 1 : one.last]
            if " ".join(was).split() != " ".join(now).split():
                lines[one.first - 1 : one.last] = was
    return "\n".join(lines)


def with_exported(base: str, text: str) -> str:
    """A JavaScript file that exports its new functions, where it exported all that it had."""
    before, after = _EXPORTS.search(base), _EXPORTS.search(text)
    known = set(_NAMED.findall(base))
    given = {one.strip() for one in before[1].split(",") if one.strip()} if before else set()
    if not after or not known or not known <= given:
        return text
    names = [one.strip() for one in after[1].split(",") if one.strip()]
    new = [name for name in _NAMED.findall(text) if name not in known and name not in names]
    if not new:
        return text
    inside = after[1].rstrip().rstrip(",")
    blank = re.search(r"\n([ \t]*)\S[^\n]*$", inside)
    joint = f",\n{blank[1]}" if blank else ", "
    end = after[1][len(after[1].rstrip()) :]
    listed = joint.join([inside, *new]) + ("," if after[1].rstrip().endswith(",") else "") + end
    return text[: after.start(1)] + listed + text[after.end(1) :]


def _functions(path: str, text: str) -> dict[str, Block]:
    """The functions of a file by their names, without the empty lines behind them; none that are there twice."""
    lines = lines_of(text)
    blocks = blocks_of(path, text) if path.endswith(".py") else _of_script(lines)
    counts = Counter(one.name for one in blocks)
    found: dict[str, Block] = {}
    for one in blocks:
        body = "\n".join(lines[one.first - 1 : one.last]).rstrip()
        if one.name and counts[one.name] == 1 and not _CLASS.search(body):
            found[one.name] = Block(first=one.first, last=one.first + body.count("\n"), name=one.name)
    return found


def _of_script(lines: Sequence[str]) -> list[Block]:
    """The functions of JavaScript that begin and end at the margin, in several lines."""
    found: list[Block] = []
    begun: tuple[int, str] | None = None
    for at, line in enumerate(lines, 1):
        if begun and _ENDS.match(line):
            found.append(Block(first=begun[0], last=at, name=begun[1]))
            begun = None
        elif not begun and (head := _BEGINS.match(line)):
            begun = at, head[1]
    return found
