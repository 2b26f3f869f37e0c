"""The machine as the tools see it."""

from dataclasses import dataclass
from pathlib import Path

from ferrule.host.files import Files
from ferrule.host.process import Processes


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Files, processes, and a private directory for what is too long to show."""

    files: Files
    processes: Processes
    outputs: Path
    """Where full outputs are kept; made on first use, mode 0700."""
