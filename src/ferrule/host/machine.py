"""The machine as the tools see it."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from ferrule.host.files import Files
from ferrule.host.process import Processes


async def _nobody(_command: str, _why: str) -> bool:
    """Nobody lets anything out of its sandbox."""
    return False


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """Files, processes, and a private directory for what is too long to show."""

    files: Files
    processes: Processes
    outputs: Path
    """Where full outputs are kept; made on first use, mode 0700."""
    let_out: Callable[[str, str], Awaitable[bool]] = _nobody
    """Asks whether a command that its sandbox held up may run again without one; the second word says why."""
