"""A new repository may say what it is, and start nothing."""

import os
from pathlib import Path

import pytest

from ferrule.host.sandbox.newborn import Newborn, harmless

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
