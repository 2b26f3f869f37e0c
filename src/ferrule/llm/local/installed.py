"""Whether the package that runs embedded models is installed, and whether it works on this machine."""

import subprocess
import sys
from importlib.util import find_spec

from ferrule.config.words import plain

PACKAGE = "xllamacpp"
INSTALL = "pip install 'ferrule[local]'"
MISSING = f"The provider local needs its engine: {INSTALL}"
_PATIENCE = 60.0


def is_installed() -> bool:
    """Whether the engine is installed."""
    return find_spec(PACKAGE) is not None


def trouble() -> str:
    """What keeps the engine from running here, in words; nothing where it would run.

    It is loaded in a process of its own, since what was built for another machine may take its process with it.
    """
    if not is_installed():
        return MISSING
    command = [sys.executable, "-P", "-c", f"import {PACKAGE}"]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"The engine of the provider local cannot be loaded: {error}"
    if ended.returncode == 0:
        return ""
    last = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"code {ended.returncode}"
    return f"The engine of the provider local cannot be loaded: {plain(last)}"
