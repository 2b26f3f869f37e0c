"""What other programs obey: git's directories, settings of editors and shells, the system. Written with leave only."""

import os
from collections.abc import Sequence

from ferrule.config.protected import OWN_NAMES, PROTECTED_NAMES
from ferrule.core.messages import Value
from ferrule.policy.names import PROTECTED_BELOW_HOME, SYSTEM_PLACES
from ferrule.policy.nametree import folded

_NAMES = frozenset(folded(name.rstrip("/")) for name in PROTECTED_NAMES)
_OWN = frozenset(folded(name.rstrip("/")) for name in OWN_NAMES)
_PAIRS = tuple(
    f"/{folded(name.rstrip('/'))}/" for name in (*PROTECTED_NAMES, *PROTECTED_BELOW_HOME) if "/" in name[:-1]
)
_REPOSITORIES = (("HEAD", "objects", "refs"), ("HEAD", "commondir"))
"""A directory with the names of one of these is a repository to git, whatever it is called."""
_IN_REPOSITORY = frozenset({"head", "objects", "refs", "hooks", "config", "config.worktree", "commondir", "info"})


class Protection(Value, frozen=True):
    """Why a path is not simply written."""

    reason: str
    hard: bool
    """Whether nobody can allow it."""


def protection(path: str, parts: Sequence[str], *, root: str | None) -> Protection | None:
    """Whether a path is protected from being written, and why.

    `parts` are those of the folded path below `root`, the given directory in which it lies, or of all of it.
    """
    names = _NAMES.intersection(parts)
    if ".git" in parts or _is_in_bare_repository(path, parts):
        return Protection("it belongs to git, which runs what its settings and hooks say", hard=True)
    if not _OWN.isdisjoint(names):
        return Protection("it is one of Ferrule's own files", hard=True)
    if names or any(pair in f"/{'/'.join(parts)}/" for pair in _PAIRS):
        return Protection("it is protected, since other programs obey what is in it", hard=False)
    if root in {None, "/"} and f"/{'/'.join(parts)}/".startswith(SYSTEM_PLACES):
        return Protection("it belongs to the system", hard=False)
    return None


def _is_in_bare_repository(path: str, parts: Sequence[str]) -> bool:
    """Whether it is a part of a repository without a `.git` above it, or would make its directory one."""
    if _IN_REPOSITORY.isdisjoint(parts):
        return False
    names = path.split("/")
    for place in range(len(names) - len(parts), len(names)):
        name = folded(names[place])
        if name in _IN_REPOSITORY and _would_be_repository("/".join(names[:place]), name):
            return True
    return False


def _would_be_repository(directory: str, name: str) -> bool:
    """Whether git takes a directory for a repository, once there is something of this name in it."""
    return any(
        all(one.lower() == name or os.path.lexists(f"{directory}/{one}") for one in every) for every in _REPOSITORIES
    )
