"""The guard is asked about what a path has become, and nothing but that is opened, whoever turns links meanwhile."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.descent import made_folder, open_folder, real_path
from ferrule.host.files import Files
from ferrule.host.guard import Anything, RefusedError, Use
from ferrule.policy.paths import Places
from ferrule.policy.permit import Permit

SECONDS = pytest.mark.parametrize("seconds", [0.5, pytest.param(10, marks=pytest.mark.slow)])


class Listening(Anything):
    """Lets everything pass that is not below one directory, and hears what it is asked."""

    def __init__(self, closed: Path) -> None:
        self.closed = closed
        self.heard: list[tuple[Path, Use]] = []

    def __call__(self, path: Path, use: Use) -> str | None:
        self.heard.append((path, use))
        return "it is closed" if path.is_relative_to(self.closed) else None


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path.resolve()
    for name in ("proj/in", "out"):
        (top / name).mkdir(parents=True)
    return top


def guarded(top: Path) -> Files:
    return Files(permit=Permit(Places(root=top / "proj", home=top / "home")))


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(RefusedError) as caught:
        action()
    return str(caught.value)


class TestAsking:
    def test_about_the_path_named_and_the_path_it_is(self, top: Path) -> None:
        guard = Listening(top / "out")
        files = Files(permit=guard)
        (top / "proj" / "link").symlink_to("in")
        (top / "proj" / "in" / "a").write_text("x")
        link, real = top / "proj" / "link" / "a", top / "proj" / "in" / "a"
        files.read(link)
        files.current(link)
        files.write(link, b"y")
        files.read(real)
        both: list[tuple[Path, Use]] = [(link, "read"), (real, "read")]
        both += [(link, "write"), (real, "write")] * 2
        assert guard.heard == [*both, (real, "read")]

    def test_nothing_is_said_of_what_is_refused(self, top: Path) -> None:
        files = Files(permit=Listening(top / "out"))
        (top / "out" / "there").write_text("x")
        (top / "proj" / "link").symlink_to("../out")
        for name in ("there", "not-there", "ther"):
            for path in (top / "out" / name, top / "proj" / "link" / name):
                words = [refusal(lambda path=path: files.read(path)), refusal(lambda path=path: files.current(path))]  # type: ignore[misc]
                words.append(refusal(lambda path=path: files.write(path, b"y")))  # type: ignore[misc]
                done = [f"{path} may not be {what}: it is closed." for what in ("read", "written", "written")]
                assert words == done
        with pytest.raises(RefusedError, match="may not be listed: it is closed"), files.folder(top / "proj" / "link"):
            pass
        assert [path.name for path in (top / "out").iterdir()] == ["there"]
        assert (top / "out" / "there").read_text() == "x"

    def test_what_a_session_may_touch(self, top: Path) -> None:
        files = guarded(top)
        (top / "home" / ".ssh").mkdir(parents=True)
        (top / "home" / ".ssh" / "config").write_text("secret")
        (top / "proj" / "link").symlink_to("../home/.ssh")
        assert refusal(lambda: files.read(top / "home" / ".ssh" / "config")) == (
            f"{top}/home/.ssh/config may not be read: it is one of the blocked paths."
        )
        assert refusal(lambda: files.read(top / "proj" / "link" / "config")) == (
            f"{top}/proj/link/config may not be read: "
            f"it leads to {top}/home/.ssh/config, and it is one of the blocked paths."
        )
        assert refusal(lambda: files.write(top / "proj" / ".git" / "hooks" / "x", b"")).endswith(
            "may not be written: it belongs to git, which runs what its settings and hooks say."
        )
        assert refusal(lambda: files.write(top / "out" / "x", b"")).endswith("it lies outside the project.")
        files.write(top / "proj" / "new" / "x", b"fine")
        assert files.read(top / "proj" / "new" / "x") == b"fine"
        assert not (top / "proj" / ".git").exists()

    def test_many_at_once(self, top: Path) -> None:
        files = guarded(top)
        paths = ["a.py", "in/b.py", "id_rsa", ".env", "in/.env.example"]
        for path in paths:
            (top / "proj" / path).write_text("x")
        assert files.visible(top / "proj", paths, "read") == ["a.py", "in/b.py", "in/.env.example"]
        assert files.visible(top / "proj", paths, "list") == ["a.py", "in/b.py", ".env", "in/.env.example"]
        assert Files().visible(top / "proj", paths, "read") == paths


class TestOpening:
    def test_no_link_is_followed(self, top: Path) -> None:
        (top / "link").symlink_to("proj")
        for path in (top / "link", top / "link" / "in", top / "proj" / "in" / "none", top / "none"):
            with pytest.raises(OSError, match=r"Not a directory|No such file"):
                open_folder(str(path))
        with pytest.raises(NotADirectoryError), made_folder(str(top / "link" / "new")):
            pass
        assert not (top / "proj" / "new").exists()
        os.close(open_folder(str(top / "proj" / "in")))
        os.close(open_folder("/"))

    def test_what_was_made_goes_again(self, top: Path) -> None:
        with pytest.raises(FileExistsError), made_folder(str(top / "a" / "b" / "c")) as folder:
            os.mkdir("../c", dir_fd=folder)
        assert not (top / "a").exists()
        with made_folder(str(top / "a" / "b")):
            pass
        assert (top / "a" / "b").is_dir()

    def test_real_paths_are_those_of_the_library(self, top: Path) -> None:
        (top / "link").symlink_to("proj/in")
        (top / "round").symlink_to("round")
        (top / "proj" / "in" / "x (deleted)").write_text("x")
        os.mkfifo(top / "pipe")
        names = [
            "link",
            "link/..",
            "link/x",
            "proj//in/.",
            "none/../link",
            "round",
            "round/x",
            "pipe",
            "link/x (deleted)",
        ]
        for path in [*(f"{top}/{name}" for name in names), "/", "/proc/self", "/dev/null", "x" * 300]:
            assert real_path(path) == os.path.realpath(path), path

    def test_no_descriptor_is_left_open(self, top: Path) -> None:
        files = guarded(top)
        (top / "proj" / "loop").symlink_to("loop")
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            files.write(top / "proj" / "a" / "b", b"x")
            files.read(top / "proj" / "a" / "b")
            for path in ("proj/loop", "proj/a/b/c", "out/x", "proj/a", f"proj/{'x' * 300}", "proj/none/x"):
                with suppress(ToolError):
                    files.read(top / path)
                if path != "proj/none/x":
                    with suppress(ToolError):
                        files.write(top / path, b"y")
            with files.folder(top / "proj"):
                pass
        assert len(list(Path("/proc/self/fd").iterdir())) == before


TURNING = """
import os, sys
link, spare, *targets = sys.argv[1:]
while True:
    for target in targets:
        os.symlink(target, spare)
        os.rename(spare, link)
"""
EXCHANGING = """
import os, shutil, sys
folder, aside, target = sys.argv[1:]
steps = (
    (os.rename, folder, aside),
    (os.symlink, target, folder),
    (os.unlink, folder),
    (os.rename, aside, folder),
    (shutil.rmtree, aside),  # a writer that found nothing made the directory anew, and is in the way
)
while True:
    for step, *arguments in steps:
        try: step(*arguments)
        except OSError: pass
"""


@contextmanager
def beside(code: str, *arguments: Path) -> Iterator[None]:
    """Let another process do its worst while a block runs."""
    with subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)]) as process:
        try:
            yield
        finally:
            process.kill()


def turning(link: Path, *targets: Path) -> AbstractContextManager[None]:
    """Turn a link from one target to the next as fast as can be."""
    return beside(TURNING, link, link.with_name("spare"), *targets)


def exchanging(folder: Path, target: Path) -> AbstractContextManager[None]:
    """Put a link in the place of a directory, and the directory back, as fast as can be."""
    return beside(EXCHANGING, folder, folder.with_name("aside"), target)


def tries(seconds: float) -> Iterator[int]:
    """As many tries as there is time for, and enough of them on a busy machine too."""
    deadline, number = time.monotonic() + seconds, 0
    while time.monotonic() < deadline or number <= 10 * seconds:
        yield number
        number += 1


class TestRaces:
    @SECONDS
    def test_reading_through_a_link_that_turns(self, top: Path, seconds: float) -> None:
        (top / "proj" / "in" / "file").write_text("public")
        (top / "out" / "file").write_text("secret")
        files, link = guarded(top), top / "proj" / "link"
        link.symlink_to("in")
        seen: set[bytes | None] = set()
        with turning(link, top / "proj" / "in", top / "out"):
            for _ in tries(seconds):
                try:
                    seen.add(files.read(link / "file"))
                except ToolError:
                    seen.add(None)
        assert seen <= {b"public", None}
        assert b"public" in seen

    @SECONDS
    def test_reading_a_link_that_turns(self, top: Path, seconds: float) -> None:
        (top / "proj" / "in" / "file").write_text("public")
        (top / "out" / "file").write_text("secret")
        files, link = guarded(top), top / "proj" / "link"
        link.symlink_to("in/file")
        seen: set[bytes | None] = set()
        with turning(link, top / "proj" / "in" / "file", top / "out" / "file"):
            for _ in tries(seconds):
                try:
                    seen.add(files.read(link))
                except ToolError:
                    seen.add(None)
        assert seen <= {b"public", None}

    @SECONDS
    def test_reading_in_a_directory_that_becomes_a_link(self, top: Path, seconds: float) -> None:
        (top / "proj" / "in" / "file").write_text("public")
        (top / "out" / "file").write_text("secret")
        files = guarded(top)
        seen: set[bytes | None] = set()
        with exchanging(top / "proj" / "in", top / "out"):
            for _ in tries(seconds):
                try:
                    seen.add(files.read(top / "proj" / "in" / "file"))
                except ToolError:
                    seen.add(None)
        assert seen <= {b"public", None}

    @SECONDS
    def test_listing_a_directory_that_becomes_a_link(self, top: Path, seconds: float) -> None:
        (top / "proj" / "in" / "public").touch()
        (top / "out" / "secret").touch()
        files = guarded(top)
        seen: set[str] = set()
        with exchanging(top / "proj" / "in", top / "out"):
            for _ in tries(seconds):
                with suppress(ToolError, OSError), files.folder(top / "proj" / "in") as folder:
                    seen.update(os.listdir(folder))  # noqa: PTH208 - by its descriptor
        assert seen <= {"public"}

    @SECONDS
    @pytest.mark.parametrize("names", [1, 2])
    def test_writing_through_a_link_that_turns(self, top: Path, names: int, seconds: float) -> None:
        for place in ("proj/in", "out"):
            (top / place / "file").write_text("as it was")
            if names == 2:
                (top / place / "other").hardlink_to(top / place / "file")
        permit = Permit(Places(root=top / "proj", home=top / "home"))
        permit.allow(f"{top}/proj/in/file", "write")
        files, link = Files(permit=permit), top / "proj" / "link"
        link.symlink_to("in")
        with turning(link, top / "proj" / "in", top / "out"):
            for number in tries(seconds):
                with suppress(ToolError):
                    files.write(link / "file", b"%d" % number)
                with suppress(ToolError):
                    files.write(link / f"new{number % 7}" / "file", b"x")
        assert (top / "out" / "file").read_text() == "as it was"
        assert {path.name for path in (top / "out").iterdir()} == {"file", "other"} - (
            {"other"} if names == 1 else set()
        )

    @SECONDS
    def test_writing_in_a_directory_that_becomes_a_link(self, top: Path, seconds: float) -> None:
        (top / "out" / "file").write_text("as it was")
        files = guarded(top)
        with exchanging(top / "proj" / "in", top / "out"):
            for _ in tries(seconds):
                with suppress(ToolError):
                    files.write(top / "proj" / "in" / "file", b"x")
                with suppress(ToolError):
                    files.write(top / "proj" / "in" / "new" / "file", b"x")
        assert [path.name for path in (top / "out").iterdir()] == ["file"]
        assert (top / "out" / "file").read_text() == "as it was"
