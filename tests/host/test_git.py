"""Git run to its end: what it said, or why there is nothing that it said."""

import os
import shutil
from pathlib import Path

import pytest

from ferrule.core.errors import SessionError
from ferrule.host.git import in_environment, run_git

GIT = shutil.which("git") or "git"


def test_it_sees_what_it_is_given_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), **in_environment({"user.name": "Ada", "core.x": "a = b"})}
    for key, value in (("user.name", "Ada"), ("core.x", "a = b")):
        words = ["config", "--get", key]
        ended = run_git(GIT, words, directory=tmp_path, environment=environment, stdin=b"", seconds=30)
        assert (ended.returncode, ended.stdout.decode()) == (0, f"{value}\n")
    words = ["hash-object", "--stdin"]
    ended = run_git(GIT, words, directory=tmp_path, environment=environment, stdin=b"hello\n", seconds=30)
    assert ended.stdout == b"ce013625030ba8dba906f756967f9e9ca394464a\n"
    ended = run_git(GIT, ["rev-parse", "HEAD"], directory=tmp_path, environment=environment, stdin=b"", seconds=30)
    assert (ended.returncode, b"not a git repository" in ended.stderr) == (128, True)


def test_what_keeps_it_from_ending_is_said(tmp_path: Path) -> None:
    waits = tmp_path / "git"
    waits.write_text("#!/bin/sh\nexec sleep 1000\n")
    waits.chmod(0o755)
    with pytest.raises(SessionError, match=r"git status did not finish within 0\.1 s\."):
        run_git(str(waits), ["status"], directory=tmp_path, environment=os.environ, stdin=b"", seconds=0.1)
    with pytest.raises(SessionError, match=r"git could not be run: No such file or directory\."):
        run_git(str(tmp_path / "none"), ["status"], directory=tmp_path, environment={}, stdin=b"", seconds=30)
