"""What a small model is told: little, and everything that it needs in one message."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from ferrule.small.code.blocks import Block, lines_of

ANSWER = """\
You are Ferrule, a programmer's assistant. You see parts of a project's files and a question about the project. \
Answer from what the files say, in one to three sentences. Name the file and the function or setting that the answer \
comes from, and give values exactly as they are there."""

PLACE = "This is done in the file `"
"""How an answer goes on that names no place."""

CHANGE = "You are Ferrule, a careful programmer who changes exactly what is asked for and nothing else."

REWRITE = """\
Here is {path}:
{shown}"""

PART = """\
Here is the part of {path} that matters:
{shown}"""

NOT_YET = "This code does not do yet what is wanted: {request}"

HOW = "Write the code again, with the lines changed that have to change. Keep everything else as it is."

ADD = "Write only the new function {signature}. What is there stays as it is."

FILL = "Write all of {path}, with everything filled in that is missing."

MUST = "All of this must be true:"

PASSING = "These tests must pass:"

THINK = "Say first what is wrong, and which line has to change to what. Then write the changed code."

BEGUN = "Here is {path} with the change:\n\n```{language}\n"

NEW = "Write the new file {path}. Import what you use from other files; do not copy them."

NEW_TEXT = "Write the new file {path}. Reply with its text alone, beginning with its heading."

WITH_OPTIONS = "Read its arguments and options with argparse."

NAME = "How should the new file be called? Reply with its name alone, such as main.py."

STUB = "The new file begins like this:"

ATTEMPT = "This was written first:"

BEGUN_NEW = "Here is {path}:\n\n```{language}\n"

TALK = """\
You are Ferrule, a coding agent that works in a person's project at the terminal. Reply in a sentence or two, and \
offer to look something up in the project or to change it."""

RUN = """\
You are Ferrule, a programmer's assistant at a shell. Reply with exactly one command in a fenced block:

```sh
ls -la
```"""

REPORT = """\
You are Ferrule, a programmer's assistant. A command was run for the user. Say in one to three sentences what its \
output means for what they asked."""

LANGUAGES: Mapping[str, str] = {
    "py": "python", "js": "javascript", "ts": "typescript", "rs": "rust", "rb": "ruby", "sh": "sh", "md": "markdown",
    "yml": "yaml", "h": "c", "hpp": "cpp", "cc": "cpp",
}  # fmt: skip


def shown_file(
    path: str,
    text: str,
    blocks: Sequence[Block] | None = None,
    *,
    with_gaps: bool = True,
    without_numbers: Container[int] | None = None,
) -> str:
    """A file, or some blocks of it, under its path; `with_gaps` marks what is left out between them.

    Lines have their numbers where `without_numbers` says which have none: what has no number cannot be named.
    """
    lines = lines_of(text)
    if without_numbers is not None:
        lines = [f"{'' if at in without_numbers else at:3} {one}".rstrip() for at, one in enumerate(lines, 1)]
    body = "\n".join(lines) if blocks is None else excerpt(lines, blocks, gap="..." if with_gaps else "")
    fence = "````" if "```" in body else "```"
    return f"{path}\n{fence}{language_of(path)}\n{body.rstrip()}\n{fence}"


def language_of(path: str) -> str:
    """What a fenced block with such a file is marked with."""
    suffix = path.rpartition("/")[2].rpartition(".")[2]
    return LANGUAGES.get(suffix, suffix)


def excerpt(lines: Sequence[str], blocks: Iterable[Block], *, gap: str) -> str:
    """The lines of some blocks, with a gap where others are left out.

    A method that stands behind what is not of its class has the line above it that begins the class.
    """
    parts: list[str] = []
    end, scope = 0, ""
    for block in sorted(blocks, key=lambda one: one.first):
        if block.first > end + 1:
            parts.append(gap)
        owner = block.name.rpartition(".")[0]
        if owner and end and owner != scope:
            head = re.compile(rf"[ \d]*class {re.escape(owner)}\b")
            parts += [line for line in lines[end : block.first - 1] if head.match(line)]
        parts += lines[block.first - 1 : block.last]
        end, scope = block.last, owner or block.name
    if end < len(lines):
        parts.append(gap)
    return "\n".join(parts).strip("\n")


def listing(paths: Sequence[str], most: int = 30) -> str:
    """The files of the project in one line."""
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return f"Files of the project: {', '.join(sorted(paths)[:most])}{more}"


def tokens(text: str) -> int:
    """About how many tokens a text takes."""
    return len(text) // 3 + 1
