"""Confined commands find their temporary files and caches where they may write."""

from pathlib import Path

import ferrule
from ferrule.host.sandbox.inside import environment_inside, needed_places
from ferrule.host.sandbox.repositories import repository_above

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


def test_the_repository_around_a_project_is_read_but_no_place_of_all(tmp_path: Path) -> None:
    project = tmp_path / "repo/a/b"
    project.mkdir(parents=True)
    assert repository_above(str(project)) == ""
    (tmp_path / "repo/.git").mkdir()
    assert repository_above(str(project)) == str(tmp_path / "repo")
    assert str(tmp_path / "repo") in needed_places(project, home="/", path="")
    assert repository_above(str(tmp_path / "repo")) == ""
    assert repository_above("/") == ""
    (tmp_path / "repo").chmod(0o1777)
    assert str(tmp_path / "repo") not in needed_places(project, home="/", path="")


def test_what_is_not_there_and_what_is_no_path_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "bin")
    (tmp_path / "bin").mkdir()
    places = needed_places(tmp_path, home=str(tmp_path), path=f"{tmp_path}/link:{tmp_path}/none::bin:{tmp_path}/bin")
    assert [one for one in places if one.startswith(str(tmp_path))] == [str(tmp_path), str(tmp_path / "bin")]
    assert str(Path(ferrule.__file__).parent) in places
