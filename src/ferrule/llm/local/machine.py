"""What this machine can carry: how many threads, how long a context, and whether there is memory for the model."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ferrule.config.words import plain
from ferrule.core.errors import UsageError
from ferrule.core.messages import Value
from ferrule.llm.local.gguf import Shape, shape_of
from ferrule.llm.local.library import amount

USUAL_CONTEXT = 8_192
LONG_CONTEXT = 16_384
"""Where there is memory in plenty: more would be read for minutes before the first word."""
LEAST_CONTEXT = 2_048
BATCH = 64
"""How many tokens are read in one go: a request that is taken back ends after at most so many. Fewer cost speed."""
PLENTY = 4
"""Memory is in plenty where so many models of this size would fit."""
_WORKSPACE = 350_000_000
"""What Python, the engine and its buffers take besides the weights and the context."""
_MOST_KEPT = 512 * 1024 * 1024
"""How much of earlier conversations is kept at most, so that going back to one need not read it anew."""


class Plan(Value, frozen=True, kw_only=True):
    """How a model is to run on this machine."""

    readers: int
    """Threads that read a prompt: every core, since that is what people wait for, and no core is lost by waiting."""
    writers: int
    """Threads that write an answer, each token of which waits for the slowest: one core is left to everything else."""
    context: int
    """In tokens."""
    kept: int
    """Bytes for what was read in earlier conversations."""
    need: int
    """Bytes that the engine takes at the most, without what is kept."""


def plan(weights: Path, *, context: int | None = None, system: Path = Path("/")) -> Plan:
    """Say how a model should run here.

    Without a `context` it is as long as makes sense and as memory allows.

    Raises:
        UsageError: there is not enough memory, or the file holds no model.
    """
    shape, free = shape_of(weights), free_memory(system)
    fitting = context or _context(shape, free)
    need = _need(shape, fitting)
    if need > free:
        raise UsageError(_short(weights, shape, fitting, free))
    kept = min(_MOST_KEPT, (free - need) // 4)
    usable = cores(system)
    return Plan(readers=usable, writers=max(1, usable - 1), context=fitting, kept=kept, need=need)


def cores(system: Path = Path("/")) -> int:
    """How many cores this process may use: real ones, and only the fast ones where there are two kinds."""
    if sys.platform == "darwin":
        return _mac_cores() or os.cpu_count() or 1
    allowed = os.sched_getaffinity(0)
    fast = _cpu_list(_read(system / "sys/devices/cpu_core/cpus"))
    usable = allowed & fast or allowed
    topology = system / "sys/devices/system/cpu"
    real = {_read(topology / f"cpu{one}/topology/thread_siblings_list") or str(one) for one in usable}
    return max(1, min(len(real), _quota(system) or len(real)))


def free_memory(system: Path = Path("/")) -> int:
    """How many bytes can be had without pushing other programs out, the limits of a container or a shell included."""
    if sys.platform == "darwin":
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 0.6)
    free = 0
    for line in _read(system / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    return min((free, *_left_in_groups(system), *_left_by_the_shell(system)))


def _context(shape: Shape, free: int) -> int:
    """The context where nobody asked for one: long with much memory, halved until it fits with little."""
    longest = shape.window or LONG_CONTEXT
    if free > PLENTY * _need(shape, LONG_CONTEXT):
        return min(LONG_CONTEXT, longest)
    context = min(USUAL_CONTEXT, longest)
    while context // 2 >= LEAST_CONTEXT and _need(shape, context) > free:
        context //= 2
    return context


def _need(shape: Shape, context: int) -> int:
    return shape.size + context * shape.token_bytes + _WORKSPACE


def _short(weights: Path, shape: Shape, context: int, free: int) -> str:
    """Say what is missing, and what can be done about it."""
    rest = free - _need(shape, 0)
    words = (
        f"There is not enough memory for {plain(weights.name)}: it needs {amount(_need(shape, context))} "
        f"({amount(shape.size)} for the weights, {amount(context * shape.token_bytes)} for a context of "
        f"{context:,} tokens, {amount(_WORKSPACE)} to work in), and {amount(max(free, 0))} can be had."
    )
    if rest // shape.token_bytes >= LEAST_CONTEXT:
        return f"{words} A context of {rest // shape.token_bytes // 1024 * 1024:,} tokens would fit."
    return f"{words} End other programs, or take a smaller model: `ferrule models list` shows them."


def _left_in_groups(system: Path) -> Iterator[int]:
    """What the control groups of this process leave it, each one above included."""
    for line in _read(system / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers == "":
            root, most, used = system / "sys/fs/cgroup", "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            root, most, used = system / "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        place = root / path.lstrip("/")
        for group in (place, *place.parents):
            limit, taken = _read(group / most), _read(group / used)
            if limit.isdigit() and taken.isdigit():
                yield max(0, int(limit) - int(taken) + _reclaimable(group))
            if group == root:
                break


def _left_by_the_shell(system: Path) -> Iterator[int]:
    """How large a process may become at all, where `ulimit -v` or a batch system says so."""
    for line in _read(system / "proc/self/limits").splitlines():
        most = line.removeprefix("Max address space").split()
        if line.startswith("Max address space") and most and most[0].isdigit():
            yield int(most[0])


def _reclaimable(group: Path) -> int:
    """The part of a group's memory that holds files which can be read again."""
    facts = dict(line.split(" ", 1) for line in _read(group / "memory.stat").splitlines() if " " in line)
    found = facts.get("total_inactive_file") or facts.get("inactive_file") or "0"
    return int(found) if found.isdigit() else 0


def _quota(system: Path) -> int:
    """How many cores a container may keep busy; 0 where nothing is said."""
    most, _, period = _read(system / "sys/fs/cgroup/cpu.max").partition(" ")
    return max(1, int(most) // int(period)) if most.isdigit() and period.isdigit() and int(period) else 0


def _cpu_list(words: str) -> set[int]:
    """The processors in a list such as `0-3,8`."""
    found: set[int] = set()
    for part in words.split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _mac_cores() -> int:
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        command = ["/usr/sbin/sysctl", "-n", "hw.perflevel0.physicalcpu"]
        return int(subprocess.run(command, capture_output=True, check=True, timeout=5).stdout)
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""
