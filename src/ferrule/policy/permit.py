"""What the file tools may touch at the moment they do: what stands free, and what was allowed for a call.

A call is judged before it runs, by the path that it names. This is asked again with what that path has become, so a
link that was turned meanwhile opens nothing that was not allowed.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from ferrule.policy.paths import Places, Standing, Use
from ferrule.policy.trail import normal


class Permit:
    """The guard of a session's file tools. May be used from several threads."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._allowed: dict[Use, set[str]] = {"read": set(), "list": set(), "write": set()}

    def __call__(self, path: Path, use: Use) -> str | None:
        """Why a path may not be touched, in words that follow on it; None if it may be."""
        standing = self._places.standing(os.fspath(path), use)
        if standing.level == "free" or (not standing.hard and self._is_allowed(standing.path, use)):
            return None
        named = standing.path == normal(os.fspath(path))
        return standing.reason if named else f"it leads to {standing.path}, and {standing.reason}"

    def grant(self, standing: Standing, use: Use) -> None:
        """Let a path be touched that was judged and let through, with all that lies below it.

        It is the judgement that counts, and not where the path leads by now. What is blocked stays blocked. What is
        free needs no such word, and gets none: a free directory makes not all that is in it free.
        """
        if standing.level != "free":
            self._allowed[use] |= {f"{one.rstrip('/')}/" for one in (standing.path, standing.end or standing.path)}

    def allow(self, path: str, use: Use, *, directory: str | None = None) -> None:
        """Let a path be touched as it stands now; for a path that was judged before, there is `grant`."""
        self.grant(self._places.standing(path, use, directory=directory), use)

    def hidden(self, directory: Path) -> list[str]:
        """Paths below a directory that a search need not even enter."""
        return self._places.hidden(os.fspath(directory))

    def odd(self, directory: Path, paths: Sequence[str]) -> Sequence[str]:
        """Those of many paths below a directory that have to be asked about one by one."""
        return self._places.odd(os.fspath(directory), paths)

    def _is_allowed(self, path: str, use: Use) -> bool:
        uses: tuple[Use, ...] = ("list", "read", "write") if use == "list" else (use,)
        return any(f"{path}/".startswith(tuple(self._allowed[one])) for one in uses)
