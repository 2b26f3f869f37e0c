"""Measures whole processes: CPU, wall time and peak memory, medians of several runs in turn."""

import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What one process took."""

    wall: float
    cpu: float
    megabytes: float


def once(argv: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> Cost:
    """Run a program to its end with its output thrown away."""
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.chdir(cwd)
        os.execvpe(argv[0], list(argv), dict(env))
    _, status, usage = os.wait4(pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(argv)} ended with {code}")
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, kilobytes / 1024)


def medians(
    programs: Mapping[str, Sequence[str]], *, env: Mapping[str, str], cwd: Path, repeats: int
) -> dict[str, Cost]:
    """Run the programs in turn, so that noise of the machine hits all of them, and give each one's medians."""
    seen: dict[str, list[Cost]] = {name: [] for name in programs}
    for _ in range(repeats):
        for name, argv in programs.items():
            seen[name].append(once(argv, env=env, cwd=cwd))
    return {
        name: Cost(
            *(statistics.median(getattr(cost, field) for cost in costs) for field in ("wall", "cpu", "megabytes"))
        )
        for name, costs in seen.items()
    }
