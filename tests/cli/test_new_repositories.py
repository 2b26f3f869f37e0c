"""A repository that a confined command makes starts no program of its own when the user looks at it."""

import shutil
import subprocess

import pytest

from tests.cli.conftest import CommandLine

MAKE = r"""
git init -q vendor/s2 && cd vendor/s2 && git commit -q --allow-empty -m x
printf '#!/bin/sh\ntouch "%s"\n' "$MARK" > p.sh && chmod +x p.sh
git config core.fsmonitor "$PWD/p.sh"
cp p.sh .git/hooks/post-checkout
cd ../.. && git add vendor/s2
"""


@pytest.mark.parametrize("sandbox", ["bubblewrap", "landlock"])
def test_a_repository_inside_the_project(ferrule: CommandLine, sandbox: str) -> None:
    if sandbox == "bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("there is no bubblewrap here")
    mark = ferrule.project / "mark"
    ferrule.env |= {"FERRULE_SAFETY_SANDBOX": sandbox}
    (ferrule.home / ".gitconfig").write_text("[user]\n\tname = x\n\temail = x@example.org\n")
    git = {"cwd": ferrule.project, "env": {**ferrule.env}, "check": True, "capture_output": True}
    subprocess.run(["git", "init", "-q"], **git)  # type: ignore[call-overload]
    (ferrule.project / "make.sh").write_text(f"MARK={mark}\n{MAKE}")
    options = ferrule.script({"calls": [{"name": "bash", "input": {"command": "bash ./make.sh"}}]}, "Done.")
    ended = ferrule(*options, "--mode", "auto", "--output-format", "stream-json", "-p", "go")
    assert "is protected" in ended.out
    mark.unlink(missing_ok=True)
    subprocess.run(["git", "status", "--short"], **git)  # type: ignore[call-overload]
    subprocess.run(["git", "-C", "vendor/s2", "checkout", "-q", "-b", "other"], **git)  # type: ignore[call-overload]
    assert not mark.exists()
