"""Glob patterns as regular expressions over paths: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any depth."""

import re
from collections.abc import Iterator

_MOST_ALTERNATIVES = 1_000
_WILD = re.compile(r"[*?\[{\\]")
_SIMPLE_NAME = re.compile(r"(?:[\w.*?+@-]|\{[\w.*?+@,-]*\})+", re.ASCII)


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Make a regular expression that fits whole paths, with `/` between their parts.

    Raises:
        ValueError: the pattern is no glob, in words.
    """
    try:
        return re.compile("|".join(_translate(one) for one in dict.fromkeys(expand(pattern))), re.DOTALL)
    except re.error as error:
        raise ValueError(f"{pattern} is no glob pattern: {error.msg}.") from None


def is_wild(text: str) -> bool:
    """Whether the text means anything but itself."""
    return _WILD.search(text) is not None


def split_root(pattern: str) -> tuple[str, str]:
    """Divide a pattern into the directories that it names as they are, and the part that is left to match."""
    parts = pattern.split("/")
    plain = 0
    while plain < len(parts) - 1 and not is_wild(parts[plain]):
        plain += 1
    root = "/".join(parts[:plain])
    return (root or "/" if pattern.startswith("/") else root), "/".join(parts[plain:])


def name_part(pattern: str) -> str:
    """What the pattern asks of a file's name alone, in the simplest words of globs; `*` where it has no such part."""
    name = pattern.rpartition("/")[2]
    return name if "**" not in name and _SIMPLE_NAME.fullmatch(name) else "*"


def depth_of(pattern: str) -> int | None:
    """How many parts a path that fits can have, or nothing where it can have any number.

    Raises:
        ValueError: the pattern is no glob, in words.
    """
    written = [_parts(one) for one in expand(pattern)]
    return None if any("**" in parts for parts in written) else max(map(len, written))


def expand(pattern: str) -> list[str]:
    """Write out the alternatives: `a{b,c}` becomes `ab` and `ac`."""
    written = [""]
    position = 0
    for start, end in _groups(pattern):
        plain = pattern[position:start]
        options = [one for option in _options(pattern[start + 1 : end]) for one in expand(option)]
        written = [before + plain + option for before in written for option in options]
        if len(written) > _MOST_ALTERNATIVES:
            raise ValueError(f"{pattern} has more than {_MOST_ALTERNATIVES:,} alternatives.")
        position = end + 1
    return [before + pattern[position:] for before in written]


def _groups(pattern: str) -> Iterator[tuple[int, int]]:
    """Where each outermost group in braces begins and ends."""
    depth = start = 0
    for place, char in _unescaped(pattern):
        if char == "{":
            start = start if depth else place
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if not depth:
                yield start, place
    if depth:
        raise ValueError(f"{pattern} is no glob pattern: a {{ is not closed.")


def _options(inner: str) -> list[str]:
    depth, start, options = 0, 0, []
    for place, char in _unescaped(inner):
        depth += (char == "{") - (char == "}")
        if char == "," and not depth:
            options.append(inner[start:place])
            start = place + 1
    return [*options, inner[start:]]


def _unescaped(text: str) -> Iterator[tuple[int, str]]:
    """Each character that stands for more than itself: not after a backslash, not in a class."""
    position = 0
    while position < len(text):
        if text[position] == "\\":
            position += 2
        elif text[position] == "[":
            position = _class_end(text, position) + 1
        else:
            yield position, text[position]
            position += 1


def _translate(pattern: str) -> str:
    """Turn a pattern without braces into a regular expression."""
    regex, parts = "", _parts(pattern)
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part != "**":
            regex += _part(part) + ("" if last else "/")
        elif last:
            regex += ".+" if place else ".*"
        elif parts[place + 1] != "**":
            regex += "(?:.*/)?"
    return regex


def _parts(pattern: str) -> list[str]:
    """Split at slashes, but not at one in a class."""
    parts, start = [], 0
    for place, char in _unescaped(pattern):
        if char == "/":
            parts.append(pattern[start:place])
            start = place + 1
    return [*parts, pattern[start:]]


def _part(part: str) -> str:
    """One part between slashes.

    Between two stars stands a text of a fixed length, so the first place where it fits is as good as any other:
    an atomic group says so, and no pattern can make the search explode.
    """
    first, *others = _between_stars(part)
    if not others:
        return first
    middle = "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece)
    return f"{first}{middle}[^/]*{others[-1]}"


def _between_stars(part: str) -> list[str]:
    pieces, position = [""], 0
    while position < len(part):
        char = part[position]
        if char == "*":
            pieces.append("")
        elif char == "?":
            pieces[-1] += "[^/]"
        elif char == "[":
            end = _class_end(part, position)
            pieces[-1] += _class(part[position + 1 : end])
            position = end
        elif char == "\\" and position + 1 < len(part):
            position += 1
            pieces[-1] += re.escape(part[position])
        else:
            pieces[-1] += re.escape(char)
        position += 1
    return pieces


def _class_end(text: str, start: int) -> int:
    """Where a class ends; a `]` in its first place stands for itself."""
    first = start + 1 + text.startswith(("!", "^"), start + 1)
    end = text.find("]", first + 1)
    if end < 0:
        raise ValueError(f"{text} is no glob pattern: a [ is not closed.")
    return end


def _class(inner: str) -> str:
    negated = inner.startswith(("!", "^"))
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner[negated:])
    return f"(?!/)[{'^' if negated else ''}{members}]"
