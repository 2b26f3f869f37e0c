"""The generated parts of the documentation are current and true, and the picture can be drawn anew."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ferrule.cli.main import COMMANDS
from ferrule.commands.table import BY_NAME
from ferrule.config.keys import KEYS
from ferrule.config.layers import load
from ferrule.config.words import in_json
from tests.docs.pages import ROOT

PICTURE = ROOT / "docs" / "session.svg"
SEEN = ["❯ check.py fails; mend it", "Allow edit?", "+    return sum(prices) * (1 - discount / 100)", "all is well"]


def test_the_generated_parts_are_current() -> None:
    checked = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_every_key_and_command_has_its_entry() -> None:
    configuration = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    assert re.findall(r"^### `(.+)`$", configuration, re.MULTILINE) == list(KEYS)
    told = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert re.findall(r"^### `ferrule (.+)`$", told, re.MULTILINE) == list(COMMANDS)
    assert re.findall(r"^\| `/([a-z-]+)", told, re.MULTILINE) == list(BY_NAME)


def test_the_variables_of_the_environment_set_what_is_said(tmp_path: Path) -> None:
    configuration = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    entries = re.findall(r"^### `(.+)`\n(?:.*\n)*?- In the environment (.+)\.$", configuration, re.MULTILINE)
    for name, variables in entries:
        default = KEYS[name].default
        value = default if isinstance(default, str) else in_json(default)
        for variable in re.findall(r"`(\w+)`", variables):
            load(tmp_path, environ={"HOME": str(tmp_path), variable: value})
    assert [name for name, _ in entries] == list(KEYS)


def words_of(picture: Path) -> list[str]:
    texts = ET.parse(picture).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in texts]


def test_the_picture_shows_a_question_a_diff_and_a_check_that_passes() -> None:
    shown = "".join(words_of(PICTURE))
    assert [words for words in SEEN if words.replace("❯ ", "") not in shown] == []


@pytest.mark.slow
def test_the_picture_can_be_drawn_anew(tmp_path: Path) -> None:
    target = tmp_path / "session.svg"
    subprocess.run([sys.executable, "-m", "scripts.picture", str(target)], cwd=ROOT, check=True, timeout=60)
    now, then = ([re.sub(r" · \d+(\.\d)? s", "", words) for words in words_of(one)] for one in (target, PICTURE))
    assert now == then, "run `make picture`"
