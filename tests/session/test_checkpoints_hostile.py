"""Projects that try to run something, to get out, or to be endless."""

import asyncio
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ferrule.core.errors import SessionError
from ferrule.session.checkpoints import Change, Checkpoints, Conflict, Limits
from tests.session.trees import state_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def checkpoints(root: Path) -> Checkpoints:
    return Checkpoints(root, root.parent / "store")


def run(root: Path, command: str) -> None:
    subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, check=True)


async def test_attributes_of_the_project_change_no_byte_and_run_nothing(root: Path, checkpoints: Checkpoints) -> None:
    canary = root.parent / "canary"
    (root / ".gitattributes").write_text(
        "[attr]evil filter=evil text eol=crlf ident working-tree-encoding=UTF-16\n"
        "* evil\n* text=auto eol=crlf ident filter=evil diff=evil merge=evil working-tree-encoding=UTF-16\n"
    )
    run(
        root,
        f"git init -q . && git config filter.evil.clean 'touch {canary}'"
        f" && git config filter.evil.smudge 'touch {canary}'"
        f" && git config filter.evil.process 'touch {canary}' && git config diff.evil.textconv 'touch {canary}; cat'"
        f" && git config diff.evil.command 'touch {canary}' && git config merge.evil.driver 'touch {canary}'"
        f" && git config core.fsmonitor 'touch {canary}' && git config core.hooksPath hooks"
        f" && git config alias.diff-tree '!touch {canary}'",
    )
    original = b"line\r\nother\n$Id$\n\r\r\n" + "ü".encode()
    files = {f"f{number}": original + str(number).encode() for number in range(300)}
    for name, data in files.items():
        (root / name).write_bytes(data)
    before = await checkpoints.record()
    for name in files:
        (root / name).write_bytes(b"$Id: evil$\r\n")
    after = await checkpoints.record()
    await checkpoints.diff(before, after)
    (root / "f0").write_bytes(b"$Id: evil$\r\nby hand\n")
    await checkpoints.apply(frm=after, to=before)
    assert {name: (root / name).read_bytes() for name in files if name != "f0"} == {
        name: data for name, data in files.items() if name != "f0"
    }
    assert not canary.exists()


async def test_the_environment_of_git_is_our_own(
    root: Path, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = root.parent / "elsewhere"
    run(root.parent, "git init -q elsewhere")
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"touch {root}/canary")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"touch {root}/canary")
    found = state_of(elsewhere / ".git")
    for number in range(300):
        (root / f"f{number}").write_text(str(number))
    before = await checkpoints.record()
    (root / "f1").write_text("other")
    assert "+other" in await checkpoints.diff(before)
    assert state_of(elsewhere / ".git") == found
    assert not (root / "canary").exists()


async def test_a_git_inside_the_project_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "bin").mkdir()
    (root / "bin" / "git").write_text(f"#!/bin/sh\ntouch {root}/canary\n")
    (root / "bin" / "git").chmod(0o755)
    (root.parent / "linked").symlink_to(root / "bin")
    monkeypatch.setenv("PATH", f"{root}/bin:{root.parent}/linked:bin:.:{os.environ['PATH']}")
    monkeypatch.chdir(root)
    checkpoints = Checkpoints(root, root.parent / "store")
    (root / "sub").mkdir()
    before = await checkpoints.record()
    (root / "a").write_text("1\n")
    assert "+1" in await checkpoints.diff(before)
    assert not (root / "canary").exists()


async def test_links_are_neither_followed_nor_left_through(root: Path, checkpoints: Checkpoints) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret\n")
    run(root, "ln -s ../outside out; ln -s . loop; mkdir d; ln -s .. d/up; mkdir real; echo 1 > real/secret")
    before = await checkpoints.record()
    assert checkpoints.left_out == ()
    run(root, "echo 2 > real/secret")
    after = await checkpoints.record()
    run(root, "rm -r real; ln -s ../outside real")
    applied = await checkpoints.apply(frm=after, to=before)
    assert applied.conflicts == (Conflict(path="real/secret", why="its directory is now a link or a file"),)
    assert state_of(outside) == {"secret": ("file", 0o644, b"secret\n")}


async def test_hard_links_to_the_outside_are_not_written_through(root: Path, checkpoints: Checkpoints) -> None:
    (root.parent / "outside").write_text("1\n")
    (root / "a").hardlink_to(root.parent / "outside")
    before = await checkpoints.record()
    (root / "a").write_text("2\n")
    after = await checkpoints.record()
    await checkpoints.apply(frm=after, to=before)
    assert (root / "a").read_text() == "1\n"
    assert (root.parent / "outside").read_text() == "2\n"


async def test_what_is_no_file_is_left_out_and_said(root: Path, checkpoints: Checkpoints) -> None:
    os.mkfifo(root / "pipe")
    os.mkfifo(root / ".gitignore")
    (root / ".GIT").mkdir()
    (root / "sub").mkdir()
    (root / "big").write_bytes(bytes(2_000_000))
    (root / "bigger").write_bytes(bytes(11_000_000))
    os.mknod(root / "socket", stat.S_IFSOCK | 0o600)
    async with asyncio.timeout(40):
        await checkpoints.record()
    assert checkpoints.left_out == (
        ".GIT: git's own files are git's business",
        ".gitignore: it is no file, directory or link",
        "bigger: it has 10.5 MB, more than 10",
        "pipe: it is no file, directory or link",
        "socket: it is no file, directory or link",
    )


async def test_caches_of_any_depth_are_swept_away(root: Path, checkpoints: Checkpoints) -> None:
    before = await checkpoints.record()
    (root / "d/__pycache__").mkdir(parents=True)
    (root / "d/a").write_text("1\n")
    here = os.open(root / "d/__pycache__", os.O_RDONLY)
    for _ in range(1_100):
        os.mkdir("x", dir_fd=here)
        above, here = here, os.open("x", os.O_RDONLY, dir_fd=here)
        os.close(above)
    os.close(here)
    after = await checkpoints.record()
    await checkpoints.apply(frm=after, to=before)
    assert state_of(root) == {}


async def test_a_pipe_in_place_of_gits_own_list_does_not_hang(root: Path, checkpoints: Checkpoints) -> None:
    (root / ".git" / "info").mkdir(parents=True)
    os.mkfifo(root / ".git" / "info" / "exclude")
    (root / "sub").mkdir()
    async with asyncio.timeout(40):
        await checkpoints.record()


async def test_a_git_file_that_points_elsewhere_leads_nowhere(root: Path, checkpoints: Checkpoints) -> None:
    run(root.parent, "git init -q other")
    (root / ".git").write_text(f"gitdir: {root.parent}/other/.git\n")
    found = state_of(root.parent / "other" / ".git")
    (root / "sub").mkdir()
    (root / "sub" / "a").write_text("1\n")
    before = await checkpoints.record()
    (root / "sub" / "a").write_text("2\n")
    assert "+2" in await checkpoints.diff(before)
    assert state_of(root.parent / "other" / ".git") == found


async def test_what_was_left_out_is_never_taken_for_missing(root: Path, checkpoints: Checkpoints) -> None:
    (root / "shrinks").write_bytes(bytes(11_000_000))
    (root / "grows").write_text("small\n")
    (root / "stays").write_bytes(bytes(11_000_000))
    before = await checkpoints.record()
    (root / "shrinks").write_text("small\n")
    (root / "grows").write_bytes(bytes(11_000_000))
    (root / "comes").write_bytes(bytes(11_000_000))
    (root / "a").write_text("1\n")
    after = await checkpoints.record()
    sizes = {path.name: path.stat().st_size for path in root.iterdir()}
    applied = await checkpoints.apply(frm=after, to=before)
    assert applied.changed == (Change(path="a", kind="deleted"),)
    assert [one.path for one in applied.left_out] == ["comes", "grows", "shrinks"]
    del sizes["a"]
    assert {path.name: path.stat().st_size for path in root.iterdir()} == sizes


async def test_ignored_files_are_recorded_within_bounds(root: Path) -> None:
    checkpoints = Checkpoints(root, root.parent / "store", limits=Limits(most_ignored=20))
    run(
        root,
        "printf '.env\\n*.log\\nbuild/\\nlocal/\\ncache/\\n' > .gitignore; echo secret > .env; "
        "mkdir -p build local cache src/build node_modules/x/y; echo 1 > build/a; echo 1 > local/a; "
        "for i in {1..30}; do echo 1 > cache/$i; done; echo 1 > src/build/a; echo 1 > node_modules/x/y/a; "
        "head -c 1500000 /dev/zero > big.log; echo 1 > small.log; "
        "mkdir inner; git init -q inner; echo out/ > inner/.gitignore; mkdir inner/out; echo 1 > inner/out/a",
    )
    before = await checkpoints.record()
    assert checkpoints.left_out == (
        "big.log: it has 1.4 MB, more than 1",
        "build: installed or built by other programs",
        "cache: it is ignored and holds more than 20 files",
        "inner/out: installed or built by other programs",
        "node_modules: installed or built by other programs",
        "src/build: installed or built by other programs",
    )
    run(root, "rm .env small.log; echo 2 > local/a; rm -r cache; rm .gitignore")
    after = await checkpoints.record()
    applied = await checkpoints.apply(frm=after, to=before)
    assert applied.changed == (
        Change(path=".env", kind="added"),
        Change(path=".gitignore", kind="added"),
        Change(path="local/a", kind="changed"),
        Change(path="small.log", kind="added"),
    )
    assert (root / "build" / "a").read_text() == "1\n"
    assert (root / "src" / "build" / "a").read_text() == "1\n"
    assert (root / ".env").read_text() == "secret\n"


async def test_a_step_that_changes_the_rules_takes_nothing_along(root: Path, checkpoints: Checkpoints) -> None:
    run(root, "mkdir dist; echo 1 > dist/a; echo 1 > b")
    before = await checkpoints.record()
    run(root, "echo dist > .gitignore; echo 2 > b")
    after = await checkpoints.record()
    redone = state_of(root)
    undone = await checkpoints.apply(frm=after, to=before)
    assert [change.path for change in undone.changed] == [".gitignore", "b"]
    assert state_of(root)["dist/a"] == ("file", 0o644, b"1\n")
    await checkpoints.apply(frm=before, to=after)
    assert state_of(root) == redone


async def test_a_tree_too_deep_or_too_wide_ends(root: Path) -> None:
    checkpoints = Checkpoints(root, root.parent / "store", limits=Limits(deepest=30, most=3_999))
    here = Path.cwd()
    try:
        os.chdir(root)
        for _ in range(400):
            Path("d" * 50).mkdir()
            os.chdir("d" * 50)
    finally:
        os.chdir(here)
    await checkpoints.record()
    assert [words.rpartition(": ")[2] for words in checkpoints.left_out] == ["it is too deep below the project"]
    (root / "wide").mkdir()
    for number in range(4_000):
        (root / "wide" / str(number)).touch()
    with pytest.raises(SessionError, match="more than 3,999 files"):
        await checkpoints.record()
    subprocess.run(["rm", "-rf", root], check=True)


async def test_many_long_names_do_not_block_the_question_what_is_ignored(root: Path, checkpoints: Checkpoints) -> None:
    (root / ".gitignore").write_text("*9\n" + "x" * 100_000 + "\n")
    deep = root.joinpath(*("d" * 240 for _ in range(6)))
    deep.mkdir(parents=True)
    for number in range(150):
        (deep / f"{number}-{'e' * 200}-{number}").mkdir()
    async with asyncio.timeout(40):
        before = await checkpoints.record()
        (deep / "f").touch()
        assert await checkpoints.record() != before
    assert checkpoints.left_out == ()


async def test_our_own_data_inside_the_project_is_left_alone(root: Path) -> None:
    store = root / "data" / "store"
    checkpoints = Checkpoints(root, store, apart=[root / "data" / "sessions"])
    (root / "data" / "sessions").mkdir(parents=True)
    (root / "a").write_text("1\n")
    before = await checkpoints.record()
    assert await checkpoints.record() == before
    (root / "data" / "sessions" / "log").write_text("said")
    (root / "a").write_text("2\n")
    after = await checkpoints.record()
    assert [change.path for change in await checkpoints.changes(before, after)] == ["a"]


async def test_what_a_killed_ferrule_left_behind_is_no_file_of_the_project(
    root: Path, checkpoints: Checkpoints
) -> None:
    before = await checkpoints.record()
    (root / ".ferrule-0123456789abcdef.tmp").write_text("half")
    (root / ".ferrule-notes").write_text("mine")
    after = await checkpoints.record()
    assert [change.path for change in await checkpoints.changes(before, after)] == [".ferrule-notes"]


async def test_files_that_change_all_the_time_are_recorded(root: Path, checkpoints: Checkpoints) -> None:
    command = "import sys\nwhile True:\n    open(sys.argv[1], 'w').write('x' * 5000)\n"
    writer = subprocess.Popen([sys.executable, "-c", command, str(root / "busy")])
    try:
        while not (root / "busy").exists():
            await asyncio.sleep(0.01)
        for number in range(10):
            (root / "quiet").write_text(str(number))
            before = await checkpoints.record()
            (root / "quiet").write_text("other")
            after = await checkpoints.record()
            assert "quiet" in {change.path for change in await checkpoints.changes(before, after)}
    finally:
        writer.kill()
        writer.wait()


async def test_a_damaged_store_is_said(root: Path, checkpoints: Checkpoints) -> None:
    (root / "a").write_text("1\n")
    before = await checkpoints.record()
    (root / "a").write_text("2\n")
    after = await checkpoints.record()
    for path in (root.parent / "store" / "objects").glob("??/*"):
        path.chmod(0o600)
        path.write_bytes(b"rubbish")
    with pytest.raises(SessionError):
        await checkpoints.apply(frm=after, to=before)
    assert (root / "a").read_text() == "2\n"


ORDINARY = """
import asyncio, concurrent.futures.thread, os, sys
from pathlib import Path
from ferrule.session.checkpoints import Checkpoints
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
root = Path(sys.argv[1]) / "project"
async def main():
    root.mkdir()
    (root / "a").write_text("1"); (root / "hidden").write_text("x"); (root / "closed").mkdir(); (root / "d").mkdir()
    (root / "d" / "b").write_text("1"); (root / "d").chmod(0o555)
    (root / "hidden").chmod(0); (root / "closed").chmod(0)
    checkpoints = Checkpoints(root, Path(sys.argv[1]) / "store")
    before = await checkpoints.record()
    print(*checkpoints.left_out, sep="; ")
    (root / "d").chmod(0o755); (root / "d" / "b").write_text("2"); (root / "a").write_text("2")
    after = await checkpoints.record()
    print((await checkpoints.apply(frm=after, to=before)).conflicts, (root / "d" / "b").read_text())
    print(oct((root / "d").stat().st_mode))
    print((await checkpoints.apply(frm=before, to=after)).conflicts, (root / "d" / "b").read_text())
    print(oct((root / "d").stat().st_mode))
    print(oct((Path(sys.argv[1]) / "store").stat().st_mode))
    (root / "closed").chmod(0o700)
asyncio.run(main())
"""


def test_an_ordinary_user_cannot_read_everything() -> None:
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        done = subprocess.run([sys.executable, "-c", ORDINARY, place], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [
            "closed: it cannot be read; hidden: it cannot be read",
            "() 1",
            "0o40555",
            "() 2",
            "0o40755",
            "0o40700",
        ]
