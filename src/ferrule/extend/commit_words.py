"""What a commit is called, and what is said about it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ferrule.host.files import shown

LONGEST_SUBJECT = 72
_LONGEST_BODY = 2_000
_MOST_NAMED = 3


def message_of(request: str, prefix: str, paths: Sequence[str]) -> str:
    """A commit's message: the request in a line, and the whole of it below where the line is not all."""
    text = "\n".join(_printable(line).rstrip() for line in request.strip().splitlines())
    line = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    subject = _cut(prefix + (line or _change_of(paths)), LONGEST_SUBJECT)
    if not line or prefix + text == subject:
        return f"{subject}\n"
    body = text if len(text) <= _LONGEST_BODY else text[: _LONGEST_BODY - 1] + "…"
    return f"{subject}\n\n{body}\n"


def said_of(commit: str, subject: str, count: int, left_out: Mapping[str, str]) -> str:
    """Say what was committed, and what was not."""
    files = "1 file" if count == 1 else f"{count} files"
    ended = subject if subject.endswith((".", "!", "?", "…")) else f"{subject}."
    head = f"Committed {files} as {commit[:8]}: {ended}" if commit else "Nothing was committed."
    if not left_out:
        return head
    named = [f"{shown(Path(path))} ({why})" for path, why in list(left_out.items())[:_MOST_NAMED]]
    more = f", and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
    return f"{head} Left out: {', '.join(named)}{more}."


def _change_of(paths: Sequence[str]) -> str:
    return f"Change {shown(Path(paths[0]))}" if len(paths) == 1 else f"Change {len(paths)} files"


def _cut(text: str, most: int) -> str:
    """The beginning of a line, cut between words where that leaves enough of it."""
    if len(text) <= most:
        return text
    short = text[: most - 1]
    words = short.rpartition(" ")[0]
    return (words if len(words) > most // 2 else short).rstrip() + "…"


def _printable(line: str) -> str:
    return "".join(char if char.isprintable() else " " for char in line)
