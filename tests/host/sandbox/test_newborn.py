"""A new repository may say what it is, and start nothing."""

import os
import subprocess
from pathlib import Path

import pytest

from ferrule.host.sandbox.newborn import Newborn, Nursery, attempt, harmless
from ferrule.host.sandbox.protect import Standing

GOOD = """\
[core]
\trepositoryformatversion = 0
\tbare = false

[user]
\tname = Me
[remote "origin"]
\turl = https://example.org/x
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
"""


@pytest.mark.parametrize(
    "line",
    [
        "\tfsmonitor = evil",
        "\tFSMonitor=evil",
        "\thooksPath = x",
        "\tpager = evil",
        '[alias]\n\tst = "!evil"',
        "[include]\n\tpath = ../evil",
        '[includeIf "gitdir:/"]\n\tpath = ../evil',
        '[filter "x"]\n\tclean = evil',
        '[diff "x"]\n\ttextconv = evil',
        "[core] fsmonitor = evil",
        "[core]fsmonitor=evil",
        "\tbare = false \\\n\tfsmonitor = evil",
        '[remote "x"]\n\tuploadpack = evil',
        '[remote "x"]\n\tvcs = evil',
        "[credential]\n\thelper = !evil",
        '[url "ext::evil"]\n\tinsteadOf = https://',
        "[core.x]\n\tsshCommand = evil",
        "[core] fsmonitor = evil #]",
        '[core "]"] fsmonitor = evil #]',
        "[core]\n\tname = x\f[user]\n\tfsmonitor = evil",
        "\tworktree = evil",
        "[]\n\tfsmonitor = evil",
    ],
)
def test_only_harmless_lines_are_left(line: str) -> None:
    kept = "".join(harmless(f"{GOOD}[core]\n{line}\n"))

    assert kept.startswith(GOOD)
    assert "evil" not in kept.replace('[url "ext::evil"]', "")


def test_a_plain_configuration_stays_as_it_is() -> None:
    assert "".join(harmless(GOOD)) == GOOD
    assert "".join(harmless("")) == ""


@pytest.mark.parametrize("kind", ["link", "file", "fifo"])
def test_what_is_no_directory_is_taken_away(kind: str, tmp_path: Path) -> None:
    place, keep = tmp_path / "place", tmp_path / "keep"
    place.mkdir()
    keep.mkdir()
    newborn = Newborn(str(place), keep_in=keep)
    assert newborn.put_right() == ()
    match kind:
        case "link":
            (place / ".git").symlink_to(keep)
        case "file":
            (place / ".git").write_text("gitdir: x")
        case _:
            os.mkfifo(place / ".git")

    (note,) = newborn.put_right()
    (kept,) = keep.iterdir()
    assert note == f"{place}/.git is protected: what the command made there is now {kept}."
    assert list(place.iterdir()) == []


def test_parts_that_are_no_files(tmp_path: Path) -> None:
    place, keep = tmp_path / "place", tmp_path / "keep"
    (place / ".git").mkdir(parents=True)
    keep.mkdir()
    (place / ".git/hooks").symlink_to("/usr/bin")
    os.mkfifo(place / ".git/config")
    notes = Newborn(str(place), keep_in=keep).put_right()

    assert [note.split(" ")[0] for note in notes] == [f"{place}/.git/hooks", f"{place}/.git/config"]
    assert [path.name for path in (place / ".git").iterdir()] == ["config"]
    assert (place / ".git/config").read_text() == ""


def test_what_lies_behind_a_long_configuration_counts(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    line = "\tname = xxx\n"
    (tmp_path / ".git/config").write_text(
        "[user] \n" + line * (1_000_000 // len(line)) + "[core]\n\tfsmonitor = evil\n"
    )
    assert len(Newborn(str(tmp_path), keep_in=tmp_path).put_right()) == 1
    assert (tmp_path / ".git/config").read_text() == ""


def test_a_closed_directory_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / ".git/hooks/pre-commit").write_text("evil")
    (tmp_path / ".git").chmod(0o500)
    assert len(Newborn(str(tmp_path), keep_in=tmp_path).put_right()) == 1
    assert list((tmp_path / ".git").iterdir()) == []


def test_what_cannot_be_put_right_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert attempt(Newborn(f"{tmp_path}/none", keep_in=tmp_path).put_right_bare) == ()
    (note,) = attempt(Newborn(f"{tmp_path}/file", keep_in=tmp_path).put_right_bare)
    assert note == f"What the command made could not be looked through: {tmp_path}/file: Not a directory."


WORKTREE = "cd .. && rmdir sub && git worktree add -q sub"


@pytest.mark.parametrize(
    ("made", "is_kept"),
    [
        ("git init -q --separate-git-dir ../elsewhere .", True),
        ("git init -q --separate-git-dir ../.git/modules/sub .", True),
        ("git init -q --separate-git-dir ../elsewhere . && git config core.worktree ../sub", True),
        ("git init -q --separate-git-dir ../elsewhere . && git config core.worktree ../other", False),
        ("git init -q --separate-git-dir ../elsewhere . && git config core.fsmonitor evil", False),
        ("git init -q --separate-git-dir ../elsewhere . && echo evil > ../elsewhere/hooks/pre-commit", False),
        (WORKTREE, True),
        (f"{WORKTREE} && cp -r .git evil && echo $PWD/evil > .git/worktrees/sub/commondir", False),
        (f"{WORKTREE} && echo evil > .git/worktrees/sub/config.worktree", False),
        ("echo gitdir: /nowhere > .git", True),
        ("echo gitdir: ../nowhere > .git", True),
        ("echo gitdir: ../.git > .git", True),
    ],
)
def test_pointers_to_what_a_command_made(made: str, is_kept: bool, tmp_path: Path) -> None:
    top, keep = tmp_path.resolve() / "place", tmp_path / "keep"
    (top / "sub").mkdir(parents=True)
    keep.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = "git config user.name x && git config user.email x@example.org"
    before = f"git init -q && {identity} && git commit -q --allow-empty -m x && mkdir .git/modules && cd sub && {made}"
    subprocess.run(["bash", "-c", before], cwd=top, env=environment, check=True, capture_output=True)
    standing = Standing([str(top)], [str(top / ".git")])
    nursery = Nursery(lambda: frozenset({str(top / "sub")}), frozenset(), standings=[standing], keep_in=keep)
    notes = nursery.put_right()
    assert (notes == (), (top / "sub/.git").exists()) == (is_kept, is_kept)
    assert nursery.put_right() == ()
