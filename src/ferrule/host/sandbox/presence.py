"""Whether there is a sandbox on this machine, at a glance: to look closer costs more than most runs need."""

import os
import sys

PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin", "/run/wrappers/bin")
"""Where programs of the machine itself lie."""


def at_a_glance() -> bool:
    """Whether the best sandbox of this system seems to be there."""
    if sys.platform == "darwin":
        return os.path.exists("/usr/bin/sandbox-exec")  # noqa: PTH110
    return any(os.path.exists(f"{place}/bwrap") for place in PLACES)  # noqa: PTH110
