"""Whatever the user and the agent did to the same files, nothing of the user's is committed, staged or lost."""

import os
import random
from pathlib import Path

import pytest

from tests.extend.repositories import Work

FILES = 6
LENGTH = 30


@pytest.fixture(autouse=True)
def own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (tmp_path / "gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


class Hand:
    """Somebody who changes files at random, and whose lines can be told from all others."""

    def __init__(self, work: Work, who: str, dice: random.Random) -> None:
        self.work, self.who, self.dice, self.count = work, who, dice, 0

    def line(self) -> str:
        self.count += 1
        return f"{self.who} {self.count}\n"

    def change(self) -> None:
        for _ in range(self.dice.randint(1, 3)):
            self._change(self.work.project / f"f{self.dice.randrange(FILES)}.txt")

    def _change(self, path: Path) -> None:
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        match self.dice.randrange(8):
            case 0:
                path.unlink(missing_ok=True)
                return
            case 1 if path.exists():
                path.chmod(path.stat().st_mode ^ 0o111)
                return
            case 2 if lines:
                del lines[self.dice.randrange(len(lines))]
            case 3 | 4 if lines:
                lines[self.dice.randrange(len(lines))] = self.line()
            case _:
                lines.insert(self.dice.randint(0, len(lines)), self.line())
        path.write_text("".join(lines))


def changed_lines(diff: str) -> list[str]:
    """The lines that a diff adds and removes, without their order."""
    return sorted(line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"})


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(one, marks=pytest.mark.slow) for one in range(2, 150))])
async def test_the_users_work_stays_theirs(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    work = Work(tmp_path)
    work.begin(**{f"f{one}_txt": "".join(f"{one}.{at}\n" for at in range(LENGTH)) for one in range(FILES)})
    user, agent = Hand(work, "user", dice), Hand(work, "agent", dice)
    for _ in range(3):
        user.change()
        if dice.random() < 0.5:
            work.git("add", "-A")
            user.change()
        staged = changed_lines(work.git("diff", "--cached", "--no-renames"))
        between = user.change if dice.random() < 0.3 else lambda: None
        await work.run(agent.change, agent.change, between=between)

        shown = changed_lines(work.git("log", "-p", "--no-renames", "--format="))
        assert [line for line in shown if "user" in line] == []
        now = changed_lines(work.git("diff", "--cached", "--no-renames"))
        assert now == staged, "what was staged, and nothing else, is staged"
        assert not (work.top / ".git" / "index.lock").exists()
    work.git("fsck", "--strict")
