"""Where Ferrule keeps things, after the rules of XDG: a relative path in the environment is no path."""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from ferrule.core.errors import ConfigError

Environ = Mapping[str, str]


def config_home(environ: Environ = os.environ) -> Path:
    """Where the user's configuration lies: `~/.config/ferrule`."""
    return _base("XDG_CONFIG_HOME", ".config", environ)


def data_home(environ: Environ = os.environ) -> Path:
    """Where what must last lies, sessions before all: `~/.local/share/ferrule`."""
    return _base("XDG_DATA_HOME", ".local/share", environ)


def state_home(environ: Environ = os.environ) -> Path:
    """Where what may last lies, such as the history of the prompt: `~/.local/state/ferrule`."""
    return _base("XDG_STATE_HOME", ".local/state", environ)


def cache_home(environ: Environ = os.environ) -> Path:
    """Where what can be made again lies: `~/.cache/ferrule`."""
    return _base("XDG_CACHE_HOME", ".cache", environ)


def home(environ: Environ = os.environ) -> Path:
    """The user's own directory: `HOME`, or what the system knows of the user.

    Raises:
        ConfigError: neither says where it is.
    """
    path = environ.get("HOME", "")
    if not path.startswith("/"):
        try:
            path = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            path = ""
    if not path.startswith("/"):
        raise ConfigError("There is no home directory: set HOME to one, as a path that begins with /.")
    return Path(path)


def expand(path: str, environ: Environ = os.environ) -> Path:
    """A path as it was written in a configuration, with `~` as the user's own directory."""
    return home(environ) / path[2:] if path == "~" or path.startswith("~/") else Path(path)


def _base(variable: str, fallback: str, environ: Environ) -> Path:
    path = environ.get(variable, "")
    return (Path(path) if path.startswith("/") else home(environ) / fallback) / "ferrule"
