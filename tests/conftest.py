"""Settings for all tests: made-up examples are the same in each run, and slow machines are no failure."""

import gc
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
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
signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell has what it starts in the background ignore it, and so would all that the tests start."""
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


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker tell of a test that passes in one message: six of them take longer than most tests do.

    What was made ready for it and put away after it is told of only where it failed, or where someone looks closer.
    """
    option = item.config.option
    if not hasattr(item.config, "workerinput") or option.verbose > 0 or option.durations is not None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            report.keywords = {} if report.passed else report.keywords
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="session")
def _places() -> Counter[str]:
    """How many directories have been made for tests of each name."""
    return Counter()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, _places: Counter[str]) -> Path:
    """A directory for a test, named and kept as pytest does it.

    pytest looks through all that it has made, for each one that it makes, and points a link to it.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    made = tmp_path_factory.getbasetemp() / f"{name}{_places[name]}"
    _places[name] += 1
    made.mkdir(mode=0o700)
    return made
