"""What a model wrote becomes the new content of a file: all of it, or the functions that it wrote anew.

A small model that is asked for a whole file may leave out what did not change, and one that is asked for a function
may send the file. Both are understood by what is in the text: definitions take the place of those of the same name,
new ones are added, what is not mentioned stays.
"""

import ast
import difflib
import json
import re
import textwrap
import tomllib

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.splice import WHOLE, Splicing, UnusableError, has_gaps, is_elided, names_of, others

_MOST_KEPT = 0.6


def merged(path: str, old: str | None, new: str, *, words_count: bool = False) -> str:
    """The new content of a file; `words_count` tells that comments and docstrings may be all that changes.

    Raises:
        UnusableError: the text is no such file, and no part of it either.
    """
    if old and old.strip() and not new.strip():
        raise UnusableError(WHOLE.format(what=f"content of {path}"))
    new = new if new.endswith("\n") else new + "\n"
    if path.endswith(".py"):
        text = _indented_alike(old or "", textwrap.dedent(new) if new[0].isspace() else new)
        result = _python(path, old, text, words_count=words_count)
    elif not old or not _leaves_out(old, new):
        result = new
    else:
        result = _spliced(path, old, new)
    _must_be_sound(path, result, is_settings=not old or _are_settings(path, old))
    return result


def _are_settings(path: str, text: str) -> bool:
    """Whether a file is what its name says; some that end in `.json` hold comments, which is up to their readers."""
    try:
        json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError, MemoryError):
        return False
    return True


def _must_be_sound(path: str, text: str, *, is_settings: bool) -> None:
    try:
        if path.endswith(".py"):
            ast.parse(text)
        elif path.endswith(".json") and is_settings:
            json.loads(text)
        elif path.endswith(".toml") and is_settings:
            tomllib.loads(text)
    except SyntaxError as error:
        line = f": `{error.text.strip()}`" if error.text else ""
        raise UnusableError(f"{path} would not be valid Python: line {error.lineno}, {error.msg}{line}.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnusableError(f"{path} would not be valid: {error}.") from None


def _indented_alike(old: str, new: str) -> str:
    """A Python text indented by tabs or blanks as the file is."""
    has_tabs, has_blanks = bool(re.search(r"^\t", old, re.MULTILINE)), bool(re.search(r"^ ", old, re.MULTILINE))
    if has_tabs and not has_blanks:
        return re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), new, flags=re.MULTILINE)
    if has_blanks and not has_tabs:
        return re.sub(r"^\t+", lambda found: "    " * len(found[0]), new, flags=re.MULTILINE)
    return new


def _leaves_out(old: str, new: str) -> bool:
    """Whether a text is only a part of what the file is to be."""
    lines = lines_of(new)
    if any(is_elided(line, old) for line in lines):
        return True
    before = [line.strip() for line in lines_of(old) if line.strip()]
    after = {line.strip() for line in lines}
    if len(lines) >= len(before):
        return False
    kept = sum(line in after for line in before)
    return kept < _MOST_KEPT * len(before) and len(lines) < _MOST_KEPT * len(before)


def _spliced(path: str, old: str, new: str) -> str:
    """Put the pieces of a text, between what it leaves out, in the places of the lines that they stand for.

    Raises:
        UnusableError: it cannot be told which lines those are.
    """
    pieces: list[list[str]] = [[]]
    for line in lines_of(new):
        if is_elided(line, old):
            pieces.append([])
        else:
            pieces[-1].append(line)
    lines = lines_of(old)
    trimmed = [piece for one in pieces if (piece := "\n".join(one).strip("\n").split("\n")) != [""]]
    for piece in trimmed:
        place = _place_of(piece, lines)
        if place is None:
            raise UnusableError(WHOLE.format(what=f"content of {path}"))
        lines[place[0] : place[1]] = piece
    if not trimmed:
        raise UnusableError(WHOLE.format(what=f"content of {path}"))
    return "\n".join(lines) + "\n"


def _place_of(piece: list[str], lines: list[str]) -> tuple[int, int] | None:
    """The lines that a piece stands for: those between its first and its last."""
    matcher = difflib.SequenceMatcher(
        None, [line.strip() for line in lines], [line.strip() for line in piece], autojunk=False
    )
    same = [block for block in matcher.get_matching_blocks() if block.size]
    if not same or sum(block.size for block in same) < len(piece) / 2:
        return None
    first, last = same[0], same[-1]
    start, end = first.a - first.b, last.a + last.size + (len(piece) - last.b - last.size)
    return (start, end) if start >= 0 and end <= len(lines) and end - start <= 2 * len(piece) else None


def _python(path: str, old: str | None, new: str, *, words_count: bool) -> str:
    try:
        tree = ast.parse(new)
    except SyntaxError:
        if old and _leaves_out(old, new):
            return _spliced(path, old, new)
        return new  # what is wrong with it is said below
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnusableError(f"{path} would not be valid Python: {error}.") from None
    if not old:
        return new
    try:
        before = ast.parse(old)
    except (SyntaxError, ValueError, RecursionError):
        return new if not _leaves_out(old, new) else _spliced(path, old, new)
    if names_of(before) <= names_of(tree) and not has_gaps(old, new, before, tree) and others(before) != others(tree):
        return new
    return Splicing(old, before, words_count=words_count).with_parts(new, tree)
