"""Settings for all tests: made-up examples are the same in each run, and slow machines are no failure."""

import gc
from collections.abc import Generator

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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests are collected and stay; looking through them for garbage again and again takes long."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000)  # what a test leaves behind is small
