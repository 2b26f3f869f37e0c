"""The text that goes into a place: what the edit leaves the same stays as the file has it.

Between `old_string` and `new_string` some lines, and some characters of a changed line, are the same. Where the
file writes them otherwise (another line ending, a typographic quote, blanks at the end), it keeps its own. All
else comes from `new_string`, with the line endings and the indentation that the file has there.
"""

from ferrule.core.errors import ToolError
from ferrule.tools.diff import steps
from ferrule.tools.indent import body_of, lead_of
from ferrule.tools.match import Page, Place, Reading


def fitted(page: Page, place: Place, reading: Reading) -> str:
    """What the text at a place becomes.

    Raises:
        ToolError: a new line is indented so little that it cannot be moved as far as the old ones.
    """
    if not place.ignoring and not page.endings.mixed:
        return _with_endings(reading.new, page.endings.dominant)
    found = page.text[place.start : place.end]
    there, ends = _parted(page.split(found), returns=page.endings.cr > 0)
    old, _ = _parted(page.split(reading.old))
    new, _ = _parted(page.split(reading.new))
    usual = max(ends[:-1], key=ends.count, default=page.endings.dominant) or "\n"
    out: list[str] = []
    for stays, i, j, k, m in steps(old, new):
        for number in range(k, m):
            twin = i + number - k if j - i == m - k else None
            if twin is None:
                line = _moved(place, new[number])
            elif stays:
                line = there[twin]
            else:
                line = _rewritten(place, there[twin], old[twin], new[number])
            out += line, (ends[twin] if twin is not None else "") or usual
    return "".join(out[:-1])


def _with_endings(text: str, ending: str) -> str:
    if not ending or (ending == "\n" and "\r\n" not in text):
        return text
    return text.replace("\r\n", "\n").replace("\n", ending)


def _parted(lines: list[str], *, returns: bool = False) -> tuple[list[str], list[str]]:
    """Lines and their endings; the last has none."""
    texts = [line.removesuffix("\r") for line in lines[:-1]]
    ends = ["\r" if returns else "\r\n" if line.endswith("\r") else "\n" for line in lines[:-1]]
    return [*texts, lines[-1]], [*ends, ""]


def _moved(place: Place, line: str) -> str:
    moved = place.shift.apply(line)
    if moved is None:
        raise ToolError(
            "old_string fits but for its indentation, and new_string is indented too little to be moved along "
            f"(at {line.strip()[:80]!r}). Nothing was changed. Copy the indentation as it is in the file."
        )
    return moved


def _rewritten(place: Place, there: str, old: str, new: str) -> str:
    """A changed line: characters that the edit leaves the same stay as they are in the file."""
    moved = _moved(place, new)
    lead, body = lead_of(moved), body_of(moved)
    blanks = _tail(old)
    if blanks and blanks == _tail(new):  # blanks that the file does not have were no part of the change
        body = body.rstrip(" \t") + _tail(there)
    theirs, copied = body_of(there).rstrip(" \t"), body_of(old).rstrip(" \t")
    if theirs == copied or len(theirs) != len(copied):
        return lead + body
    pieces = (theirs[i:j] if stays else body[k:m] for stays, i, j, k, m in steps(copied, body))
    return lead + "".join(pieces)


def _tail(line: str) -> str:
    return line[len(line.rstrip(" \t")) :]
