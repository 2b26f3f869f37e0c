"""Every numbered example runs, and says what it should."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
SAID = {
    "01_one_line.py": "Some files. (2 turns, end_turn)\n",
    "02_events.py": "[ls {'path': '.'}]\nThat is all.\nended: end_turn after 2 turns\n",
    "03_own_tool.py": (
        "tool: There is no part bold; there are bolt, nut.\ntool: 120 pieces\nanswer: There are 120 bolts.\n"
    ),
    "04_gate.py": (
        "bash: 'Nothing is removed here.'\nbash: 'hello\\nExit code: 0'\nI said hello and removed nothing.\n"
    ),
    "05_session.py": (
        "4 messages:\n  user: My favourite colour is blue.\n  assistant: Blue, I shall remember.\n"
        "  user: What is my favourite colour?\n  assistant: It is blue.\n"
    ),
}


def python(code: list[str], home: Path) -> "subprocess.CompletedProcess[str]":
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "FERRULE_OFFLINE": "1"}
    return subprocess.run([sys.executable, *code], cwd=home, env=env, capture_output=True, text=True, timeout=50)


def test_there_are_five_examples_with_known_output() -> None:
    assert [path.name for path in EXAMPLES] == sorted(SAID)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    ran = python([str(path)], tmp_path)
    assert (ran.stderr, ran.stdout) == ("", SAID[path.name])
