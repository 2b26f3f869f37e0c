"""What runs embedded models here: the package that is made for it, or a llama-server of the user's; and whether it can.

The package runs everywhere, but on ARM under Linux it is built for the oldest processors, and is several times slower
than a llama-server that was built for this one.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from ferrule.config.paths import expand, home
from ferrule.config.words import plain
from ferrule.core.errors import UsageError

PACKAGE = "xllamacpp"
PROGRAM = "llama-server"
BY_PACKAGE = "package"
"""What `local.server` says where the package is wanted, whatever else there is."""
INSTALL = "install the extra `local` (in a clone of Ferrule: pip install '.[local]')"
MISSING = f"The provider local needs its engine: {INSTALL}"
_PATIENCE = 60.0


def program_for(server: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """The path of the llama-server that is to run embedded models; nothing where the package is to do it.

    `server` is the setting: a program's name or its path, `package`, or nothing, which leaves the choice to us.

    Raises:
        UsageError: what is wanted is not there, or there is nothing at all.
    """
    has_package = find_spec(PACKAGE) is not None
    if server is None:
        found = _on_the_path(PROGRAM, environ) if _is_slow_by_package() or not has_package else ""
    elif server == BY_PACKAGE:
        found = ""
    else:
        return _named(server, environ)
    if not found and not has_package:
        raise UsageError(MISSING)
    return found


def is_installed(server: str | None = None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether there is something that runs embedded models."""
    try:
        program_for(server, environ)
    except UsageError:
        return False
    return True


def engine_named(server: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """What runs embedded models, for people to read.

    Raises:
        UsageError: there is nothing.
    """
    return plain(program_for(server, environ)) or f"the package {PACKAGE}"


def trouble(server: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """What keeps the engine from running here, in words; nothing where it would run.

    It is loaded in a process of its own, since what was built for another machine may take its process with it.
    """
    try:
        program = program_for(server, environ)
    except UsageError as error:
        return str(error)
    command = [program, "--version"] if program else [sys.executable, "-P", "-c", f"import {PACKAGE}"]
    engine = plain(program) if program else "The engine of the provider local"
    try:
        ended = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{engine} cannot be loaded: {error}"
    if ended.returncode == 0:
        return ""
    last = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"code {ended.returncode}"
    return f"{engine} cannot be loaded: {plain(last)}"


def _is_slow_by_package() -> bool:
    return sys.platform == "linux" and os.uname().machine == "aarch64"


def _named(server: str, environ: Mapping[str, str]) -> str:
    found = str(expand(server, environ)) if "/" in server else _on_the_path(server, environ)
    if not (found and _is_program(Path(found))):
        raise UsageError(f"local.server is {plain(server)}, and there is no such program.")
    return found


def _on_the_path(name: str, environ: Mapping[str, str]) -> str:
    """Find a program where the user's programs lie; never one that the project brings along."""
    for place in os.get_exec_path(environ) if "PATH" in environ else ():
        path = Path(place) / name
        if path.is_absolute() and _is_program(path) and not _is_in_the_project(path, environ):
            return str(path)
    return ""


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_in_the_project(path: Path, environ: Mapping[str, str]) -> bool:
    """Whether it lies below the working directory; who works in their home has their own programs there."""
    here = Path.cwd()
    is_home = home(environ).resolve().is_relative_to(here)
    return not is_home and any(one.is_relative_to(here) for one in (path, path.resolve()))
