"""What a confined command needs: an environment whose caches lie where it may write, and places to read from."""

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ferrule.host.sandbox.repositories import repository_above

_SHARED = {"/", "/tmp", "/var/tmp", "/run", "/var/run", "/dev"}  # noqa: S108 - these are hidden, not used
_SYSTEMS = ("/run/current-system", "/run/booted-system", "/run/systemd/resolve", "/run/NetworkManager/resolv.conf")
"""What the rest of a system needs of `/run`: where NixOS keeps its programs, and who answers for names."""
_OURS = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]))
"""Python, and scripts of ours: what ways to single hosts, external tools and trials need."""

_CACHES = {
    "GOCACHE": "go-build",
    "PIP_CACHE_DIR": "pip",
    "UV_CACHE_DIR": "uv",
    "npm_config_cache": "npm",
    "YARN_CACHE_FOLDER": "yarn",
    "CCACHE_DIR": "ccache",
    "DOTNET_CLI_HOME": "dotnet",
}
"""What tools must be able to write to before they build anything."""
_STORES = {
    "CARGO_HOME": "cargo",
    "GOMODCACHE": "go-mod",
    "GRADLE_USER_HOME": "gradle",
    "npm_config_store_dir": "pnpm",
    "BUN_INSTALL_CACHE_DIR": "bun",
    "DENO_DIR": "deno",
    "NUGET_PACKAGES": "nuget",
}
"""Where tools keep what they downloaded: read where it is, and somewhere else when they may download more."""


def environment_inside(
    environment: Mapping[str, str], *, scratch: Path, places: Iterable[Path], downloads: bool
) -> dict[str, str]:
    """Point whatever a command must write to into the session's own directory, unless it may write where it is."""
    inside = {name: value for name, value in environment.items() if name != "XDG_RUNTIME_DIR"}
    writable = tuple(places)
    for name, directory in (_CACHES | _STORES if downloads else _CACHES).items():
        given = environment.get(name, "")
        if not any(given and Path(given).is_relative_to(place) for place in writable):
            inside[name] = f"{scratch}/cache/{directory}"
    return inside | {"TMPDIR": str(scratch)}


def needed_places(root: Path, *, home: str, path: str) -> list[str]:
    """What a command must be able to read even where such places are hidden, resolved; `path` is the search path.

    That is also the repository of which the project is a part, for git; but no place that all users share.
    """
    around = repository_above(str(root))
    places = (home, *path.split(":"), *_SYSTEMS, *_OURS, "" if _is_shared(around) else around)
    real = (os.path.realpath(place) for place in places if place.startswith("/"))
    return [place for place in dict.fromkeys(real) if os.path.exists(place)]  # noqa: PTH110


def _is_shared(place: str) -> bool:
    """Whether a place is everybody's: whoever may write there could put a repository into it."""
    try:
        return place in _SHARED or bool(os.stat(place).st_mode & stat.S_IWOTH)  # noqa: PTH116
    except OSError:
        return True
