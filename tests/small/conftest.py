"""A project and a model server for models that are led."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import ModelServer
from tests.support import know_the_sandbox


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    know_the_sandbox(tmp_path / ".local/state/ferrule")
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(key=None) as running:
        yield running
