"""Where Ferrule keeps things, after the rules of XDG: a relative path in the environment is no path."""

import os
import pwd
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ferrule.config.words import plain
from ferrule.core.errors import ConfigError, UsageError

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


def runtime_home(environ: Environ = os.environ) -> Path:
    """Where what runs lies, for the user alone: below `XDG_RUNTIME_DIR`, else below the temporary directory.

    Raises:
        UsageError: it cannot be made, or somebody else could look into it.
    """
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    temporary = environ.get("TMPDIR", "")
    if runtime.startswith("/") and os.access(runtime, os.W_OK):
        directory = Path(runtime) / "ferrule"
    else:
        base = Path(temporary if temporary.startswith("/") else "/tmp")  # noqa: S108  its owner and mode are checked
        directory = base / f"ferrule-{os.getuid()}"
    try:
        with suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        status = directory.lstat()
    except OSError as error:
        words = f"{plain(str(directory))}: Ferrule needs this directory: {error.strerror}."
        raise UsageError(f"{words} Set XDG_RUNTIME_DIR to one of yours.") from None
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        words = f"{plain(str(directory))}: This must be a directory of yours that nobody else can open (mode 0700)."
        raise UsageError(f"{words} Remove it, or set XDG_RUNTIME_DIR to another place.")
    return directory


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
