"""Names are compared as the most forgiving file system would."""

from pathlib import Path

import pytest

from ferrule.policy.nametree import NameTree, folded

TREE = NameTree([".ssh", ".config/gh", ".cargo/credentials*", ".*_history", "Library/Some Thing"])


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("/A/b", "/a/b"),
        ("/.git./x", "/.git/x"),
        ("/.git /x", "/.git/x"),
        ("/.git:stream", "/.git"),
        ("/GIT~1/x", "/.git/x"),
        ("/.G\u200dIT", "/.git"),
        ("/.g\u3164i\u115f\u1160t\uffa0", "/.git"),
        ("/．ｇｉｔ", "/.git"),
        ("/stra\u00dfe", "/strasse"),
        ("/cafe\u0301", "/caf\u00e9"),
        ("/a\uff0fb", "/a\ufffdb"),
        ("/x.y/.z", "/x.y/.z"),
        ("/", "/"),
    ],
)
def test_folding(path: str, same: str) -> None:
    assert folded(path) == same
    assert folded(same) == same


@pytest.mark.parametrize(
    ("path", "is_held"),
    [
        (".ssh", True),
        (".ssh/a/b", True),
        (".sshx", False),
        (".config", False),
        (".config/gh", True),
        (".config/ghx", False),
        (".cargo/credentials", True),
        (".cargo/credentials.toml", True),
        (".cargo/config.toml", False),
        (".bash_history", True),
        ("_history", False),
        ("library/some thing/x", True),
        ("", False),
    ],
)
def test_holding(path: str, is_held: bool) -> None:
    parts = path.split("/") if path else []
    assert TREE.holds(parts) == is_held


def test_leading() -> None:
    leads = [TREE.leads_to(path.split("/") if path else []) for path in ("", ".config", ".ssh", ".config/x", "x")]
    assert leads == [True, True, False, False, False]


def test_what_is_there(tmp_path: Path) -> None:
    for name in (".SSH/x", ".config/gh/hosts", ".config/other/x", ".cargo/credentials.toml", ".zsh_history", "x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    there = {".SSH", ".config/gh", ".cargo/credentials.toml", ".zsh_history"}
    assert set(TREE.there(str(tmp_path))) == {f"{tmp_path}/{name}" for name in there}
    assert list(TREE.there(str(tmp_path / "nowhere"))) == []
