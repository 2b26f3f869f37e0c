"""Confined commands find their temporary files and caches where they may write."""

from pathlib import Path

from ferrule.host.sandbox.inside import environment_inside

PLACES = (Path("/project"),)


def test_caches_are_moved_unless_they_can_be_written_to() -> None:
    given = {
        "A": "1",
        "XDG_RUNTIME_DIR": "/run/user/1",
        "TMPDIR": "/var/tmp",
        "GOCACHE": "/project/.go",
        "UV_CACHE_DIR": "/u",
    }
    inside = environment_inside(given, scratch=Path("/s"), places=PLACES, downloads=False)

    assert inside == {
        "A": "1",
        "TMPDIR": "/s",
        "GOCACHE": "/project/.go",
        "UV_CACHE_DIR": "/s/cache/uv",
        "PIP_CACHE_DIR": "/s/cache/pip",
        "npm_config_cache": "/s/cache/npm",
        "YARN_CACHE_FOLDER": "/s/cache/yarn",
        "CCACHE_DIR": "/s/cache/ccache",
        "DOTNET_CLI_HOME": "/s/cache/dotnet",
    }


def test_with_a_network_downloads_have_a_place_too() -> None:
    inside = environment_inside({}, scratch=Path("/s"), places=PLACES, downloads=True)

    assert (inside["CARGO_HOME"], inside["GOMODCACHE"]) == ("/s/cache/cargo", "/s/cache/go-mod")
