"""A path is followed as the system follows it, and every path that stands for it on the way is told."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.policy.paths import Places
from ferrule.policy.trail import LostError, Trail, follow, normal


def test_a_plain_path(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    (top / "a").mkdir()
    trail = follow(f"{top}/./a//b/../c/")
    assert (trail.paths, trail.info) == ((f"{top}/a/c",), None)
    info = (top / "a").stat()
    assert trail.passed[-1] == (info.st_dev, info.st_ino)
    assert follow(f"{top}/a").info == os.lstat(top / "a")


def test_each_link_is_told(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    (top / "a").mkdir()
    (top / "one").symlink_to("two/x")
    (top / "two").symlink_to(top / "a")
    (top / "a" / "x").symlink_to("../a/./y")
    trail = follow(f"{top}/one/z")
    assert trail.paths == (f"{top}/one/z", f"{top}/two/x/z", f"{top}/a/x/z", f"{top}/a/y/z")
    assert trail.end == f"{top}/a/y/z"


def test_the_root(tmp_path: Path) -> None:
    assert follow("/").paths == ("/",)
    assert follow("//..//../").paths == ("/",)
    (tmp_path / "up").symlink_to("/")
    assert follow(f"{tmp_path.resolve()}/up").end == "/"


def test_normal() -> None:
    for path in ("/", "//", "/a", "/a/", "//a//b/", "/a/./b", "/a/../b", "/..", "/a/b/../../..", "/.a/..b", "///a"):
        assert normal(path) == "/" + os.path.normpath(path).lstrip("/")


@pytest.mark.parametrize("path", ["/a\0b", "/\ud800", "/" + "x" * 300, "/x" * 3_000])
def test_what_cannot_be_named(path: str) -> None:
    with pytest.raises(LostError):
        follow(path)


NAMES = st.sampled_from(["a", "b", "c", "d"])
STEPS = st.lists(st.sampled_from(["a", "b", "c", "d", "..", ".", ""]), min_size=1, max_size=5).map("/".join)
LINKS = st.dictionaries(st.lists(NAMES, min_size=1, max_size=2).map("/".join), STEPS, max_size=5)


def followed(path: str) -> Trail | None:
    try:
        return follow(path)
    except LostError:
        return None


@given(links=LINKS, path=STEPS)
def test_the_end_is_where_the_system_ends(links: dict[str, str], path: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory).resolve()
        for name, target in links.items():
            link = top / name
            if not os.path.lexists(link) and not link.parent.is_symlink() and target:
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(target if not target.startswith("/") else f"{top}{target}")
        trail = followed(f"{top}/{path}")
        if trail is None:
            with pytest.raises(OSError, match=r"Too many levels|No such file|Not a directory"):
                Path(f"{top}/{path}").stat()
            return
        assert trail.end == os.path.realpath(f"{top}/{path}")
        assert (trail.info is not None) == os.path.lexists(trail.end)


@given(path=st.text(st.characters(codec=None), max_size=40), use=st.sampled_from(["read", "list", "write"]))
def test_any_text_has_a_standing(path: str, use: str) -> None:
    places = Places(root=Path("/srv/project"), home=Path("/home/me"), blocked=("*.pem", "a/**/b", "[x"))
    for shell in (False, True):
        found = places.standing(path, use, shell=shell)  # type: ignore[arg-type]
        assert found.level in {"free", "outside", "protected", "blocked"}
        assert (found.level == "free") == (not found.reason)
