"""The sandbox has a `/tmp` of its own: commands write there unasked, and go on there under that name."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="there is no bubblewrap here")
MARK = "ferrule-of-a-test"


def results(ferrule: CommandLine, *commands: str, mode: str = "auto") -> list[str]:
    """What the commands of one session come to, each in a call of its own."""
    calls = [{"calls": [{"name": "bash", "input": {"command": one}}]} for one in commands]
    ended = ferrule(*ferrule.script(*calls, "Done."), "--mode", mode, "--output-format", "stream-json", "-p", "go")
    blocks = [block for one in ended.messages if one["type"] == "user" for block in one["message"]["content"]]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


def test_a_session_that_went_to_tmp_stays_there_under_that_name(ferrule: CommandLine) -> None:
    commands = ["mkdir /tmp/x && cd /tmp/x && pwd", "pwd && echo y > z && cat /tmp/x/z", "cd $TMPDIR", "pwd"]
    there, inside, temporary, still = results(ferrule, *commands)
    assert there == "/tmp/x\nExit code: 0\n(now in /tmp/x/)"
    assert inside == "/tmp/x\ny\nExit code: 0"
    assert temporary == "(no output)\nExit code: 0\n(now in /tmp/)"
    assert still == "/tmp\nExit code: 0"


def test_what_lies_above_tmp_is_judged_as_what_it_is(ferrule: CommandLine) -> None:
    _, above = results(ferrule, "cd /tmp", "cat ../etc/passwd", mode="default")
    assert above.startswith("Denied: it reads /etc/passwd: it lies outside the project.")


def test_mode_auto_writes_to_the_tmp_that_is_the_sandboxs_own(ferrule: CommandLine) -> None:
    said = results(ferrule, f"echo hi > /tmp/{MARK}", f"cat /tmp/{MARK}", f"echo hi > /tmp/../{MARK}")
    assert said[:2] == ["(no output)\nExit code: 0", "hi\nExit code: 0"]
    assert "outside the project" in said[2]
    assert not Path("/tmp", MARK).exists()


def test_without_a_tmp_of_its_own_it_is_the_machines(ferrule: CommandLine) -> None:
    ferrule.env |= {"FERRULE_SAFETY_SANDBOX": "landlock"}
    (said,) = results(ferrule, f"echo hi > /tmp/{MARK}")
    assert "outside the project" in said
