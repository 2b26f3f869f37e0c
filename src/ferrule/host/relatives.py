"""Which processes there are, and who is whose child. The keeper loads this file by itself: nothing of ours is in it."""

import os

_HAS_PROC = os.path.exists("/proc/self/stat")  # noqa: PTH110 - pathlib would be dear here

Table = dict[int, tuple[int, int]]
"""Processes with their parents and their groups."""


def kin(pid: int) -> tuple[int, int] | None:
    """Look up the parent and the group of a process; None if it is no more."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123
            fields = file.read(1024).rpartition(b")")[2].split()  # the name in brackets may hold anything
        return int(fields[1]), int(fields[2])
    except (OSError, IndexError):
        return None


def process_table() -> Table:
    """List every process of this machine."""
    if not _HAS_PROC:
        with os.popen("/bin/ps -axo pid=,ppid=,pgid=") as listing:  # noqa: S605 - a fixed command
            rows = [[int(word) for word in line.split()] for line in listing]
        return {pid: (parent, group) for pid, parent, group in rows}
    found = ((int(name), kin(int(name))) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208
    return {pid: relatives for pid, relatives in found if relatives}


def descendants(root: int, table: Table) -> list[int]:
    """Everyone below a process, nearest first."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    family = [root]
    for pid in family:  # it grows while we walk
        family += children.get(pid, ())
    return family[1:]


def members(group: int, table: Table) -> list[int]:
    """The members of a process group and all below them: the best guess where orphans are not adopted."""
    own = [pid for pid, (_, theirs) in table.items() if theirs == group]
    return [*own, *(pid for one in own for pid in descendants(one, table))]
