"""A project, a home, and a model that says what a test wants."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.front.terminal.emulator import FERRULE, Terminal
from tests.support import know_the_sandbox


class Place:
    """Where `ferrule` is started."""

    def __init__(self, root: Path) -> None:
        self.project, self.home = root / "project", root / "home"
        self.project.mkdir()
        self.home.mkdir()
        know_the_sandbox(self.home / ".local/state/ferrule")
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "FERRULE_OFFLINE": "1",
            "LANG": "C.UTF-8",
        }

    def script(self, *replies: Mapping[str, Any] | str) -> list[str]:
        """Write the replies that the model will give; the options that use them."""
        path = self.home / "replies.jsonl"
        lines = [{"text": reply} if isinstance(reply, str) else reply for reply in replies]
        path.write_bytes(b"\n".join(msgspec.json.encode(line) for line in lines))
        return ["-P", "replay", "-m", str(path)]

    def start(
        self,
        options: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        shell: str = "",
        fresh: bool = False,
        **env: str,
    ) -> Terminal:
        """Start it at a terminal; `shell` is a command line around it, with "$@" in its place.

        It is a fork (`tests/forks.py`) unless it shall be `fresh` or there is a shell around it.
        """
        command = [FERRULE, *options]
        if shell:
            command = ["/bin/sh", "-c", shell, "sh", *command]
        return Terminal(command, cwd=self.project, env={**self.env, **env}, size=size, fresh=fresh)

    def log(self) -> str:
        """All that was kept of the sessions."""
        return "".join(path.read_text() for path in self.home.rglob("sessions/**/*.jsonl"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
