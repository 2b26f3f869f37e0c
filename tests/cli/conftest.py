"""The command line, as a real process in a home of its own."""

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import forks
from tests.support import know_the_sandbox

FERRULE = str(Path(sys.executable).parent / "ferrule")


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str

    @property
    def messages(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.out.splitlines()]


class CommandLine:
    """Runs `ferrule` in a project directory, with scripts for a model.

    A call is a fork where that makes no difference (`tests/forks.py`); what is started is the program itself.
    """

    forks = True

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.home = root / "home"
        self.project.mkdir()
        self.home.mkdir()
        know_the_sandbox(self.home / ".local/state/ferrule")
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "FERRULE_OFFLINE": "1",
        }

    def script(self, *replies: Mapping[str, Any] | str) -> list[str]:
        """Write the replies that the model will give; the options that use them."""
        path = self.home / "replies.jsonl"
        lines = [{"text": reply} if isinstance(reply, str) else reply for reply in replies]
        path.write_bytes(b"\n".join(msgspec.json.encode(line) for line in lines))
        return ["-P", "replay", "-m", str(path)]

    def start(self, words: Iterable[str], **more: Any) -> "subprocess.Popen[bytes]":
        options: dict[str, Any] = {
            "cwd": self.project,
            "env": self.env,
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen([FERRULE, *words], **{**options, **more})

    def __call__(self, *words: str, stdin: bytes | None = None, **more: Any) -> Ended:
        env = more.get("env", self.env)
        if self.forks and more.keys() <= {"env"} and forks.can_fork(env):
            order = forks.Order(words=words, cwd=str(self.project), env=env)
            outcome = forks.run(order, stdin=stdin)
            return Ended(outcome.code, outcome.out.decode(), outcome.err.decode())
        if stdin is not None:
            more["stdin"] = subprocess.PIPE
        with self.start(words, **more) as process:
            out, err = process.communicate(stdin, timeout=50)
        return Ended(process.returncode, out.decode(), err.decode())


@pytest.fixture
def ferrule(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)
