"""The environment of a confined command: its temporary files and caches lie where it may write."""

from collections.abc import Iterable, Mapping
from pathlib import Path

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
