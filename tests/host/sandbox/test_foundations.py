"""A repository stays one, and no other directory becomes one that starts programs."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrule.host.sandbox.foundations import Foundations
from ferrule.host.sandbox.profile import Protected
from ferrule.host.sandbox.protect import Survey


def git(directory: Path, *arguments: str) -> str:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nowhere"}
    options = ("-c", "user.name=T", "-c", "user.email=t@x")
    command = ["git", *options, *arguments]
    return subprocess.run(
        command, cwd=directory, check=True, capture_output=True, text=True, env=environment
    ).stdout.strip()


class Bench:
    def __init__(self, base: Path) -> None:
        self.project, self.keep, self.mark = base / "project", base / "keep", base / "mark"
        self.keep.mkdir()
        for directory in (self.project, self.project / "vendor/lib"):
            directory.mkdir(parents=True)
            git(directory, "init", "-q")
            git(directory, "commit", "-q", "--allow-empty", "-m", "one")
        self.note()

    def note(self) -> None:
        standing = Survey(Protected(), home="/nowhere").look(str(self.project))
        self.foundations = Foundations([standing], keep_in=self.keep)

    def plant(self, directory: Path) -> None:
        """Make a directory look like a bare repository that starts a program."""
        for name in ("objects", "refs"):
            (directory / name).mkdir(exist_ok=True)
        (directory / "HEAD").write_text("ref: refs/heads/main\n")
        script = directory / "planted"
        script.write_text(f"#!/bin/sh\ntouch {self.mark}\n")
        script.chmod(0o755)
        text = f"[core]\nbare=false\nrepositoryformatversion=0\nworktree={directory}\nfsmonitor={script}\n"
        (directory / "config").write_text(text)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path.resolve())


def _remove_head(repository: Path) -> None:
    (repository / "HEAD").unlink()


def _spoil_head(repository: Path) -> None:
    (repository / "HEAD").write_text("nothing of that kind\n")


def _pipe_head(repository: Path) -> None:
    _remove_head(repository)
    os.mkfifo(repository / "HEAD")


def _move_objects(repository: Path) -> None:
    (repository / "objects").rename(repository / "objects2")


def _remove_refs(repository: Path) -> None:
    shutil.rmtree(repository / "refs")


def _replace_refs(repository: Path) -> None:
    _remove_refs(repository)
    (repository / "refs").write_text("")


WAYS = [_remove_head, _spoil_head, _pipe_head, _move_objects, _remove_refs, _replace_refs]


@pytest.mark.parametrize("where", [".", "vendor/lib"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_git_is_not_led_past_its_directory(bench: Bench, way: Callable[[Path], None], where: str) -> None:
    directory = bench.project / where
    way(directory / ".git")
    bench.plant(directory)
    notes = bench.foundations.put_right()

    assert git(directory, "rev-parse", "--git-dir") == ".git"
    git(directory, "status")
    assert not bench.mark.exists()
    assert len(notes) == 2
    assert notes[0].startswith("What git needs, and the command ")
    assert notes[1].startswith(f"{directory} had become a repository that starts programs. {directory}/HEAD is")
    assert bench.foundations.put_right() == ()


def test_the_attack_is_a_real_one(bench: Bench) -> None:
    _remove_head(bench.project / ".git")
    bench.plant(bench.project)
    git(bench.project, "status")
    assert bench.mark.exists()


def test_what_was_removed_is_back_as_it_was(bench: Bench) -> None:
    repository = bench.project / ".git"
    before = (repository / "HEAD").read_bytes(), git(bench.project, "rev-parse", "HEAD")
    _remove_head(repository)
    _move_objects(repository)
    bench.foundations.put_right()
    assert ((repository / "HEAD").read_bytes(), git(bench.project, "rev-parse", "HEAD")) == before


def test_another_branch_and_a_detached_head_stay(bench: Bench) -> None:
    for arguments in (("checkout", "-q", "-b", "other"), ("checkout", "-q", "--detach")):
        git(bench.project, *arguments)
        head = (bench.project / ".git/HEAD").read_bytes()
        assert bench.foundations.put_right() == ()
        assert (bench.project / ".git/HEAD").read_bytes() == head


def test_a_plain_bare_repository_may_be_made(tmp_path: Path) -> None:
    place = tmp_path.resolve() / "place"
    place.mkdir()
    foundations = Foundations([Survey(Protected(), home="/nowhere").look(str(place))], keep_in=tmp_path)
    git(place, "init", "-q", "--bare", ".")
    assert foundations.put_right() == ()
    assert git(place, "rev-parse", "--is-bare-repository") == "true"


@pytest.mark.parametrize("name", ["commondir", "hooks/pre-commit", "config.worktree"])
def test_whatever_steers_a_bare_one_undoes_it(tmp_path: Path, name: str) -> None:
    place = tmp_path.resolve() / "place"
    place.mkdir()
    foundations = Foundations([Survey(Protected(), home="/nowhere").look(str(place))], keep_in=tmp_path)
    git(place, "init", "-q", "--bare", ".")
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text("evil")
    (note,) = foundations.put_right()
    assert note.startswith(f"{place} had become a repository that starts programs.")
    assert not (place / "HEAD").exists()
    assert (place / name).read_text() == "evil"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_closed_directory_is_opened_again(bench: Bench) -> None:
    (bench.project / ".git").chmod(0)
    bench.foundations.put_right()
    assert git(bench.project, "rev-parse", "--git-dir") == ".git"
