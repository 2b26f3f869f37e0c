"""Commands of the user's own: Markdown files that become requests.

They lie in `~/.config/ferrule/commands` and, where the project is trusted, in its `.ferrule/commands`. `$ARGUMENTS`
stands for all words behind the name, `$1`, `$2` … for one of them. A file may begin with a few lines between `---`,
of which `description:` and `argument-hint:` are understood.
"""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ferrule.commands.desk import Command, Desk, Reply
from ferrule.config.files import read
from ferrule.config.paths import config_home
from ferrule.config.trust import is_trusted
from ferrule.core.errors import ConfigError, UsageError
from ferrule.core.regex import lazy

FOLDER = "commands"
MOST = 200
"""Files of one directory that are looked at."""
_NAME = lazy(r"[A-Za-z][\w-]{0,39}\Z")
_HEAD = lazy(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PLACE = lazy(r"\$(ARGUMENTS\b|[1-9](?!\d))")


def own_commands(desk: Desk, beginning: str = "") -> list[Command]:
    """The user's own, and those of the project where it is trusted; where both have a name, the user's holds.

    With a beginning, only those are read whose names begin so.
    """
    project = desk.session.directory / ".ferrule" / FOLDER
    found = {one.name: one for one in _in(config_home() / FOLDER, None, beginning)}
    there = os.path.isdir(project)  # noqa: PTH112 - Path's may raise
    if there and (desk.options.trust or is_trusted(desk.session.directory)):
        for one in _in(project, desk.session.directory, beginning):
            found.setdefault(one.name, one)
    return sorted(found.values(), key=lambda one: one.name)


def _in(folder: Path, within: Path | None, beginning: str) -> Iterator[Command]:
    try:
        names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".md"))[:MOST]
    except OSError:
        return
    for name in names:
        stem = name.removesuffix(".md").lower()
        if stem.startswith(beginning) and _NAME.match(stem):
            with suppress(ConfigError):  # it is a pipe, a link out of the project, or may not be read
                text = (read(folder / name, within=within) or b"").decode("utf-8", "replace")
                yield _command(stem, text)


def _command(name: str, text: str) -> Command:
    facts, body = _parted(text)

    async def run(_desk: Desk, given: str) -> Reply:
        prompt = filled(body, given).strip()
        if not prompt:
            raise UsageError(f"The file of /{name} says nothing.")
        return Reply(prompt=prompt)

    usage = facts.get("argument-hint", "[WORDS]" if _PLACE.search(body) else "")
    return Command(name=name, usage=usage, help=facts.get("description") or _beginning(body), run=run)


def filled(body: str, given: str) -> str:
    """The text of a command with the words put in; where it has no place for them, they follow it."""
    if not _PLACE.search(body):
        return f"{body.rstrip()}\n\n{given.strip()}".rstrip()
    each = _split(given)

    def word(found: re.Match[str]) -> str:
        if found[1] == "ARGUMENTS":
            return given.strip()
        place = int(found[1])
        return each[place - 1] if place <= len(each) else ""

    return _PLACE.sub(word, body)


def _split(given: str) -> list[str]:
    try:
        return shlex.split(given)
    except ValueError:  # a quotation mark stands alone, as in "don't"
        return given.split()


def _parted(text: str) -> tuple[dict[str, str], str]:
    """The lines at the top that say something about the command, and the rest."""
    found = _HEAD.match(text)
    if not found:
        return {}, text
    pairs = (line.partition(":") for line in found[1].splitlines() if ":" in line)
    facts = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}
    return facts, text[found.end() :]


def _beginning(body: str) -> str:
    first = next((line.strip(" #") for line in body.splitlines() if line.strip(" #")), "a command of your own")
    return first if len(first) <= 60 else first[:59] + "…"
