"""Every numbered example runs, and so does every snippet of the documentation."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
SNIPPETS = [
    pytest.param(snippet, id=f"{page.name}-{number}")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL), 1)
]
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


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_runs(snippet: str, tmp_path: Path) -> None:
    prelude = "" if "import ferrule" in snippet else "import ferrule\n"
    ran = python(["-c", prelude + snippet], tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_transcript_of_the_readme_is_true(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "shop", tmp_path / "shop")
    readme = (ROOT / "README.md").read_text("utf-8")
    _, transcript, _ = re.split(r"--verbose -p .*\n|```\n\nThe answer", readme)
    command = [str(Path(sys.executable).parent / "ferrule"), "--cwd", str(tmp_path / "shop"), "-P", "replay"]
    command += ["-m", "replies.jsonl", "--mode", "yolo", "--verbose", "-p", "check.py fails; mend it"]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=50, stdin=subprocess.DEVNULL)
    timeless = re.sub(r"\d+\.\d s", "0.0 s", ran.stderr + ran.stdout)
    assert timeless == transcript
    assert (tmp_path / "shop" / "basket.py").read_text().endswith("(1 - discount / 100)\n")
