"""A model's reply taken apart: its prose, and the files, fragments and commands that it wrote in fenced blocks."""

import re

from ferrule.core.messages import Value

_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)$")
_NAME = r"(?:[\w.@+-]+/)*[\w.@+-]*[\w]\.[A-Za-z]\w{0,9}|(?:[\w.-]+/)*(?:Makefile|Dockerfile|Procfile|LICENSE|README)"
_LABEL = re.compile(
    rf"^[\s#*>\-`:\"'\[(]*(?:file(?:name)?|path|in|new file|updated?|create)?[\s:`*\"']*"
    rf"(?P<name>{_NAME})[\s`*:\"'\])]*(?:\([^)]*\))?:?\s*$",
    re.IGNORECASE,
)
_IN_INFO = re.compile(rf"(?:^|[\s:=\"'{{])(?P<name>{_NAME})[\"'}}]?\s*$")
_IN_COMMENT = re.compile(
    rf"^(?:#|//|--|;|/\*|<!--)\s*(?:file(?:name)?|path)?:?\s*(?P<name>{_NAME})\s*(?:\*/|-->)?\s*$", re.IGNORECASE
)
_BEGINS_A_BLOCK = re.compile(r"^```\w", re.MULTILINE)
_TELLING = 12
"""Characters by which the beginning of an answer is known again."""
_CIRCLE, _LATELY, _TIMES = 48, 1_200, 5
_SHELL = frozenset({"sh", "bash", "shell", "console", "zsh", "cmd", "terminal"})


class Written(Value, frozen=True, kw_only=True):
    """A fenced block."""

    text: str
    path: str = ""
    """The file that it is said to be, as far as that is said."""
    language: str = ""
    closed: bool = True

    @property
    def is_shell(self) -> bool:
        """Whether it is a command rather than a file."""
        return self.language in _SHELL and not self.path


class Reply(Value, frozen=True, kw_only=True):
    """What a model said, and what it wrote."""

    prose: str
    written: tuple[Written, ...] = ()


def read_reply(text: str) -> Reply:
    """Take a reply apart. A fence that is never closed goes to the end."""
    prose: list[str] = []
    written: list[Written] = []
    lines = text.replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if not opened:
            prose.append(lines[at])
            at += 1
            continue
        if _is_only_a_label(lines, at):  # a path in a fence of its own, and then the file
            prose.append(lines[at + 1])
            at += 2
            continue
        info = opened["info"].strip()
        label = _label(prose)
        is_markdown = bool(re.match(r"markdown|md\b", info)) or label.endswith(".md")
        end = _closing(lines, at + 1, opened["fence"], nests=is_markdown)
        body = lines[at + 1 : end]
        path = label or _named(_IN_INFO, info) or (_named(_IN_COMMENT, body[0]) if body else "")
        if body and re.fullmatch(_NAME, body[0].strip()) and path in {"", body[0].strip()}:
            path, body = path or body[0].strip(), body[1:]
        elif body and not label and _IN_COMMENT.match(body[0]):
            body = body[1:]
        language = "" if path and info == path else re.split(r"[\s:{]", info, maxsplit=1)[0].lower()
        if label:
            _drop_label(prose)
        written.append(
            Written(
                text="\n".join(body) + "\n", path=path.removeprefix("./"), language=language, closed=end < len(lines)
            )
        )
        at = end + 1
    return Reply(prose="\n".join(prose).strip(), written=tuple(written))


def prose_of(text: str) -> str:
    """The text of a file for people, as a model wrote it: all of its answer, or what it put between fences.

    Such a text has fenced blocks of its own, so that none of them ends it.
    """
    lines = text.replace("\r\n", "\n").strip().split("\n")
    fences = [at for at, line in enumerate(lines) if _FENCE.match(line)]
    outer = [at for at in fences if re.match(r"\s*(?:`{3,}|~{3,})\s*(?:markdown|md)\b", lines[at])]
    if fences and fences[0] == 0 and not outer:
        outer = fences[:1]
    if outer:
        behind = lines[outer[0] + 1 :]
        ends = [at for at, line in enumerate(behind) if re.match(r"\s*(?:`{3,}|~{3,})\s*$", line)]
        is_closed = len([line for line in behind if _FENCE.match(line)]) % 2 == 1
        lines = behind[: ends[-1]] if ends and is_closed else behind
    elif headings := [at for at, line in enumerate(lines) if line.startswith("# ")]:
        lines = lines[headings[0] :]
    return "\n".join(lines).strip() + "\n"


def joined(begun: str, text: str) -> str:
    """An answer with its beginning, which some servers give back and some do not, and some do not heed."""
    if not begun or text.startswith(begun[:_TELLING]) or _BEGINS_A_BLOCK.search(text):
        return text
    return begun + text


def has_whole_block(text: str) -> bool:
    """Whether a reply, as far as it came, holds a file that is finished."""
    return text.rstrip().endswith(("```", "~~~")) and any(
        one.closed and not one.is_shell and one.text.strip() for one in read_reply(text).written
    )


def goes_in_circles(text: str) -> bool:
    """Whether a reply says the same again and again."""
    end = text[-_CIRCLE:]
    return len(end) == _CIRCLE and text[-_LATELY:].count(end) >= _TIMES


def _is_only_a_label(lines: list[str], at: int) -> bool:
    following = lines[at + 1 : at + 3]
    return len(following) == 2 and bool(re.fullmatch(_NAME, following[0].strip())) and bool(_FENCE.match(following[1]))


def _closing(lines: list[str], start: int, fence: str, *, nests: bool) -> int:
    """Where a block ends; what is indented like code closes nothing, and Markdown may hold blocks of its own."""
    depth = 0
    for at in range(start, len(lines)):
        found = _FENCE.match(lines[at])
        if not found or not found["fence"].startswith(fence):
            continue
        if found["info"].strip():
            depth += nests
        elif depth:
            depth -= 1
        else:
            return at
    return len(lines)


def _label(prose: list[str]) -> str:
    """The file that the last line of prose names, if it names one and no more."""
    for line in reversed(prose[-3:]):
        if line.strip():
            return _named(_LABEL, line)
    return ""


def _drop_label(prose: list[str]) -> None:
    while prose and not prose[-1].strip():
        prose.pop()
    if prose:
        prose.pop()


def _named(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match["name"] if match else ""
