"""A home that cannot be written: said in words, and no hindrance where nothing is to be kept."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.front.terminal.conftest import Place, place

__all__ = ["place"]
READ_AND_RUN = {
    "calls": [
        {"name": "read", "input": {"file_path": "a.txt"}},
        {"name": "bash", "input": {"command": "cat a.txt > b.txt"}},
    ]
}


@pytest.fixture(params=["read-only", "a file"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A home on a read-only mount, or a file where a directory should be."""
    if request.param == "a file":
        (tmp_path / "no-home").write_text("")
        yield tmp_path / "no-home"
        return
    with read_only(tmp_path / "no-home") as place:
        yield place


@contextmanager
def read_only(place: Path) -> Iterator[Path]:
    place.mkdir()
    bound = subprocess.run(["mount", "--bind", place, place], capture_output=True, check=False)
    if bound.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True, capture_output=True)
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home.parent),
        "FERRULE_OFFLINE": "1",
    }


def test_without_a_home_that_can_be_written_sessions_work_unkept(ferrule: CommandLine, home: Path) -> None:
    options = ferrule.script(READ_AND_RUN, "Done.")
    ferrule.env = environment(home)
    (ferrule.project / "a.txt").write_text("words")
    refused = ferrule(*options, "--mode", "auto", "-p", "go")
    assert refused.code == 1
    assert "The session cannot be saved" in refused.err
    assert "FERRULE_SESSION_AUTO_SAVE=false" in refused.err
    ferrule.env["FERRULE_SESSION_AUTO_SAVE"] = "false"
    ended = ferrule(*options, "--mode", "auto", "-p", "go")
    assert (ended.code, ended.out, ended.err) == (0, "Done.\n", "")
    assert (ferrule.project / "b.txt").read_text() == "words"


def test_the_doctor_says_what_cannot_be_written_and_goes_on(ferrule: CommandLine, home: Path) -> None:
    ferrule.env = environment(home)
    found = ferrule("doctor")
    assert (found.code, found.err) == (1, "")
    assert f"!!  sessions       {home}/.local/share/ferrule/sessions cannot be written;" in found.out
    assert "ok  git " in found.out
    assert ("sandbox        bubblewrap" in found.out) == bool(shutil.which("bwrap"))
    ferrule.env["FERRULE_SESSION_AUTO_SAVE"] = "false"
    assert "ok  sessions       not kept (session.auto_save)" in ferrule("doctor").out


def test_the_terminal_says_it_before_anything_is_asked(place: Place, home: Path) -> None:
    options = place.script("Hello.")
    with place.start(options, HOME=str(home), size=(120, 24)) as terminal:
        terminal.wait("Commands have no place for their files")
