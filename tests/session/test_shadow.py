"""The shadow repository: what is kept, what is remembered, what is cleared out, and what a kill leaves behind."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ferrule.core.errors import SessionError
from ferrule.session.checkpoints import Checkpoints
from ferrule.session.shadow.git import Git
from ferrule.session.shadow.store import Store
from ferrule.session.shadow.trees import Difference, Entry, decode, differences, encode, name_of, plant
from tests.session.test_checkpoints_random import PERSON, act
from tests.session.trees import state_of
from tests.support import until


def project(place: Path, files: int) -> Path:
    root = place / "project"
    folders = [root / f"d{number % 20}" / f"e{number % 3}" for number in range(60)]
    for folder in folders[:files]:
        folder.mkdir(parents=True)
    for number in range(files):
        (folders[number % 60] / f"f{number}").write_text(f"{number}\n")
    return root


async def from_scratch(root: Path, place: Path) -> str:
    """The record that someone makes who has never seen the files."""
    return await Checkpoints(root, place / f"fresh-{os.urandom(4).hex()}").record()


def test_a_tree_is_read_as_it_was_written() -> None:
    entries = {
        "a": Entry(0o100644, b"1" * 20),
        "a.b": Entry(0o104711, b"2" * 20),
        "a-": Entry(0o40700, b"3" * 20),
        "left": Entry(0o160000, b"4" * 20),
        os.fsdecode(b"\xff\n "): Entry(0o120000, b"5" * 20),
    }
    assert decode(encode(entries)) == entries
    for name in (b"..", b".", b"", b"a/b"):
        with pytest.raises(ValueError):
            decode(b"100644 " + name + b"\0" + b"1" * 20)


def test_trees_differ_by_path_and_unknown_contents_are_not_compared() -> None:
    kept: dict[bytes, bytes] = {}

    def put(data: bytes) -> bytes:
        kept[id_ := name_of(b"tree", data)] = data
        return id_

    file, other, left = Entry(0o100644, b"1" * 20), Entry(0o100755, b"2" * 20), Entry(0o160000, b"3" * 20)
    before = plant({"a": file, "d/e": file, "d/f": file, "x/y": file}, put)
    after = put(encode({"a": other, "d": Entry(0o40000, plant({"e": file}, put)), "x": left}))
    put(b"")
    found = list(differences(before, after, kept.__getitem__))
    assert found == [
        Difference("a", file, other),
        Difference("d/f", file, None),
        Difference("x", Entry(0o40000, plant({"y": file}, put)), left),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
async def test_a_glance_at_a_large_project_misses_nothing(tmp_path: Path, seed: int) -> None:
    root, rng = project(tmp_path, 2_100), random.Random(seed)
    checkpoints = Checkpoints(root, tmp_path / "store")
    await checkpoints.record()
    assert list((tmp_path / "store").glob("index-*"))
    for _ in range(6 if seed else 3):
        for _ in range(rng.randint(1, 4)):
            path = root / f"d{rng.randrange(20)}" / f"e{rng.randrange(3)}"
            act(rng, rng.choice([root, path, path.parent]), PERSON, 2) if path.is_dir() else None
        victim = rng.choice([root / path for path, item in state_of(root).items() if item[0] == "file" and item[2]])
        looks = victim.stat()
        with victim.open("r+b") as file:  # in place, of the same size, and back-dated
            file.write(bytes([file.read(1)[0] ^ 1]))
        os.utime(victim, ns=(looks.st_atime_ns, looks.st_mtime_ns))
        assert await checkpoints.record() == await from_scratch(root, tmp_path)
    await checkpoints.close()
    assert not list((tmp_path / "store").glob("index-*"))


async def test_a_glance_sees_a_change_in_the_second_of_the_record(tmp_path: Path) -> None:
    root = project(tmp_path, 2_100)
    checkpoints = Checkpoints(root, tmp_path / "store")
    await checkpoints.record()
    for number in range(3):
        with (root / "d7" / "e1" / "f7").open("r+") as file:
            file.write(str(number))
        before = await checkpoints.record()
        with (root / "d7" / "e1" / "f7").open("r+") as file:
            file.write("x")
        assert await checkpoints.record() != before
    assert await checkpoints.record() == await from_scratch(root, tmp_path)


async def test_rules_that_change_are_heard_at_a_glance(tmp_path: Path) -> None:
    root = project(tmp_path, 2_100)
    (root / "d1" / "build").mkdir()
    (root / "d1" / "build" / "a").write_text("1\n")
    (root / ".git" / "info").mkdir(parents=True)
    checkpoints = Checkpoints(root, tmp_path / "store")
    left_out = []
    for path, rules in [("none", ""), (".gitignore", "build\n"), (".gitignore", ""), (".git/info/exclude", "build\n")]:
        (root / path).write_text(rules)
        await checkpoints.record()
        left_out.append(checkpoints.left_out)
    hidden = ("d1/build: installed or built by other programs",)
    assert left_out == [(), hidden, (), hidden]


async def test_the_last_look_is_remembered(tmp_path: Path) -> None:
    root = project(tmp_path, 60)
    made = max(path.stat().st_ctime_ns for path in root.rglob("*"))
    await until(lambda: time.time_ns() > made + 50_000_000)  # so that the files count as left alone
    first = Checkpoints(root, tmp_path / "store")
    before = await first.record()
    await first.close()
    id_ = name_of(b"blob", b"5\n").hex()
    blob = tmp_path / "store" / "objects" / id_[:2] / id_[2:]
    blob.unlink()
    second = Checkpoints(root, tmp_path / "store")
    assert await second.record() == before
    assert not blob.exists()  # nobody read the file again
    (tmp_path / "store" / "last-look").write_bytes(b"rubbish")
    assert await Checkpoints(root, tmp_path / "store").record() == before
    assert blob.exists()


async def test_a_last_look_at_another_project_is_no_use(tmp_path: Path) -> None:
    root = project(tmp_path, 60)
    first = Checkpoints(root, tmp_path / "store")
    await first.record()
    await first.close()
    moved = root.rename(tmp_path / "moved")
    (moved / "d1" / "e1" / "f1").write_text("other\n")
    assert await Checkpoints(moved, tmp_path / "store").record() == await from_scratch(moved, tmp_path)


async def test_records_that_nobody_needs_are_cleared_out(tmp_path: Path) -> None:
    root = project(tmp_path, 300)
    checkpoints = Checkpoints(root, tmp_path / "store")
    records = []
    for number in range(4):
        (root / "a").write_text(f"{number}\n" * 1000)
        records.append(await checkpoints.record())
    store = Store(tmp_path / "store", Git(root, tmp_path / "store"))
    assert await checkpoints.forget([]) == 0  # all of them are young
    for ref in (tmp_path / "store" / "refs" / "ferrule").iterdir():
        os.utime(ref, (1, 1))
    (tmp_path / "store" / "index-1-abc").write_text("left behind")
    os.utime(tmp_path / "store" / "index-1-abc", (1, 1))
    with store.in_use():
        assert await checkpoints.forget([records[0]]) == 0
    assert await checkpoints.forget([records[0]]) == 2
    assert not (tmp_path / "store" / "index-1-abc").exists()
    assert (await checkpoints.apply(frm=records[3], to=records[0])).conflicts == ()
    assert (root / "a").read_text() == "0\n" * 1000
    assert await checkpoints.record() == records[0]


async def test_what_another_cleared_out_is_recorded_again(tmp_path: Path) -> None:
    root = project(tmp_path, 30)
    checkpoints, other = Checkpoints(root, tmp_path / "store"), Checkpoints(root, tmp_path / "store")
    before = await checkpoints.record()
    await checkpoints.close()
    (tmp_path / "store" / "last-look").unlink(missing_ok=True)
    for path in (tmp_path / "store").rglob("*"):
        os.utime(path, (1, 1))
    assert await other.forget([]) == 1
    assert not [path for path in (tmp_path / "store" / "objects").glob("??/*") if path.is_file()]
    assert await checkpoints.record() == before
    (root / "d1" / "e1" / "f1").unlink()
    after = await checkpoints.record()
    assert (await checkpoints.apply(frm=after, to=before)).conflicts == ()
    assert (root / "d1" / "e1" / "f1").read_text() == "1\n"


async def test_a_pack_that_another_is_about_to_finish_is_in_nobodys_way(tmp_path: Path) -> None:
    root, store = project(tmp_path, 400), tmp_path / "store"
    before = await Checkpoints(root, store).record()
    (pack,) = (store / "objects" / "pack").glob("*.pack")
    kept = pack.with_suffix(".keep")  # which is there while git finishes a pack, or for good where git was killed
    kept.touch()
    pack.unlink()
    pack.with_suffix(".idx").unlink()
    checkpoints = Checkpoints(root, store)
    assert await checkpoints.record() == before
    os.utime(kept, (1, 1))
    await checkpoints.forget([])
    assert not kept.exists()


async def test_a_busy_store_is_waited_for_and_then_said(tmp_path: Path) -> None:
    root = project(tmp_path, 3)
    store = Store(tmp_path / "store", Git(root, tmp_path / "store"))
    store.make()
    command = "import fcntl, sys; file = open(sys.argv[1], 'w'); fcntl.flock(file, 2); print('x', flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", command, tmp_path / "store" / "lock"], stdin=-1, stdout=-1)
    try:
        assert holder.stdout
        assert holder.stdout.read(1) == b"x"
        waiting = asyncio.create_task(Checkpoints(root, tmp_path / "store").record())
        await asyncio.sleep(0)
        assert not waiting.done()
    finally:
        holder.kill()
        holder.communicate()
    assert len(await waiting) == 40


async def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    root = project(tmp_path, 3)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SessionError, match="Changes cannot be recorded"):
        await Checkpoints(root, tmp_path / "file" / "store").record()
    with pytest.raises(SessionError, match="cannot be recorded or restored"):
        await Checkpoints(tmp_path / "nowhere", tmp_path / "store").record()


async def test_calling_off_a_record_ends_it(tmp_path: Path) -> None:
    root = project(tmp_path, 1_500)
    checkpoints = Checkpoints(root, tmp_path / "store")
    task = asyncio.create_task(checkpoints.record())
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await checkpoints.record() == await from_scratch(root, tmp_path)


SHARING = """
import asyncio, os, sys, time
from pathlib import Path
from ferrule.session.checkpoints import Checkpoints
me, root, store = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
async def main():
    checkpoints = Checkpoints(root, store)
    for number in range(40):
        before = await checkpoints.record()
        (root / me).write_text(f"{me} {number} " * 50)
        after = await checkpoints.record()
        changed = {change.path for change in await checkpoints.changes(before, after)}
        assert me in changed, changed
        assert f"{me} {number} " in await checkpoints.diff(before, after)
        for ref in (store / "refs" / "ferrule").iterdir():
            if ref.name not in {before, after} and number % 10 == 9:
                try:
                    os.utime(ref, (1, 1))
                except FileNotFoundError:
                    pass
        await checkpoints.forget({before, after})
    await checkpoints.close()
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_several_at_once_record_and_clear_out(tmp_path: Path) -> None:
    root = project(tmp_path, 400)
    line = [sys.executable, "-c", SHARING]
    several = [subprocess.Popen([*line, name, root, tmp_path / "store"]) for name in ("one", "two", "three")]
    assert [process.wait() for process in several] == [0, 0, 0]
    git = ["git", f"--git-dir={tmp_path}/store", "fsck", "--connectivity-only"]
    assert subprocess.run(git, capture_output=True).returncode == 0


KILLED = """
import asyncio, sys
from pathlib import Path
from ferrule.session.checkpoints import Checkpoints
asyncio.run(Checkpoints(Path(sys.argv[1]), Path(sys.argv[2])).apply(frm=sys.argv[3], to=sys.argv[4]))
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_undo_that_is_killed_loses_nothing_and_is_completed_by_another(tmp_path: Path) -> None:
    root, rng, cut = project(tmp_path, 150), random.Random(1), 0
    checkpoints = Checkpoints(root, tmp_path / "store")
    found, before = state_of(root), await checkpoints.record()
    script = (
        "find . -name 'f1*' -delete; for f in $(find . -name 'f2*'); do mv $f $f.moved; done; rm -r d5; echo 1 > d5;"
        "find . -name 'f3*' -exec sh -c 'echo more >> $1; chmod 600 $1' - {} ';'; mkdir -p new/er; echo 1 > new/er/x"
    )
    subprocess.run(["bash", "-c", script], cwd=root, check=True)
    left, after = state_of(root), await checkpoints.record()
    for number in range(30):
        there, back = (after, left), (before, found)
        (frm, was), (to, wanted) = (back, there) if number % 2 else (there, back)
        coming = [root / path for path in wanted if path not in was]
        line = [sys.executable, "-c", KILLED, str(root), str(tmp_path / "store"), frm, to]
        process, enough = subprocess.Popen(line), rng.randint(1, len(coming))
        while process.poll() is None and sum(map(os.path.lexists, coming)) < enough:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        middle = {path: item for path, item in state_of(root).items() if ".ferrule-" not in path}
        cut += middle not in (found, left)
        assert all(item in (found.get(path), left.get(path)) or item[0] == "folder" for path, item in middle.items())
        assert (await checkpoints.apply(frm=frm, to=to)).conflicts == ()
        subprocess.run(["find", root, "-name", ".ferrule-*.tmp", "-delete"], check=True)
        assert state_of(root) == wanted
    assert cut > 2
