"""Place-holders go when the last one who needs them is gone, and never with anything of the user's."""

import os
from pathlib import Path

import pytest

from ferrule.host.sandbox.stubs import hold, place, share, tidy


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Where the lock lies."""
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def test_the_last_one_takes_them_away(tmp_path: Path, state: Path) -> None:
    file = os.fsencode(state / "lock")
    stubs = [(os.fsencode(tmp_path / "directory"), b""), (os.fsencode(tmp_path / "text"), b".\n")]
    first, alone = hold(file)
    assert alone
    share(first)
    assert place(first, stubs) == stubs
    second, alone = hold(file)
    assert not alone
    assert place(second, stubs) == stubs

    tidy(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["directory", "state", "text"]
    tidy(second)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    assert (state / "lock").read_bytes() == b""
    for lock in (first, second):
        os.close(lock)
    third, _ = hold(file)
    assert len(list((state / "pool").iterdir())) == 1
    place(third, stubs)
    assert list((state / "pool").iterdir()) == []
    tidy(third)
    os.close(third)


def test_what_became_someones_own_stays(tmp_path: Path, state: Path) -> None:
    lock, _ = hold(os.fsencode(state / "lock"))
    names = ("kept", "changed", "link", "gone")
    place(lock, [(os.fsencode(tmp_path / name), b"" if name == "kept" else b".\n") for name in names])
    (tmp_path / "kept/file").touch()
    (tmp_path / "changed").write_text("mine")
    (tmp_path / "gone").unlink()
    (tmp_path / "link").unlink()
    (tmp_path / "target").write_text(".\n")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    tidy(lock)
    os.close(lock)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["changed", "kept", "link", "state", "target"]


def test_what_is_there_is_no_place_holder(tmp_path: Path, state: Path) -> None:
    lock, _ = hold(os.fsencode(state / "lock"))
    (tmp_path / "there").mkdir()
    there, nowhere = os.fsencode(tmp_path / "there"), os.fsencode(tmp_path / "no/such")
    assert place(lock, [(there, b""), (nowhere, b"")]) == [(there, b"")]
    tidy(lock)
    os.close(lock)

    assert (tmp_path / "there").is_dir()


def test_half_an_entry_does_no_harm(tmp_path: Path, state: Path) -> None:
    (state / "lock").write_bytes(os.fsencode(tmp_path / "stub") + b"\0\0" + os.fsencode(tmp_path / "other"))
    for name in ("stub", "other"):
        (tmp_path / name).mkdir()
    lock, _ = hold(os.fsencode(state / "lock"))
    tidy(lock)
    os.close(lock)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "state"]
