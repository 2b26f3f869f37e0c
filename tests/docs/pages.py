"""The pages of the documentation, and what stands in them to be run."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_REMARK = re.compile(r"(^|\s+)#\s.*$")


class Block(NamedTuple):
    """A fenced block, and the line that it begins on."""

    line: int
    kind: str
    text: str


class Command(NamedTuple):
    """A command of a console, and what it is said to print: "…" stands for anything."""

    line: int
    words: str
    prints: str

    @property
    def bare(self) -> str:
        """Without the remark behind it."""
        return _REMARK.sub("", self.words)


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [Block(text.count("\n", 0, found.start()) + 1, found[1], found[2]) for found in _FENCE.finditer(text)]


def commands(block: Block) -> list[Command]:
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            found.append(Command(number, line.removeprefix("$ "), ""))
        elif found and found[-1].words.endswith("\\"):
            found[-1] = found[-1]._replace(words=found[-1].words[:-1] + line.lstrip())
        else:
            assert found, f"line {number}: a console begins with a command"
            found[-1] = found[-1]._replace(prints=f"{found[-1].prints}{line}\n")
    return found


def all_commands() -> set[str]:
    consoles = (block for page in PAGES for block in blocks(page) if block.kind == "console")
    return {command.bare for block in consoles for command in commands(block)}


def pattern(prints: str) -> str:
    """What an output has to match; a line that is "…" stands for any lines, or none."""
    lines = [r"(?:.*\n)*?" if line == "…" else _in_line(line) + r"\n" for line in prints.splitlines()]
    return "".join(lines)


def _in_line(line: str) -> str:
    return ".*?".join(map(re.escape, line.split("…")))
