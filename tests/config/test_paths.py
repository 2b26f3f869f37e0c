"""Where things lie, by the rules of XDG."""

import os
import pwd
from pathlib import Path

import pytest

from ferrule.config.paths import cache_home, config_home, data_home, expand, home, state_home
from tests.config.world import as_nobody


def test_without_a_word_things_lie_where_they_always_do() -> None:
    environ = {"HOME": "/h"}
    assert config_home(environ) == Path("/h/.config/ferrule")
    assert data_home(environ) == Path("/h/.local/share/ferrule")
    assert state_home(environ) == Path("/h/.local/state/ferrule")
    assert cache_home(environ) == Path("/h/.cache/ferrule")


def test_the_environment_moves_each_of_them() -> None:
    environ = {
        "XDG_CONFIG_HOME": "/c",
        "XDG_DATA_HOME": "/d",
        "XDG_STATE_HOME": "/s",
        "XDG_CACHE_HOME": "/k",
    }
    made = [config_home(environ), data_home(environ), state_home(environ), cache_home(environ)]
    assert made == [Path("/c/ferrule"), Path("/d/ferrule"), Path("/s/ferrule"), Path("/k/ferrule")]


@pytest.mark.parametrize("path", ["", ".", "relative", "~/x", "../up"])
def test_a_path_that_is_not_absolute_is_ignored(path: str) -> None:
    assert data_home({"HOME": "/h", "XDG_DATA_HOME": path}) == Path("/h/.local/share/ferrule")


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_without_a_home_the_system_is_asked(environ: dict[str, str]) -> None:
    assert home(environ) == Path(pwd.getpwuid(os.getuid()).pw_dir)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone whom nobody knows")
def test_who_is_unknown_to_the_system_is_told_what_to_set() -> None:
    told = as_nobody("from ferrule.config.paths import home", "home({})")
    assert told == "There is no home directory: set HOME to one, as a path that begins with /.\n"


def test_a_tilde_is_the_home() -> None:
    environ = {"HOME": "/h"}
    expanded = [expand(path, environ) for path in ("~", "~/a", "/x/~", "a", "~b")]
    assert expanded == [Path("/h"), Path("/h/a"), Path("/x/~"), Path("a"), Path("~b")]
