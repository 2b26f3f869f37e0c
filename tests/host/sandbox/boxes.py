"""A project in a home directory, with a sandbox around its commands."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ferrule.host.patience import Patience
from ferrule.host.process import Processes
from ferrule.host.running import Process
from ferrule.host.sandbox.bubblewrap import Bubblewrap
from ferrule.host.sandbox.profile import Leave, Profile

BWRAP = Path("/usr/bin/bwrap")
PATH = "/usr/local/bin:/usr/bin:/bin"
QUICK = Patience(tick=0.05, input=0.2, prompt=0.6, listening=0.3, idle=60, first=0.2)
needs_bubblewrap = pytest.mark.skipif(not BWRAP.exists(), reason="there is no bubblewrap here")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can do that")


class Box:
    """The directories, and what runs in them."""

    def __init__(
        self,
        base: Path,
        *,
        root: str = "home/project",
        own: str = "own",
        masked: tuple[str, ...] = (),
        **options: Any,
    ) -> None:
        self.home, self.root = base / "home", base / root
        for path in (self.home, self.root):
            path.mkdir(parents=True, exist_ok=True)
        self.own = base / own
        for name in ("private", "scratch", "state"):
            (self.own / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (self.home / ".gitconfig").exists():
            (self.home / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.org\n")
        self.profile = Profile(
            root=self.root,
            writable=(self.root,),
            private=self.own / "private",
            scratch=self.own / "scratch",
            state=self.own / "state",
            masked=(base / "own", *(self.home / name for name in masked)),
        )
        self.leave: Callable[[str], Leave] = lambda _: Leave()
        self.environment = {"PATH": PATH, "HOME": str(self.home), "TERM": "dumb"}
        self.sandbox = Bubblewrap(BWRAP, self.profile, home=self.home, path=PATH, **{"loopback": True, **options})
        self.processes = Processes(
            self.root,
            self.own / "private",
            environment=self.environment,
            patience=QUICK,
            sandbox=self.sandbox,
            leave=lambda command: self.leave(command),  # noqa: PLW0108 - it is set later
        )

    async def start(self, command: str) -> Process:
        """Start a command, without waiting for anything."""
        return await self.processes.start(command, outputs=self.own)

    async def run(self, command: str) -> tuple[int, str]:
        """Run a command to its last process, and stand where it ended."""
        process = await self.start(command)
        await self.processes.attend(process, seconds=30)
        await process.gone
        self.processes.follow(process)
        return process.ended.result(), process.output.take()

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """Run git outside, as the user would."""
        environment = {"PATH": PATH, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(
            command, cwd=cwd or self.root, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout


@asynccontextmanager
async def box(base: Path, **options: Any) -> AsyncIterator[Box]:
    """A box that is closed at the end."""
    one = Box(base.resolve(), **options)
    try:
        yield one
    finally:
        await one.processes.close()


def has(*programs: str) -> bool:
    """Whether there are such programs outside of anybody's home."""
    return all(shutil.which(program, path=PATH) for program in programs)
