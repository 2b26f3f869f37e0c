"""Protected files are put back, whatever was made of them, and nothing is reached through a link."""

import os
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrule.host.sandbox.mend import LARGEST
from ferrule.host.sandbox.restore import MOST_ENTRIES, Guard, Record


class Bench:
    """A project with protected names, and where things are taken to."""

    def __init__(self, base: Path) -> None:
        self.base, self.project, self.aside = base, base / "project", base / "aside"
        self.git = self.project / ".git"
        (self.git / "hooks").mkdir(parents=True)
        (self.git / "config").write_text("[core]\n")
        (self.git / "hooks/sample").write_text("#!/bin/sh\n")
        (self.git / "hooks/sample").chmod(0o755)
        (self.project / ".vscode").symlink_to("settings")
        (self.base / "outside").mkdir()
        names = (".git/hooks", ".git/config", ".git/commondir", ".vscode", ".mcp.json")
        self.paths = [str(self.project / name) for name in names]
        self.record = Record()
        self.record.add(self.paths, [str(self.project)])
        self.before = self.state()

    def state(self, place: Path | None = None) -> dict[str, tuple[object, ...]]:
        """Modes and contents of everything, and when files were last written."""
        found: dict[str, tuple[object, ...]] = {}
        for path in sorted((place or self.project).rglob("*")):
            mode = path.lstat().st_mode
            data = str(path.readlink()) if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else None
            found[str(path.relative_to(self.project if place is None else place))] = (
                mode,
                data,
                path.stat().st_mtime_ns if stat.S_ISREG(mode) else 0,
            )
        return found

    def put_right(self) -> list[str]:
        """What is said, with the place aside and the project left out."""
        notes = self.record.put_right(self.aside)
        for place in self.aside.iterdir() if self.aside.exists() else ():
            notes = tuple(note.replace(str(place), "ASIDE") for note in notes)
        return [
            note.removeprefix("Protected files that the command ").replace(f"{self.project}/", "") for note in notes
        ]

    def kept(self) -> list[str]:
        """The names of what was taken aside."""
        return sorted(path.name.partition("-")[2] for path in self.aside.glob("*/*"))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_nothing_changed_is_nothing_done(bench: Bench) -> None:
    (bench.git / "index").touch()
    (bench.project / "file").touch()
    before = (bench.git / "config").stat()
    os.utime(bench.git / "config")
    assert bench.put_right() == []
    after = (bench.git / "config").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not bench.aside.exists()


def test_files_changed_made_and_removed(bench: Bench) -> None:
    (bench.git / "config").write_text("evil")
    (bench.git / "hooks/sample").unlink()
    (bench.git / "hooks/pre-commit").write_text("evil")
    (bench.git / "commondir").write_text("..")
    (bench.project / ".mcp.json").mkdir()
    assert sorted(bench.put_right()) == [
        "changed are put back, and the changed ones kept in ASIDE: .git/config",
        "made are kept in ASIDE: .git/hooks/pre-commit, .git/commondir, .mcp.json",
        "removed are put back: .git/hooks/sample",
    ]
    assert bench.state() == bench.before
    assert bench.kept() == [".mcp.json", "commondir", "config", "pre-commit"]
    assert bench.put_right() == []


def test_modes(bench: Bench) -> None:
    (bench.git / "hooks/sample").chmod(0o4777)
    (bench.git / "config").chmod(0)
    (bench.git / "hooks").chmod(0o500)
    bench.git.chmod(0)
    assert len(bench.put_right()) == 1
    assert bench.state() == bench.before


def test_a_link(bench: Bench) -> None:
    (bench.project / ".vscode").unlink()
    (bench.project / ".vscode").mkdir()
    (bench.project / ".vscode/tasks.json").touch()
    assert bench.put_right() == ["changed are put back, and the changed ones kept in ASIDE: .vscode"]
    assert bench.state() == bench.before


@pytest.mark.parametrize("then", ["nothing", "directory", "link", "file"])
def test_a_directory_moved_away_comes_back(bench: Bench, then: str) -> None:
    (bench.git / "index").write_text("index")
    os.utime(bench.git / "index", ns=(7, 7))
    bench.git.rename(bench.project / "git2")
    (bench.project / "git2/hooks/evil").touch()
    if then == "directory":
        (bench.git / "hooks").mkdir(parents=True)
        (bench.git / "hooks/evil").touch()
    elif then == "link":
        bench.git.symlink_to(bench.base / "outside")
    elif then == "file":
        bench.git.write_text("gitdir: elsewhere")
    bench.put_right()
    assert bench.state() == bench.before | {".git/index": (stat.S_IFREG | 0o644, b"index", 7)}
    assert list((bench.base / "outside").iterdir()) == []


@pytest.mark.parametrize("then", ["nothing", "directory", "link", "file"])
def test_a_protected_directory_comes_back_without_what_was_put_into_it(bench: Bench, then: str) -> None:
    hooks = bench.git / "hooks"
    (hooks / "evil").touch()
    (hooks / "sample").unlink()
    hooks.rename(bench.git / "hooks2")
    if then == "directory":
        hooks.mkdir()
    elif then == "link":
        hooks.symlink_to(bench.base / "outside")
    elif then == "file":
        hooks.touch()
    bench.put_right()
    assert bench.state() == bench.before


def test_another_directory_under_an_old_number_stays_where_it_is(bench: Bench) -> None:
    """A file system soon gives the number of a removed directory to the next one that is made."""
    guard = Guard(bench.aside)
    for _ in range(20):
        finish = guard.begin(bench.paths, [str(bench.project)])
        shutil.rmtree(bench.git)
        for name in ("one", "two", "three"):
            (bench.project / name).mkdir()
        finish(is_over=False)
        finish(is_over=True)
        assert sorted(path.name for path in bench.project.iterdir()) == [".git", ".vscode", "one", "three", "two"]
        for name in ("one", "two", "three"):
            (bench.project / name).rmdir()
    assert bench.state() == bench.before


def test_a_directory_removed_is_made_again(bench: Bench) -> None:
    shutil.rmtree(bench.git)
    assert bench.put_right() == ["removed are put back: .git, .git/hooks, .git/hooks/sample, .git/config"]
    assert bench.state() == bench.before


def test_links_put_in_the_way_lead_nowhere(bench: Bench) -> None:
    outside = bench.base / "outside"
    (outside / "hooks").mkdir()
    (outside / "hooks/theirs").write_text("theirs")
    (outside / "config").write_text("theirs")
    before = bench.state(outside)
    shutil.rmtree(bench.git / "hooks")
    (bench.git / "hooks").symlink_to(outside / "hooks")
    (bench.git / "config").unlink()
    (bench.git / "config").symlink_to(outside / "config")
    bench.put_right()
    assert bench.state() == bench.before
    assert bench.state(outside) == before


def test_odd_things_are_taken_away(bench: Bench) -> None:
    os.mkfifo(bench.git / "hooks/fifo")
    (bench.git / "hooks/a\nb\x1b[31m").touch()
    (bench.git / os.fsdecode(b"hooks/\xff")).touch()
    deep = bench.git / "hooks/deep"
    for _ in range(300):
        deep /= "d"
    deep.mkdir(parents=True)
    (bench.git / "config").unlink()
    os.mkfifo(bench.git / "config")
    notes = bench.put_right()
    assert bench.state() == bench.before
    assert all(note.isprintable() for note in notes)


def test_a_file_too_large_to_be_kept_in_mind_is_told_of(bench: Bench) -> None:
    large = bench.git / "hooks/large"
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    bench.record = Record()
    bench.record.add(bench.paths, [str(bench.project)])
    assert bench.put_right() == []
    large.write_text("other")
    assert bench.put_right() == ["changed are too large or too odd to be put back: .git/hooks/large"]


def test_very_many_and_very_deep_files_do_not_stop_it(bench: Bench) -> None:
    deep = bench.git / "hooks/deep"
    for _ in range(300):
        deep /= "d"
    deep.mkdir(parents=True)
    for number in range(MOST_ENTRIES + 10):
        (bench.git / f"hooks/{number}").touch()
    bench.record = Record()
    bench.record.add(bench.paths, [str(bench.project)])
    assert bench.put_right() == []
    (bench.git / "hooks/another").touch()
    assert bench.put_right() == ["made are kept in ASIDE: .git/hooks/another"]


def test_what_cannot_be_kept_is_removed(bench: Bench) -> None:
    """Better that than to leave it."""
    bench.aside.write_text("in the way")
    deep = bench.git / "hooks/evil"
    for _ in range(300):
        deep /= "d"
    deep.mkdir(parents=True)
    assert bench.record.put_right(bench.aside / "inner") == (
        f"Protected files that the command made are removed: {bench.git}/hooks/evil",
    )
    assert bench.state() == bench.before


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        pytest.skip("there is no second file system")
    place = memory / f"ferrule-{os.urandom(6).hex()}"
    yield place
    shutil.rmtree(place, ignore_errors=True)


def test_across_file_systems(bench: Bench, elsewhere: Path) -> None:
    evil = bench.git / "hooks/evil"
    evil.mkdir()
    (evil / "file").write_text("text")
    (evil / "link").symlink_to("file")
    bench.record.put_right(elsewhere)
    assert bench.state() == bench.before
    (taken,) = elsewhere.glob("*/*")
    assert ((taken / "file").read_text(), str((taken / "link").readlink())) == ("text", "file")


def test_commands_one_after_the_other(bench: Bench) -> None:
    guard = Guard(bench.aside)
    places = [str(bench.project)]
    finish = guard.begin(bench.paths, places)
    (bench.git / "config").write_text("evil")
    assert len(finish(is_over=False)) == 1
    assert finish(is_over=True) == ()
    (bench.git / "config").write_text("the user's own")
    finish = guard.begin(bench.paths, places)
    assert [finish(is_over=True) for _ in range(3)] == [(), (), ()]
    assert (bench.git / "config").read_text() == "the user's own"


def test_a_command_that_goes_on_in_the_background(bench: Bench) -> None:
    guard = Guard(bench.aside)
    places = [str(bench.project)]
    server = guard.begin(bench.paths, places)
    assert server(is_over=False) == ()
    (bench.git / "config").write_text("evil, while nobody looks")
    other = guard.begin(bench.paths, places)
    assert (bench.git / "config").read_text() == "[core]\n"
    assert len(other(is_over=False)) == 1
    assert other(is_over=True) == ()
    (bench.git / "config").write_text("evil again")
    assert len(server(is_over=True)) == 1
    assert (bench.git / "config").read_text() == "[core]\n"


def test_a_command_that_never_began_is_forgotten(bench: Bench) -> None:
    guard = Guard(bench.aside)
    guard.begin(bench.paths, [str(bench.project)])
    (bench.git / "config").write_text("the user's own")
    finish = guard.begin(bench.paths, [str(bench.project)])
    assert finish(is_over=False) == ()
    assert (bench.git / "config").read_text() == "the user's own"


def test_a_hostile_background_process_cannot_lead_it_outside(bench: Bench) -> None:
    """Directories are swapped for links while everything is put right; nothing outside changes."""
    outside = bench.base / "outside"
    (outside / "hooks").mkdir()
    (outside / "config").write_text("theirs")
    before, done = bench.state(outside), threading.Event()

    def swap() -> None:
        while not done.is_set():
            for action in (
                lambda: bench.git.rename(bench.project / "moved"),
                lambda: bench.git.symlink_to(outside),
                lambda: (bench.git / "config").write_text("evil") if not bench.git.is_symlink() else None,
                bench.git.unlink,
                lambda: (bench.project / "moved").rename(bench.git),
            ):
                try:
                    action()
                except OSError:
                    continue

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(100):
            bench.record.put_right(bench.aside)
    finally:
        done.set()
        thread.join()
    assert bench.state(outside) == before
    shutil.rmtree(bench.project / "moved", ignore_errors=True)
    bench.record.put_right(bench.aside)
    assert bench.state() == bench.before
