"""Real repositories, and an agent's runs in them: what it did is recorded, and committed, as in a session."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ferrule.core.events import Notice
from ferrule.extend.autocommit import AutoCommit
from ferrule.session.checkpoints import Checkpoints
from ferrule.session.secrets import mask


class Work:
    """A project in a repository, the user who works in it, and the agent."""

    def __init__(self, base: Path, project: str = "", **more: Any) -> None:
        self.top = base / "repository"
        self.project = self.top / project
        self.records = base / "records"
        self.project.mkdir(parents=True, exist_ok=True)
        self._commit = AutoCommit(self.project, **{"prefix": "", "mask": mask, "may_sign": False, **more})

    def git(self, *words: str, cwd: Path | None = None, stdin: bytes = b"") -> str:
        """What git says to the user, where a program that is run would show."""
        done = subprocess.run(["git", *words], cwd=cwd or self.top, input=stdin, capture_output=True)
        assert done.returncode == 0, done.stderr
        return os.fsdecode(done.stdout)

    def begin(self, **files: str) -> None:
        """Make the repository, with files in its first commit."""
        self.git("init", "-q", "-b", "main", "--template=")
        for name, text in files.items():
            self.write(name.replace("_", "."), text)
        if files:
            self.git("add", "-A")
            self.git("commit", "-q", "-m", "first")

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    async def run(
        self, *changes: Callable[[], object], request: str = "Do it", between: Callable[[], object] = lambda: None
    ) -> Notice | None:
        """A run of the agent with one step after the other, and what somebody else does after each."""
        checkpoints = Checkpoints(self.project, self.records)
        steps = []
        for change in changes:
            before = await checkpoints.record()
            change()
            steps.append((before, await checkpoints.record()))
            between()
        edits = await checkpoints.edits(steps)
        await checkpoints.close()
        return await self._commit(request, edits)

    @property
    def subjects(self) -> list[str]:
        """The commits of the branch, the latest first."""
        return self.git("log", "--format=%s").splitlines()

    @property
    def status(self) -> list[str]:
        """What differs between the commit, the index and the files."""
        return [row for row in self.git("status", "--porcelain", "-z").split("\0") if row]

    def committed(self, commit: str = "HEAD") -> dict[str, str]:
        """What a commit changed, as git tells it: added, modified, deleted."""
        words = self.git("show", "--format=", "--name-status", "--no-renames", "-z", commit).split("\0")[:-1]
        return dict(zip(words[1::2], words[::2], strict=True))

    def at_head(self, name: str) -> str:
        return self.git("cat-file", "blob", f"HEAD:{name}")
