"""How the new content of a file gets to its place: what is there already is edited, so that the rest of it stays."""

from typing import Any

from ferrule.small.code.blocks import lines_of


def call_for(path: str, old: str | None, new: str) -> tuple[str, dict[str, Any]]:
    """The call that makes one content of another.

    An edit keeps line ends, encoding and the missing end of a last line, and fails where the file is not what was
    read; only a file that is not there, or empty, is written.
    """
    if not old:
        return "write", {"file_path": path, "content": new}
    before, after = lines_of(old), lines_of(new)
    first, last = _differing(before, after)
    ends = len(before), len(after)
    while not _is_enough(before[first : ends[0] - last], after[first : ends[1] - last], old):
        if first == last == 0:
            break
        first, last = max(first - 1, 0), max(last - 1, 0)
    was, becomes = before[first : ends[0] - last], after[first : ends[1] - last]
    return "edit", {"file_path": path, "old_string": "\n".join(was), "new_string": "\n".join(becomes)}


def _differing(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning, and how many behind them at the end."""
    shorter = min(len(before), len(after))
    first = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = shorter - first
    last = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    return first, last


def _is_enough(was: list[str], becomes: list[str], text: str) -> bool:
    """Whether lines are found in one place alone, and something is left of them."""
    piece = "\n".join(was)
    return bool(piece.strip()) and bool(becomes) and text.find(piece) == text.rfind(piece)
