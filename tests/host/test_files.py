"""Files are read with care, replaced whole, and never overwritten unseen."""

import os
import resource
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.files import LARGEST, Files, digest, missing, resolve

AS_ROOT = os.geteuid() == 0
NOBODY = 65534
START = (
    "import os, sys, resource\nfrom pathlib import Path\nfrom ferrule.core.errors import ToolError\n"
    "from ferrule.host.files import Files, digest\n"
)


@pytest.fixture
def files() -> Files:
    return Files()


def names(directory: Path) -> set[str]:
    return {entry.name for entry in directory.iterdir()}


def in_child(code: str, *arguments: object) -> None:
    """Run a piece of Python in a process of its own; its assertions are ours."""
    command = [sys.executable, "-c", START + code, *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that other users may use as well."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o777)
        yield Path(directory)


class TestReading:
    def test_bytes_as_they_are(self, files: Files, tmp_path: Path) -> None:
        for data in (b"", b"a\r\n\0\xff", os.urandom(300_000)):
            (tmp_path / "a").write_bytes(data)
            assert files.read(tmp_path / "a") == data

    def test_files_without_a_size(self, files: Files) -> None:
        if not Path("/proc/self/status").exists():
            pytest.skip("no /proc here")
        assert files.read(Path("/proc/self/status")).startswith(b"Name:")

    def test_a_name_longer_than_any(self, files: Files, tmp_path: Path) -> None:
        with pytest.raises(ToolError, match="There is no file"):
            files.read(tmp_path.joinpath(*["d" * 200] * 30))

    def test_what_is_no_file(self, files: Files, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to("pipe")
        os.mknod(tmp_path / "socket", stat.S_IFSOCK | 0o600)
        for path, words in [
            (tmp_path, "is a directory; use ls"),
            (tmp_path / "pipe", "is a named pipe"),
            (tmp_path / "link", "is a named pipe"),
            (tmp_path / "socket", "is a socket"),
            (Path("/dev/zero"), "is a device|/dev/zero could not be written: permission denied"),
        ]:
            with pytest.raises(ToolError, match=words):
                files.read(path)
            with pytest.raises(ToolError, match=words):
                files.write(path, b"x")
        assert names(tmp_path) == {"pipe", "link", "socket"}
        assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)

    def test_names_that_cannot_be(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        (tmp_path / "round").symlink_to("about")
        (tmp_path / "about").symlink_to("round")
        for path, words in [
            (tmp_path / "a\0b", "NUL"),
            (tmp_path / "\ud800", "surrogate"),
            (tmp_path / ("x" * 256), "name is too long"),
            (tmp_path / "file" / "below", "a part of the path is a file"),
            (tmp_path / "round", "lead in a circle"),
        ]:
            with pytest.raises(ToolError, match=words):
                files.read(path)
            with pytest.raises(ToolError, match=words):
                files.write(path, b"x")
        assert names(tmp_path) == {"file", "round", "about"}

    def test_too_large(self, files: Files, tmp_path: Path) -> None:
        with (tmp_path / "big").open("wb") as file:
            file.truncate(LARGEST + 1)
        with pytest.raises(ToolError, match="too large: over 64 MB"):
            files.read(tmp_path / "big")

    def test_missing(self, files: Files, tmp_path: Path) -> None:
        for name in ("config.py", "Readme.md", "zebra"):
            (tmp_path / name).write_text("x")
        for path, words in [
            (tmp_path / "confg.py", f"There is no file {tmp_path}/confg.py. Beside it there is config.py."),
            (tmp_path / "README.md", f"There is no file {tmp_path}/README.md. Beside it there is Readme.md."),
            (tmp_path / "q", f"There is no file {tmp_path}/q."),
            (tmp_path / "no" / "q", f"There is no file {tmp_path}/no/q: its directory does not exist."),
        ]:
            with pytest.raises(ToolError) as caught:
                files.read(path)
            assert str(caught.value) == words
        (tmp_path / "dangling").symlink_to("nowhere")
        with pytest.raises(ToolError, match="There is no file"):
            files.read(tmp_path / "dangling")

    def test_names_that_are_no_utf_8_can_be_said(self, tmp_path: Path) -> None:
        try:
            (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
        except OSError:
            pytest.skip("this file system wants UTF-8")
        assert "caf�.txt" in str(missing(tmp_path / "cafe.txt"))

    @pytest.mark.skipif(not AS_ROOT, reason="needs root, to become someone else")
    def test_permission(self, public: Path) -> None:
        (public / "secret").write_text("x")
        (public / "secret").chmod(0o600)
        in_child(
            f"os.setuid({NOBODY})\n"
            "try: Files().read(Path(sys.argv[1]))\n"
            "except ToolError as error: assert str(error).endswith('could not be read: permission denied.'), error\n"
            "else: raise AssertionError",
            public / "secret",
        )


class TestRemembering:
    def test_what_was_read(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        assert (files.seen(path), files.stale(path, b"other")) == (False, False)
        files.read(path)
        assert (files.seen(path), files.stale(path, b"one"), files.stale(path, b"other")) == (True, False, True)
        assert files.stale(path, None)

    def test_what_was_written(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        files.write(path, b"one")
        assert files.seen(path)
        assert files.current(path) == b"one"
        path.write_text("two")
        with pytest.raises(ToolError, match="changed on disk since it was last read"):
            files.current(path)

    def test_touching_is_no_change(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        files.read(path)
        os.utime(path, (1, 1))
        path.chmod(0o600)
        assert files.current(path) == b"one"

    def test_same_time_and_size_but_other_bytes(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        files.read(path)
        info = path.stat()
        path.write_text("two")
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
        with pytest.raises(ToolError, match="changed on disk"):
            files.current(path)

    def test_replaced_by_another_file(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        files.read(path)
        (tmp_path / "b").write_text("two")
        (tmp_path / "b").rename(path)
        with pytest.raises(ToolError, match="changed on disk"):
            files.current(path)

    def test_deleted_is_said_once(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        files.read(path)
        path.unlink()
        with pytest.raises(ToolError, match="was deleted after it was last read"):
            files.current(path)
        assert files.current(path) is None
        assert not files.seen(path)

    def test_reading_what_is_gone_forgets_it(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        files.read(path)
        path.unlink()
        with pytest.raises(ToolError, match="There is no file"):
            files.read(path)
        assert files.current(path) is None

    def test_one_file_under_two_names(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("one")
        (tmp_path / "link").symlink_to("a")
        files.read(tmp_path / "link")
        assert files.seen(tmp_path / "a")
        files.write(tmp_path / "a", b"two")
        assert files.current(tmp_path / "link") == b"two"

    def test_link_that_leads_elsewhere_now(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("one")
        (tmp_path / "b").write_text("two")
        link = tmp_path / "link"
        link.symlink_to("a")
        files.read(link)
        link.unlink()
        link.symlink_to("b")
        with pytest.raises(ToolError, match="changed on disk"):
            files.current(link)
        files.read(link)
        assert files.current(link) == b"two"

    def test_looking_is_not_reading(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("one")
        assert files.current(tmp_path / "a") == b"one"
        assert not files.seen(tmp_path / "a")


class TestWriting:
    def test_new_file_and_its_directories(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "c.txt"
        mask = os.umask(0o027)
        try:
            files.write(path, b"\0exactly\r\n\xff")
        finally:
            os.umask(mask)
        assert path.read_bytes() == b"\0exactly\r\n\xff"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert names(path.parent) == {"c.txt"}

    def test_empty(self, files: Files, tmp_path: Path) -> None:
        files.write(tmp_path / "a", b"")
        assert (tmp_path / "a").read_bytes() == b""

    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o6755, 0o1644])
    def test_mode_is_kept(self, files: Files, tmp_path: Path, mode: int) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        path.chmod(mode)
        before = path.stat().st_ino
        files.write(path, b"two")
        assert stat.S_IMODE(path.stat().st_mode) == mode
        assert path.stat().st_ino != before

    @pytest.mark.skipif(not AS_ROOT, reason="only root gives files away")
    def test_owner_is_kept(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        os.chown(path, 1234, 4321)
        path.chmod(0o4755)
        files.write(path, b"two")
        info = path.stat()
        assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (1234, 4321, 0o4755)

    @pytest.mark.skipif(not AS_ROOT, reason="needs root, to become someone else")
    def test_set_user_id_is_not_lent(self, public: Path) -> None:
        path = public / "a"
        path.write_text("one")
        path.chmod(0o4777)
        in_child(f"os.setgid({NOBODY})\nos.setuid({NOBODY})\nFiles().write(Path(sys.argv[1]), b'two')", path)
        info = path.stat()
        assert (path.read_bytes(), info.st_uid, stat.S_IMODE(info.st_mode)) == (b"two", NOBODY, 0o777)

    def test_extended_attributes_are_kept(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        try:
            os.setxattr(path, "user.origin", b"here")
        except (OSError, AttributeError):
            pytest.skip("no extended attributes here")
        files.write(path, b"two")
        assert os.getxattr(path, "user.origin") == b"here"

    def test_symlinks_are_followed_and_stay(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "real" / "file").write_text("one")
        (tmp_path / "middle").symlink_to("real/file")
        (tmp_path / "link").symlink_to(tmp_path / "middle")
        (tmp_path / "folder").symlink_to("real", target_is_directory=True)
        files.write(tmp_path / "link", b"two")
        assert (tmp_path / "real" / "file").read_bytes() == b"two"
        files.write(tmp_path / "folder" / "file", b"three")
        assert (tmp_path / "real" / "file").read_bytes() == b"three"
        assert (tmp_path / "link").readlink() == tmp_path / "middle"
        assert (tmp_path / "middle").readlink() == Path("real/file")
        assert names(tmp_path) == {"real", "middle", "link", "folder"}
        assert names(tmp_path / "real") == {"file"}

    def test_dangling_symlink_makes_its_target(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("new/file")
        files.write(tmp_path / "link", b"one")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "new" / "file").read_bytes() == b"one"

    def test_hard_links_are_kept(self, files: Files, tmp_path: Path) -> None:
        path, other = tmp_path / "a", tmp_path / "b"
        for before, after in [(b"short", b"longer by far"), (b"longer by far", b"short"), (b"x", b"")]:
            path.write_bytes(before)
            other.unlink(missing_ok=True)
            other.hardlink_to(path)
            files.write(path, after, expected=digest(before))
            assert (path.read_bytes(), other.read_bytes(), path.samefile(other)) == (after, after, True)
        assert names(tmp_path) == {"a", "b"}

    def test_name_of_the_greatest_length(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / ("x" * 255)
        files.write(path, b"one")
        files.write(path, b"two")
        assert path.read_bytes() == b"two"

    def test_expected(self, files: Files, tmp_path: Path) -> None:
        path = tmp_path / "a"
        files.write(path, b"one", expected=digest(None))
        files.write(path, b"two", expected=digest(b"one"))
        path.write_bytes(b"changed")
        was = path.stat()
        for expected in (digest(b"two"), digest(None)):
            with pytest.raises(ToolError, match="was changed by another program just now"):
                files.write(path, b"three", expected=expected)
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (b"changed", was.st_mtime_ns)
        path.unlink()
        with pytest.raises(ToolError, match="was changed by another program just now"):
            files.write(path, b"three", expected=digest(b"changed"))
        assert names(tmp_path) == set()

    def test_two_processes_lose_no_update(self, tmp_path: Path) -> None:
        counter = tmp_path / "counter"
        counter.write_text("0")
        code = (
            "path, done = Path(sys.argv[1]), 0\n"
            "while done < 15:\n"
            "    before = Files().read(path)\n"
            "    try: Files().write(path, str(int(before) + 1).encode(), expected=digest(before))\n"
            "    except ToolError: continue\n"
            "    done += 1\n"
        )
        children = [subprocess.Popen([sys.executable, "-c", START + code, str(counter)]) for _ in range(3)]
        assert [child.wait(50) for child in children] == [0, 0, 0]
        assert counter.read_text() == "45"
        assert names(tmp_path) == {"counter"}


class TestFailing:
    """Whatever goes wrong, the old file is untouched and nothing is left behind."""

    def test_parent_is_a_file(self, files: Files, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(ToolError, match="could not be written: a part of the path is a file"):
            files.write(tmp_path / "file" / "deep" / "er", b"x")
        assert names(tmp_path) == {"file"}

    def test_made_directories_go_again(self, files: Files, tmp_path: Path) -> None:
        for name in ("new/newer/" + "x" * 300, f"new/{'x' * 300}/newer"):
            with pytest.raises(ToolError, match="name is too long"):
                files.write(tmp_path / name, b"x")
        assert names(tmp_path) == set()

    @pytest.mark.skipif(not AS_ROOT, reason="needs root, to become someone else")
    @pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o666, 0o755), (0o444, 0o777), (0o644, 0o777)])
    def test_permission(self, public: Path, file_mode: int, folder_mode: int) -> None:
        path = public / "a"
        path.write_text("one")
        path.chmod(file_mode)
        public.chmod(folder_mode)
        in_child(
            f"os.setuid({NOBODY})\n"
            "try: Files().write(Path(sys.argv[1]), b'two')\n"
            "except ToolError as error: assert str(error).endswith('could not be written: permission denied.'), error\n"
            "else: raise AssertionError",
            path,
        )
        assert (path.read_text(), names(public)) == ("one", {"a"})

    @pytest.mark.parametrize("links", [1, 2])
    def test_file_size_limit(self, tmp_path: Path, links: int) -> None:
        path = tmp_path / "a"
        path.write_text("one")
        if links == 2:
            (tmp_path / "b").hardlink_to(path)
        before = names(tmp_path)
        in_child(
            f"resource.setrlimit(resource.RLIMIT_FSIZE, (1000, {resource.RLIM_INFINITY}))\n"
            "try: Files().write(Path(sys.argv[1]), b'x' * 5000)\n"
            "except ToolError as error: assert 'larger than the system allows' in str(error), error\n"
            "else: raise AssertionError",
            path,
        )
        assert (path.read_text(), names(tmp_path)) == ("one", before)

    def test_full_disk(self, files: Files, small_disk: Path) -> None:
        for name in ("a", "b", "c"):
            (small_disk / name).write_bytes(b"x" * 10_000)
        (small_disk / "link").hardlink_to(small_disk / "b")
        before = names(small_disk)
        for name, size in [("a", 100_000), ("b", 100_000), ("new/file", 100_000), ("b", 25_000)]:
            with pytest.raises(ToolError, match=r"could not be written: the disk is full\."):
                files.write(small_disk / name, b"y" * size)
        assert {(small_disk / name).read_bytes() for name in before} == {b"x" * 10_000}
        assert names(small_disk) == before
        files.write(small_disk / "a", b"there was room for this")

    def test_read_only_disk(self, files: Files, small_disk: Path) -> None:
        (small_disk / "a").write_bytes(b"one")
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        for name in ("a", "b", "new/file"):
            with pytest.raises(ToolError, match="could not be written: the file system is read-only"):
                files.write(small_disk / name, b"two")
        assert (names(small_disk), files.read(small_disk / "a")) == ({"a"}, b"one")

    def test_lock_held_by_another(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("one")
        in_child(
            "import fcntl\nimport ferrule.host.replace as replace\nreplace.LOCK_SECONDS = 0.05\n"
            "folder = os.open(sys.argv[1], os.O_RDONLY)\nfcntl.flock(folder, fcntl.LOCK_EX)\n"
            "try: Files().write(Path(sys.argv[1]) / 'a', b'two')\n"
            "except ToolError as error: assert 'another program holds a lock' in str(error), error\n"
            "else: raise AssertionError",
            tmp_path,
        )
        assert ((tmp_path / "a").read_text(), names(tmp_path)) == ("one", {"a"})


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB, where one can be had."""
    disk = tmp_path / "disk"
    disk.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


class TestResolving:
    def test_paths(self, tmp_path: Path) -> None:
        home = Path.home()
        assert resolve(tmp_path, "a/b") == tmp_path / "a" / "b"
        assert resolve(tmp_path, "/etc/hosts") == Path("/etc/hosts")
        assert resolve(tmp_path, "~/a") == home / "a"
        assert resolve(tmp_path, "~nobody-of-that-name/a") == tmp_path / "~nobody-of-that-name" / "a"
        assert resolve(tmp_path, "a~") == tmp_path / "a~"
        assert resolve(tmp_path, "../a") == tmp_path / ".." / "a"
        assert resolve(tmp_path, "") == tmp_path

    def test_links_stay(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("elsewhere")
        assert resolve(tmp_path, "link") == tmp_path / "link"

    @pytest.mark.parametrize("name", ["a\0", "\0", "~\0", "\ud800"])
    def test_impossible(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(ToolError):
            resolve(tmp_path, name)


def test_digest() -> None:
    assert len({digest(None), digest(b""), digest(b"a")}) == 3
