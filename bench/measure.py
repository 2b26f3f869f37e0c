"""Measures whole processes: CPU, wall time and peak memory."""

import ctypes
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

_SET_CHILD_SUBREAPER = 36


class Cost(msgspec.Struct, frozen=True):
    """What one process took."""

    wall: float
    cpu: float
    megabytes: float


def once(argv: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> Cost:
    """Run a program to its end with its output thrown away; what it leaves running counts too, until it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.chdir(cwd)
        os.execvpe(argv[0], list(argv), dict(env))
    _, status, usage = os.wait4(pid, 0)
    wall, cpu = time.perf_counter() - began, usage.ru_utime + usage.ru_stime + left_behind()
    if code := os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(argv)} ended with {code}")
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(wall, cpu, kilobytes / 1024)


def left_behind() -> float:
    """Wait for the orphans of a program, and say what CPU time they took."""
    cpu = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return cpu
        cpu += usage.ru_utime + usage.ru_stime
