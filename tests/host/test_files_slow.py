"""A writer that is killed leaves old bytes or new bytes, never a mix; many writers lose nothing."""

import itertools
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SIZE = 400_000
START = (
    "import sys\nfrom pathlib import Path\nfrom ferrule.core.errors import ToolError\n"
    "from ferrule.host.files import Files, digest\n"
)
WRITER = (
    "path, files = Path(sys.argv[1]), Files()\n"
    "print('ready', flush=True)\n"
    "while True:\n"
    "    for letter in (b'a', b'b'):\n"
    f"        files.write(path, letter * {SIZE})\n"
)
COUNTER = (
    "path, done = Path(sys.argv[1]), 0\n"
    "while done < 250:\n"
    "    before = Files().read(path)\n"
    "    try: Files().write(path, str(int(before) + 1).encode(), expected=digest(before))\n"
    "    except ToolError: continue\n"
    "    done += 1\n"
)


def test_killed_at_200_random_points(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * SIZE)
    path.chmod(0o640)
    delays = random.Random(7)
    seen: set[bytes] = set()
    for _ in range(200):
        with subprocess.Popen([sys.executable, "-c", START + WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(delays.uniform(0, 0.03))  # the moment of the kill is what is tried
            writer.kill()
        data = path.read_bytes()
        assert data in {b"a" * SIZE, b"b" * SIZE}, "a mix of old and new bytes"
        assert path.stat().st_mode & 0o7777 == 0o640
        seen.add(data[:1])
    assert seen == {b"a", b"b"}, "no write was ever finished"
    others = [entry.name for entry in tmp_path.iterdir() if entry != path]
    assert all(re.fullmatch(r"\.ferrule-[0-9a-f]{16}\.tmp", name) for name in others)


def test_killed_while_overwriting_a_linked_file(tmp_path: Path) -> None:
    """In place there can be a mix after a kill; then the new bytes lie whole in the temporary file."""
    path, other = tmp_path / "file", tmp_path / "other"
    delays = random.Random(8)
    whole = {b"a" * SIZE, b"b" * SIZE}
    path.write_bytes(b"a" * SIZE)
    other.hardlink_to(path)
    for _ in range(100):
        with subprocess.Popen([sys.executable, "-c", START + WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(delays.uniform(0, 0.03))
            writer.kill()
        assert path.samefile(other)
        left = [entry for entry in tmp_path.iterdir() if entry.name.startswith(".ferrule-")]
        assert path.read_bytes() in whole or any(entry.read_bytes() in whole for entry in left)
        for entry in left:
            entry.unlink()
        path.write_bytes(b"a" * SIZE)


def test_four_writers_lose_no_update(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    writers = [subprocess.Popen([sys.executable, "-c", START + COUNTER, str(counter)]) for _ in range(4)]
    assert [writer.wait(600) for writer in writers] == [0, 0, 0, 0]
    assert counter.read_text() == "1000"
    assert [entry.name for entry in tmp_path.iterdir()] == ["counter"]


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * SIZE)
    with subprocess.Popen([sys.executable, "-c", START + WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        deadline = time.monotonic() + 5
        for reads in itertools.count():
            assert path.read_bytes() in {b"a" * SIZE, b"b" * SIZE}
            if time.monotonic() > deadline:
                assert reads > 100
                break
        writer.kill()
