"""From the configuration to a policy: which places, which rules."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ferrule.config.layers import SYSTEM_FILE, Loaded
from ferrule.config.paths import cache_home, config_home, data_home, expand, home, state_home
from ferrule.policy.judge import Policy
from ferrule.policy.paths import Places
from ferrule.policy.rules import Rules, read_rule, rules_of

COMMAND_LINE = "--allowed-tools"


def places_of(loaded: Loaded, directory: Path, *, open: Sequence[Path] = (), scratch: Sequence[Path] = ()) -> Places:
    """What may be touched: fixed here, at the start, and never taken from a tool's argument."""
    safety, storage = loaded.config.safety, loaded.config.session.storage_path
    own = [config_home(), data_home(), state_home(), cache_home(), home() / ".ferrule.json", SYSTEM_FILE.parent]
    return Places(
        root=directory,
        home=home(),
        added=tuple(directory / expand(path) for path in safety.allowed_paths),
        blocked=(*safety.blocked_paths, *_unreadable(safety.deny)),
        own=tuple([*own, expand(storage)] if storage else own),
        open=tuple(open),
        scratch=tuple(scratch),
    )


def _unreadable(deny: Iterable[str]) -> Iterator[str]:
    """What no tool may read by a rule, no command may read either."""
    for rule in map(read_rule, deny):
        if rule.tool == "read" and rule.pattern:
            pattern = rule.pattern.removeprefix("./")
            if pattern.startswith("//"):
                yield pattern[1:]
            else:
                yield pattern.lstrip("/") if rule.foreign else pattern


def rules_for(loaded: Loaded, directory: Path, *, allowed: Iterable[str] = ()) -> Rules:
    """The rules of every layer, each with where it stands, and those of the command line."""
    safety = loaded.config.safety
    return Rules(
        deny=rules_of(safety.deny, loaded.items.get("safety.deny", {})),
        ask=rules_of(safety.ask, loaded.items.get("safety.ask", {})),
        allow=[
            *rules_of(safety.allow, loaded.items.get("safety.allow", {})),
            *(read_rule(text, COMMAND_LINE) for text in allowed),
        ],
        root=os.path.realpath(directory),
        home=os.path.realpath(home()),
    )


def policy_of(
    loaded: Loaded,
    places: Places,
    *,
    mode: str,
    confined: Callable[[], bool],
    cwd: Callable[[], Path],
    outer: Callable[[Path], Path] = lambda path: path,
    allowed: Iterable[str] = (),
    free: Iterable[str] = (),
) -> Policy:
    """The policy of a session; `allowed` are rules of the command line, `free` tools that the caller gave."""
    return Policy(
        mode=mode,
        rules=rules_for(loaded, places.root, allowed=allowed),
        places=places,
        confined=confined,
        cwd=cwd,
        outer=outer,
        free=free,
    )
