"""How many files were edited, as git's own index tells: it agrees with git, and runs nothing."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from ferrule.context.index import edited_files
from ferrule.context.project import Project, project_of


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        root.mkdir(parents=True, exist_ok=True)

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        done = subprocess.run(
            ["git", *who, *words], cwd=self.root, env=self.environ, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    @property
    def edited(self) -> int | None:
        return edited_files(self.root, self.root / ".git")

    @property
    def told_by_git(self) -> int:
        return len(self.git("diff", "--name-only", "-z").split("\0")) - 1


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    one = Repository(tmp_path / "r")
    one.git("init", "-q", "-b", "main")
    for number in range(40):
        one.write(f"{'x' * number}/f{number}.txt" if number else "f.txt", f"{number}\n")
    (one.root / "link").symlink_to("f.txt")
    one.git("add", "-A")
    one.git("commit", "-q", "-m", "first")
    return one


def test_git_itself_agrees(repository: Repository) -> None:
    assert (repository.edited, repository.told_by_git) == (0, 0)
    repository.write("f.txt", "ten more bytes\n")
    repository.write("x/f1.txt", "2\n")
    (repository.root / "xx/f2.txt").unlink()
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("x/f1.txt")
    repository.write("untracked.txt", "u\n")
    assert (repository.edited, repository.told_by_git) == (4, 4)
    assert project_of(repository.root / "x").edited == 4
    repository.git("add", "-A")
    assert (repository.edited, repository.told_by_git) == (0, 0)


def test_a_file_that_was_only_touched_is_none(repository: Repository) -> None:
    later = time.time() + 100
    os.utime(repository.root / "f.txt", (later, later))
    os.utime(repository.root / "link", (later, later), follow_symlinks=False)
    assert repository.edited == 0


def test_line_ends_that_git_made_are_no_edit(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    (repository.root / "f.txt").unlink()
    repository.git("checkout", "-q", "f.txt")
    assert (repository.root / "f.txt").read_bytes() == b"0\r\n"
    later = time.time() + 100
    os.utime(repository.root / "f.txt", (later, later))
    assert repository.edited == 0


def test_what_git_does_not_look_at_is_not_looked_at(repository: Repository) -> None:
    for flag, name in (("--assume-unchanged", "f.txt"), ("--skip-worktree", "x/f1.txt")):
        repository.git("update-index", flag, name)
        repository.write(name, "something else\n")
    repository.write("new.txt", "n\n")
    repository.git("add", "-N", "new.txt")
    assert repository.edited == 0


@pytest.mark.parametrize(
    "words", [("update-index", "--index-version", "4"), ("update-index", "--split-index")], ids=["v4", "split"]
)
def test_an_index_of_another_kind_says_nothing(words: tuple[str, ...], repository: Repository) -> None:
    repository.git(*words)
    repository.write("f.txt", "other\n")
    assert repository.edited in {None, 0}
    assert project_of(repository.root) == Project(root=str(repository.root), git="branch main")


def test_an_index_with_longer_ids_says_nothing(tmp_path: Path) -> None:
    one = Repository(tmp_path / "r")
    one.git("init", "-q", "-b", "main", "--object-format=sha256")
    one.write("f.txt", "f\n")
    one.git("add", "-A")
    assert one.edited is None


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"x" * 100, b"\0" * 300_000])
def test_rubbish_says_nothing(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(data)
    assert edited_files(tmp_path, tmp_path) is None


def test_an_index_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    assert edited_files(tmp_path, tmp_path / "nowhere") is None
    os.mkfifo(tmp_path / "index")
    assert edited_files(tmp_path, tmp_path) is None
