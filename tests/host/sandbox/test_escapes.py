"""No way out of a sandbox, as whoever runs the tests and as an ordinary user."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.host.sandbox.escapes import ESCAPES
from tests.host.sandbox.world import SECRET

ROOT = Path(__file__).parents[3]
AS_NOBODY = ("runuser", "-u", "nobody", "--")
GROUPS = ("write", "protected", "read", "reach")
needs_bubblewrap = pytest.mark.skipif(not shutil.which("bwrap"), reason="there is no bubblewrap here")


def outcome(backend: str, group: str, *, nobody: bool = False, each: int = 1) -> dict[str, Any]:
    """Try all ways of a kind in one world, or each so-manieth."""
    path = f"{ROOT}:{ROOT / 'src'}:{sysconfig.get_path('platlib')}"
    environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"], "A_KEY": SECRET}
    python = [*AS_NOBODY, "/usr/bin/python3"] if nobody else [sys.executable]
    tried = subprocess.run(
        [*python, "-m", "tests.host.sandbox.world", backend],
        input=json.dumps(dict([item for item in ESCAPES.items() if item[0].startswith(group)][::each])),
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
        timeout=600,
    )
    assert tried.returncode == 0, tried.stderr
    return {name: broken for name, broken in json.loads(tried.stdout).items() if broken}


def can_be_nobody() -> bool:
    """Whether we can run Python with our packages as someone else."""
    if os.geteuid() != 0 or not shutil.which("runuser"):
        return False
    path = f"{ROOT / 'src'}:{sysconfig.get_path('platlib')}"
    trial = [*AS_NOBODY, "/usr/bin/python3", "-c", "import ferrule.core.messages"]
    environment = {"PYTHONPATH": path, "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(trial, env=environment, capture_output=True, cwd="/").returncode == 0


@needs_bubblewrap
@pytest.mark.timeout(240)  # dozens of sandboxes, one after another
def test_bubblewrap_holds_against_some() -> None:
    assert outcome("bubblewrap", "", each=10) == {"sandbox": "bubblewrap"}


@pytest.mark.slow
@needs_bubblewrap
@pytest.mark.parametrize("group", GROUPS)
def test_bubblewrap_holds(group: str) -> None:
    assert outcome("bubblewrap", group) == {"sandbox": "bubblewrap"}


@pytest.mark.slow
@needs_bubblewrap
@pytest.mark.parametrize("group", GROUPS)
def test_bubblewrap_holds_for_an_ordinary_user(group: str) -> None:
    if not can_be_nobody():
        pytest.skip("only root can be someone else")
    assert outcome("bubblewrap", group, nobody=True) == {"sandbox": "bubblewrap"}


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_landlock_holds(group: str) -> None:
    assert outcome("landlock", group) == {"sandbox": "landlock"}


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_landlock_holds_for_an_ordinary_user(group: str) -> None:
    if not can_be_nobody():
        pytest.skip("only root can be someone else")
    assert outcome("landlock", group, nobody=True) == {"sandbox": "landlock"}


def test_there_are_many_ways() -> None:
    assert len(ESCAPES) >= 150
    assert {name.partition(".")[0] for name in ESCAPES} == set(GROUPS)
