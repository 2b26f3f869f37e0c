"""Engines for tests: their processes are real, in a directory of the test's own, and none is left behind."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ferrule.llm.local import engine
from ferrule.llm.local.engine import Wanted
from ferrule.llm.local.installed import PACKAGE
from tests.llm.local.weights import write_weights

HERE = Path(__file__).parent


@contextmanager
def engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_program: bool = False
) -> Iterator[Callable[..., Wanted]]:
    """Give what makes a wish for an engine; whatever it led to is ended."""
    program = pass_for_a_llama_server(tmp_path / "llama-server") if by_program else ""
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(HERE), os.environ.get("PYTHONPATH", ""))))
    monkeypatch.setattr(sys, "path", [*sys.path, str(HERE)])

    def wish(name: str = "small.gguf", **wishes: object) -> Wanted:
        weights = tmp_path / name
        if not weights.exists():
            write_weights(weights)
        usual = {"weights": weights, "model": "small", "package": "engine_stand_in", "program": program}
        return Wanted(**usual | wishes)  # type: ignore[arg-type]

    try:
        yield wish
    finally:
        for process in engine._started:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
        engine._started.clear()


def wait_until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait for a condition, and fail where it does not come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.01)


def pass_for_the_package(directory: Path) -> str:
    """Make the stand-in pass for the engine's own package; gives the PYTHONPATH with which it is found."""
    directory.mkdir(exist_ok=True)
    (directory / f"{PACKAGE}.py").write_text("from engine_stand_in import *\n")
    return os.pathsep.join((str(directory), str(HERE)))


def pass_for_a_llama_server(path: Path) -> str:
    """Make a program of the stand-in; gives its path."""
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{HERE / 'engine_stand_in.py'}' \"$@\"\n")
    path.chmod(0o755)
    return str(path)
