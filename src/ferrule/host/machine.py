"""The machine as the tools see it."""

from pathlib import Path

import msgspec

from ferrule.host.files import Files
from ferrule.host.process import Processes


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """Files, processes, and a private directory for what is too long to show."""

    files: Files
    processes: Processes
    outputs: Path
    """Where full outputs are kept; made on first use, mode 0700."""
