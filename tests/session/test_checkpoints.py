"""Steps taken back and done again, on real files and with real git."""

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrule.core.errors import SessionError
from ferrule.session.checkpoints import Applied, Change, Checkpoints, Conflict, Limits
from tests.session.trees import state_of, text_of


class Project:
    """A directory, and the records of it."""

    def __init__(self, place: Path) -> None:
        self.root = place / "project"
        self.root.mkdir()
        self.store = place / "store"
        self.checkpoints = Checkpoints(self.root, self.store)

    async def step(self, act: Callable[[Path], object]) -> tuple[str, str]:
        before = await self.checkpoints.record()
        act(self.root)
        return before, await self.checkpoints.record()

    async def undo(self, step: tuple[str, str]) -> Applied:
        return await self.checkpoints.apply(frm=step[1], to=step[0])

    async def redo(self, step: tuple[str, str]) -> Applied:
        return await self.checkpoints.apply(frm=step[0], to=step[1])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def run(root: Path, command: str) -> str:
    done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "echo new > a.txt",
        "rm a.txt",
        "mv a.txt b.txt",
        "mv a.txt A.txt",
        "mv sub other",
        "rm -r sub",
        "mkdir empty",
        "rmdir hollow",
        "mkdir -p deep/er/still && echo x > deep/er/still/file",
        "chmod 600 a.txt",
        "chmod 4755 a.txt",
        "chmod 700 sub",
        "chmod 555 sub",
        "rm a.txt && ln -s sub/b a.txt",
        "rm link && echo plain > link",
        "ln -sfn nowhere link",
        "rm a.txt && mkdir a.txt && echo in > a.txt/inside",
        "rm -r sub && echo file > sub",
        "rm -r hollow && ln -s sub hollow",
        "printf 'a\\0b\\377' > binary && printf '\\377' >> a.txt",
        ": > a.txt",
        "echo x > '-rf' && echo y > $'new\\nline' && echo z > $'\\xff\\xfe' && echo w > 'sp ace \"quoted\"'",
        "echo x > ':magic' && echo y > '*' && echo z > '[a' && mkdir ':(top)' && echo w > ':(top)/w'",
        "find . -type f -exec sed -i s/o/0/g {} +",
        "n=$(printf '%0200d' 0); for i in 1 2 3 4; do mkdir $n && cd $n; done; echo deep > file",
        "echo x > ..dots && mkdir ... && echo y > .../y",
        "touch -d 2001-01-01 a.txt && printf 'hell0\\n' > sub/b && touch -r a.txt sub/b",
        "git init -q inner && echo x > inner/x",
    ],
)
async def test_a_step_is_undone_and_redone_byte_and_mode(project: Project, command: str) -> None:
    run(project.root, "echo hello > a.txt; mkdir sub hollow; echo hello > sub/b; ln -s a.txt link; echo 1 > sub/c")
    found = state_of(project.root)
    step = await project.step(lambda root: run(root, command))
    left = state_of(project.root)
    assert left != found
    assert (await project.undo(step)).conflicts == ()
    survivors = {"inner": left["inner"]} if "inner" in left else {}  # git's own files are in it
    assert state_of(project.root) == found | survivors
    assert (await project.redo(step)).conflicts == ()
    assert state_of(project.root) == left


async def test_what_someone_changed_elsewhere_in_the_file_lives_on(project: Project) -> None:
    file = project.root / "a.py"
    file.write_bytes(text_of("one", "two", "three", "four"))
    step = await project.step(lambda _: file.write_bytes(text_of("ONE", "two", "three", "four")))
    file.write_bytes(text_of("ONE", "two", "three", "four, by hand"))
    file.chmod(0o600)
    assert await project.undo(step) == Applied(changed=(Change(path="a.py", kind="changed"),), merged=("a.py",))
    assert file.read_bytes() == text_of("one", "two", "three", "four, by hand")
    assert file.stat().st_mode & 0o777 == 0o600
    assert await project.redo(step) == Applied(changed=(Change(path="a.py", kind="changed"),), merged=("a.py",))
    assert file.read_bytes() == text_of("ONE", "two", "three", "four, by hand")


async def test_a_conflict_leaves_the_file_and_undoes_the_rest(project: Project) -> None:
    (project.root / "a").write_text("old\n")

    def act(root: Path) -> None:
        (root / "a").write_text("new\n")
        (root / "b").write_text("made\n")

    step = await project.step(act)
    (project.root / "a").write_text("by hand\n")
    marked = "<<<<<<< now\nby hand\n=======\nold\n>>>>>>> as it should become\n"
    expected = Applied(
        changed=(Change(path="b", kind="deleted"),),
        conflicts=(Conflict(path="a", why="it was changed since, in the same lines", marked=marked),),
    )
    assert await project.checkpoints.apply(frm=step[1], to=step[0], dry=True) == expected
    assert (project.root / "b").exists()
    assert await project.undo(step) == expected
    assert state_of(project.root) == {"a": ("file", 0o644, b"by hand\n")}


@pytest.mark.parametrize(
    ("act", "since", "kept", "why"),
    [
        ("echo 1 > new", "echo 2 > new", "new", "it was changed since, so it stays"),
        ("echo 1 > new", "rm new; ln -s a new", "new", "it was changed since, so it stays"),
        ("rm a", "echo 2 > a", "a", "something else is there now"),
        ("rm a", "mkdir a", "a", "something else is there now"),
        ("echo 1 > a", "rm a", "a", "it was deleted since"),
        ("echo 1 > a", "rm a; mkdir a; echo 2 > a/b", "a", "something else is there now"),
        ("echo 1 > a", "rm a; mkfifo a", "a", "something else is there now"),
        ("printf '1\\0' > a", "printf '2\\0' > a", "a", "it was changed since, in the same lines"),
        ("chmod 600 a", "chmod 640 a", "a", "its mode was changed since"),
        ("chmod 700 sub", "chmod 711 sub", "sub", "its mode was changed since"),
        ("echo 1 > sub/b", "mv sub else; ln -s else sub", "sub/b", "its directory is now a link or a file"),
        ("rm sub/b", "mv sub else; ln -s else sub", "sub/b", "its directory is now a link or a file"),
        ("rm sub/b", "rm -r sub; echo 1 > sub", "sub/b", "its directory is now a link or a file"),
        ("rm a; mkdir a; echo 1 > a/b", "echo 2 > a/c", "a", "it is a directory with other files in it"),
        ("rm -r sub; echo 1 > sub", "echo 2 > sub", "sub", "something else is there now"),
    ],
)
async def test_what_someone_did_since_is_never_overwritten(
    project: Project, act: str, since: str, kept: str, why: str
) -> None:
    run(project.root, "echo a > a; mkdir sub; echo b > sub/b; echo c > sub/c")
    step = await project.step(lambda root: run(root, act))
    run(project.root, since)
    before = state_of(project.root)
    applied = await project.undo(step)
    assert (kept, why) in [(one.path, one.why) for one in applied.conflicts]
    after = state_of(project.root)
    assert {path: item for path, item in after.items() if path == kept or path.startswith("else")} == {
        path: item for path, item in before.items() if path == kept or path.startswith("else")
    }


@pytest.mark.parametrize(
    ("act", "since"),
    [
        ("rm a", "echo a > a"),
        ("echo 1 > new", "rm new"),
        ("echo 1 > a", "echo a > a"),
        ("mkdir -p d/e; echo 1 > d/e/f", "rm -r d"),
        ("rm -r sub", "mkdir sub; echo b > sub/b; echo c > sub/c"),
    ],
)
async def test_what_someone_undid_by_hand_is_no_conflict(project: Project, act: str, since: str) -> None:
    run(project.root, "echo a > a; mkdir sub; echo b > sub/b; echo c > sub/c")
    found = state_of(project.root)
    step = await project.step(lambda root: run(root, act))
    run(project.root, since)
    assert await project.undo(step) == Applied()
    assert state_of(project.root) == found


async def test_a_directory_with_files_of_someone_else_stays(project: Project) -> None:
    step = await project.step(lambda root: run(root, "mkdir -p new/er; echo 1 > new/er/a; echo 2 > new/b"))
    (project.root / "new" / "mine").write_text("mine\n")
    applied = await project.undo(step)
    assert applied == Applied(changed=(Change(path="new/b", kind="deleted"), Change(path="new/er/a", kind="deleted")))
    assert state_of(project.root) == {"new": ("folder", 0o755, b""), "new/mine": ("file", 0o644, b"mine\n")}


async def test_caches_do_not_keep_a_directory_alive(project: Project) -> None:
    step = await project.step(lambda root: run(root, "mkdir -p pkg; echo 1 > pkg/a.py"))
    run(project.root, "mkdir pkg/__pycache__; echo x > pkg/__pycache__/a.pyc; ln -s /etc pkg/__pycache__/etc")
    await project.undo(step)
    assert state_of(project.root) == {}
    assert Path("/etc/passwd").exists()


async def test_a_deleted_file_comes_back_though_its_directory_is_gone(project: Project) -> None:
    run(project.root, "mkdir -p d/e; echo 1 > d/e/a; echo 2 > d/e/b")
    step = await project.step(lambda root: run(root, "rm d/e/a"))
    run(project.root, "rm -r d")
    assert (await project.undo(step)).changed == (Change(path="d/e/a", kind="added"),)
    assert (project.root / "d/e/a").read_text() == "1\n"
    assert not (project.root / "d/e/b").exists()


async def test_only_what_the_step_changed_is_touched(project: Project) -> None:
    run(project.root, "echo 1 > a; echo 1 > b")
    step = await project.step(lambda root: run(root, "echo 2 > a"))
    run(project.root, "echo by hand > b; echo mine > c; mkdir d")
    untouched = {name: (project.root / name).stat().st_ino for name in "bcd"}
    assert (await project.undo(step)).changed == (Change(path="a", kind="changed"),)
    assert {name: (project.root / name).stat().st_ino for name in "bcd"} == untouched
    assert (project.root / "b").read_text() == "by hand\n"


async def test_several_steps_are_previewed_as_if_one_after_the_other(project: Project) -> None:
    file = project.root / "a"
    file.write_bytes(text_of("1", "1", "1", "1"))
    steps = [await project.step(lambda _: file.write_bytes(text_of("2", "1", "1", "1")))]
    file.write_bytes(text_of("2", "1", "1", "by hand"))
    steps += [await project.step(lambda root: run(root, "mv a b; mkdir -p d; echo 1 > d/e"))]
    steps += [await project.step(lambda root: run(root, "rm -r d; echo 2 > d"))]
    before = state_of(project.root)
    preview = await project.checkpoints.preview([step[::-1] for step in reversed(steps)])
    assert state_of(project.root) == before
    assert preview == Applied(
        changed=(
            Change(path="a", kind="added"),
            Change(path="b", kind="deleted"),
            Change(path="d", kind="deleted"),
        ),
        merged=("a",),
    )
    for step in reversed(steps):
        assert (await project.undo(step)).conflicts == ()
    assert state_of(project.root) == {"a": ("file", 0o644, text_of("1", "1", "1", "by hand"))}


async def test_changes_and_diffs_are_told(project: Project) -> None:
    run(project.root, "seq 9 > moved; echo 1 > a; echo 1 > gone; mkdir hollow; echo 1 > mode; echo 1 > kind")
    step = await project.step(
        lambda root: run(
            root,
            "mv moved to; echo 2 > a; rm gone; rmdir hollow; mkdir fresh; chmod 600 mode; rm kind; ln -s a kind; "
            "mkdir d; echo 1 > d/e; : > empty",
        )
    )
    assert await project.checkpoints.changes(*step) == (
        Change(path="a", kind="changed"),
        Change(path="d/e", kind="renamed", was="gone"),
        Change(path="empty", kind="added"),
        Change(path="fresh/", kind="added"),
        Change(path="hollow/", kind="deleted"),
        Change(path="kind", kind="type"),
        Change(path="mode", kind="mode"),
        Change(path="to", kind="renamed", was="moved"),
    )
    diff = await project.checkpoints.diff(*step)
    assert "rename from moved\nrename to to\n" in diff
    assert "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n" in diff
    assert diff.endswith("mode of mode: 100644 -> 100600\n")
    (project.root / "a").write_text("3\n")
    assert "\n-2\n+3\n" in await project.checkpoints.diff(step[1])
    assert await project.checkpoints.diff(step[1], step[1]) == ""


async def test_steps_are_shown_as_one_diff_without_what_others_did(project: Project) -> None:
    run(project.root, "echo 1 > a; echo 1 > b; echo 1 > c")
    steps = [await project.step(lambda root: run(root, "echo 2 > a; echo 2 > c"))]
    run(project.root, "echo by hand > b")
    steps += [await project.step(lambda root: run(root, "echo 3 > a; echo 1 > c; mkdir d; echo 1 > d/e"))]
    text = await project.checkpoints.combined(steps)
    assert [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}] == [
        "-1",
        "+3",
        "+1",
    ]
    assert "by hand" not in text


async def test_the_users_own_repository_is_not_touched(project: Project) -> None:
    root = project.root
    run(
        root,
        "git init -q . && git config user.email a@b && git config user.name n && echo 1 > a && git add a && "
        "git commit -qm one && echo 2 > a && git stash -q && echo 3 > b && git add b && echo 4 > b && "
        "git init -q inner && echo 1 > inner/x",
    )

    def of_git() -> dict[str, tuple[str, float]]:
        return {
            str(path): (hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "", path.stat().st_mtime)
            for folder in (root / ".git", root / "inner" / ".git")
            for path in sorted(folder.rglob("*"))
        }

    before = of_git()
    step = await project.step(lambda root: run(root, "rm a; echo 5 > b; echo 2 > inner/x; echo 6 > c"))
    await project.checkpoints.diff(*step)
    await project.undo(step)
    await project.redo(step)
    await project.checkpoints.forget([])
    await project.checkpoints.close()
    assert of_git() == before


async def test_nested_repositories_and_submodules_are_files_like_others(project: Project) -> None:
    run(project.root.parent, "git init -q lib && cd lib && echo 1 > x && git add . && git -c user.name=n "
        "-c user.email=e commit -qm one")  # fmt: skip
    run(project.root, "git init -q . && git -c protocol.file.allow=always submodule -q add ../lib lib 2>/dev/null")
    found = state_of(project.root)
    step = await project.step(lambda root: run(root, "echo 2 > lib/x; echo 3 > lib/y; rm .gitmodules"))
    assert await project.undo(step) == Applied(
        changed=(
            Change(path=".gitmodules", kind="added"),
            Change(path="lib/x", kind="changed"),
            Change(path="lib/y", kind="deleted"),
        )
    )
    assert state_of(project.root) == found


async def test_a_change_that_hardly_shows_is_seen(project: Project) -> None:
    file = project.root / "a"
    file.write_text("0")
    last = await project.checkpoints.record()
    for number in range(1, 40):  # the same size, and often the same tick of the clock
        with file.open("r+") as stream:
            stream.write(str(number % 10))
        now = await project.checkpoints.record()
        assert now != last
        last = now


async def test_a_record_of_the_same_files_is_the_same(project: Project) -> None:
    run(project.root, "mkdir -p a/b; echo 1 > a/b/c; echo 2 > d")
    first = await project.checkpoints.record()
    (project.root / "d").write_text("3\n")
    assert await project.checkpoints.record() != first
    (project.root / "d").write_text("2\n")
    assert await project.checkpoints.record() == first
    other = Checkpoints(project.root, project.store)
    assert await other.record() == first


async def test_two_at_once_share_a_store(project: Project) -> None:
    other = Checkpoints(project.root, project.store)
    (project.root / "a").write_text("1\n")
    before = await project.checkpoints.record()
    (project.root / "a").write_text("2\n")
    after = await other.record()
    assert await project.checkpoints.record() == after
    (project.root / "b").write_text("3\n")
    await other.record()
    assert (await other.apply(frm=after, to=before)).changed == (Change(path="a", kind="changed"),)


async def test_a_record_that_never_was_is_said(project: Project) -> None:
    here = await project.checkpoints.record()
    with pytest.raises(SessionError, match="is no record"):
        await project.checkpoints.changes(here, "../../etc/passwd")
    with pytest.raises(SessionError, match="no longer there"):
        await project.checkpoints.apply(frm=here, to="1" * 40)


async def test_without_git_there_is_undo_but_no_merging(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.root))
    checkpoints = Checkpoints(project.root, project.store)
    file = project.root / "a"
    file.write_bytes(text_of("one", "two", "three", "four"))
    before = await checkpoints.record()
    file.write_bytes(text_of("ONE", "two", "three", "four"))
    (project.root / "b").write_text("made")
    after = await checkpoints.record()
    diff = await checkpoints.diff(before, after)
    assert "--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-one\n+ONE\n" in diff
    assert diff.endswith("--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+made\n\\ No newline at end of file\n")
    file.write_bytes(text_of("ONE", "two", "three", "by hand"))
    applied = await checkpoints.apply(frm=after, to=before)
    assert applied == Applied(
        changed=(Change(path="b", kind="deleted"),),
        conflicts=(Conflict(path="a", why="it was changed since, in the same lines"),),
    )
    file.write_bytes(text_of("ONE", "two", "three", "four"))
    await checkpoints.apply(frm=after, to=before)
    assert file.read_bytes() == text_of("one", "two", "three", "four")


async def test_a_write_that_fails_is_said_and_the_rest_is_done(project: Project) -> None:
    run(project.root, "mkdir d; echo 1 > d/a; echo 1 > b")
    step = await project.step(lambda root: run(root, "echo 2 > d/a; echo 2 > b"))
    run(project.root, "mv d d2; mkfifo d")
    applied = await project.undo(step)
    assert [(one.path, one.why) for one in applied.conflicts] == [("d/a", "its directory is now a link or a file")]
    assert (project.root / "b").read_text() == "1\n"


async def test_large_records_go_into_one_pack(project: Project) -> None:
    for number in range(600):
        (project.root / f"f{number}").write_text(f"{number}\n")
    step = await project.step(lambda root: run(root, "rm f*; echo g > g"))
    assert len(list((project.store / "objects" / "pack").glob("*.pack"))) == 1
    assert len((await project.undo(step)).changed) == 601
    assert len(state_of(project.root)) == 600
    assert (project.root / "f599").read_text() == "599\n"


async def test_limits_give_clear_errors_and_keep_what_was_done(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for number in range(30):
        (project.root / f"f{number}").write_text(f"{number}\n")
    few = Checkpoints(project.root, project.store, limits=Limits(most=29))
    for _ in range(4):
        with pytest.raises(SessionError, match="more than 29 files"):
            await few.record()
    hurried = Checkpoints(project.root, project.store, limits=Limits(seconds=0))
    with pytest.raises(SessionError):
        await hurried.record()
    light = Checkpoints(project.root, project.store, limits=Limits(bytes=10))
    with pytest.raises(SessionError, match="too much to record"):
        await light.record()
