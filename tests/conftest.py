"""Settings for all tests: made-up examples are the same in each run, and slow machines are no failure."""

import gc
import os
import sys
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    max_examples=20,  # `make check-slow` makes up a thousand
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", settings.get_profile("steady"), max_examples=1_000)
settings.load_profile("steady")
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""`python3` is the one that runs the tests: a machine's own may be any, and may load much before it begins."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Thousands of tests are collected and stay; looking through them for garbage again and again takes long."""
    gc.disable()
    try:
        if session.config.args == session.config.getini("testpaths"):
            _begin_elsewhere(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000)  # what a test leaves behind is small


def _begin_elsewhere(config: pytest.Config) -> None:
    """Let each worker read all tests from another one on: what it prepares and keeps, the others need not."""
    worker = getattr(config, "workerinput", None)
    files = sorted(Path(__file__).parent.rglob("test_*.py")) if worker else []
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"] if worker else 0
    for file in files[first:] + files[:first]:
        with suppress(Exception):  # what is wrong there is said when it is collected
            import_module(".".join(file.relative_to(config.rootpath).with_suffix("").parts))
