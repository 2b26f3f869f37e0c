"""Random steps of an agent and edits of a person, taken back and done again: the files are what a plain model says."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrule.session.checkpoints import Checkpoints
from tests.session.trees import SECTIONS, State, carried, state_of, text_of

NAMES = ["a", "b.py", "c d", "-e", "ü", "f\nf", os.fsdecode(b"\xff\xfe"), "build", ".env", "G", "g"]
MODES = [0o600, 0o640, 0o644, 0o664, 0o700, 0o755, 0o444, 0o4755, 0o2750]
FOLDER_MODES = [0o755, 0o700, 0o775, 0o2755, 0o1777]
COMMANDS = [
    "find . -name '*.py' -not -path './.git/*' -exec sed -i 's/1/7/' {} +",
    'for f in *; do [ -f "$f" ] && cp -p -- "$f" "$f.bak"; done',
    "mkdir -p x/y/z && echo hello > x/y/z/w && chmod 700 x/y",
    "rm -rf -- a build x",
    "mv -- b.py b2.py 2>/dev/null; mv -- b2.py x 2>/dev/null; true",
    "rm -f -- *.bak",
    "tar cf all.tar -- * 2>/dev/null; mkdir -p unpacked && tar xf all.tar -C unpacked; rm -f all.tar",
    "chmod -R u+w . && chmod -R go-w .",
    "ln -sfn a link; ln -f b.py hard 2>/dev/null; true",
]


def some_path(rng: random.Random, root: Path) -> Path:
    return root.joinpath(*(rng.choice(NAMES) for _ in range(rng.choice([1, 1, 2, 3]))))


def existing(rng: random.Random, root: Path, kind: str) -> Path | None:
    found = sorted(path for path, item in state_of(root).items() if item[0] == kind)
    return root / rng.choice(found) if found else None


def some_bytes(rng: random.Random) -> bytes:
    if rng.random() < 0.25:
        return rng.randbytes(rng.choice([0, 1, 700])) + b"\0"
    return text_of(*(f"section {rng.randrange(4)}" for _ in range(SECTIONS)))


def write(rng: random.Random, root: Path) -> None:
    path = some_path(rng, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(some_bytes(rng))


def rewrite(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, "file"):
        path.write_bytes(some_bytes(rng))


def retouch(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, "file"):
        parts = path.read_bytes().split(b"section ")
        if len(parts) == SECTIONS + 1:
            place = rng.randrange(1, SECTIONS + 1)
            parts[place] = b"%d%s" % (rng.randrange(4), parts[place][1:])
            path.write_bytes(b"section ".join(parts))


def delete(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, rng.choice(["file", "link"])):
        path.unlink()


def delete_folder(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, "folder"):
        shutil.rmtree(path)


def move(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, rng.choice(["file", "folder", "link"])):
        target = some_path(rng, root)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)


def chmod(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, "file"):
        path.chmod(rng.choice(MODES))


def chmod_folder(rng: random.Random, root: Path) -> None:
    if path := existing(rng, root, "folder"):
        path.chmod(rng.choice(FOLDER_MODES))


def make_folder(rng: random.Random, root: Path) -> None:
    some_path(rng, root).mkdir(parents=True, exist_ok=True)


def link(rng: random.Random, root: Path) -> None:
    path = some_path(rng, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(rng.choice(["a", "/etc/passwd", "nowhere", "..", "."]))


def shell(rng: random.Random, root: Path) -> None:
    subprocess.run(["bash", "-c", rng.choice(COMMANDS)], cwd=root, capture_output=True)


AGENT: list[Callable[[random.Random, Path], None]] = [
    write, write, rewrite, retouch, delete, delete_folder, move, chmod, chmod_folder, make_folder, link, shell, shell
]  # fmt: skip
PERSON: list[Callable[[random.Random, Path], None]] = [
    write, rewrite, retouch, retouch, retouch, delete, move, chmod, make_folder, link, delete_folder, chmod_folder
]  # fmt: skip


def act(rng: random.Random, root: Path, kinds: list[Callable[[random.Random, Path], None]], most: int) -> None:
    for _ in range(rng.randint(1, most)):
        try:
            rng.choice(kinds)(rng, root)
        except OSError:  # a name in the way is as good as another
            continue


async def play(seed: int, place: Path) -> None:
    """One sequence. Each undo and redo is foretold by the model."""
    rng = random.Random(seed)
    root = place / f"project {seed}"
    root.mkdir()
    for _ in range(6):
        act(rng, root, [write], 1)
    checkpoints = Checkpoints(root, place / f"store {seed}")
    done: list[tuple[str, State, str, State]] = []
    undone: list[tuple[str, State, str, State]] = []
    for turn in range(rng.randint(6, 12)):
        what = rng.choice(["step", "step", "person", "undo", "undo", "redo"])
        if what == "step":
            before = (await checkpoints.record(), state_of(root))
            act(rng, root, AGENT, 5)
            done.append((*before, await checkpoints.record(), state_of(root)))
            undone.clear()
        elif what == "person":
            act(rng, root, PERSON, 3)
        elif what == "undo" and done:
            undone.append(step := done.pop())
            await compare(checkpoints, root, frm=step[2:], to=step[:2], say=f"seed {seed} turn {turn} undo")
        elif what == "redo" and undone:
            done.append(step := undone.pop())
            await compare(checkpoints, root, frm=step[:2], to=step[2:], say=f"seed {seed} turn {turn} redo")
    await checkpoints.close()


async def compare(
    checkpoints: Checkpoints, root: Path, *, frm: tuple[str, State], to: tuple[str, State], say: str
) -> None:
    now = state_of(root)
    expected, conflicts = carried(now, frm[1], to[1])
    foretold = await checkpoints.apply(frm=frm[0], to=to[0], dry=True)
    assert state_of(root) == now, say
    applied = await checkpoints.apply(frm=frm[0], to=to[0])
    assert state_of(root) == expected, say
    assert {one.path for one in applied.conflicts} == {shown(path) for path in conflicts}, say
    assert foretold == applied, say
    again = await checkpoints.apply(frm=frm[0], to=to[0])
    assert not again.changed, say
    assert state_of(root) == expected, say


def shown(path: str) -> str:
    from ferrule.host.files import shown as shown_path

    return shown_path(Path(path))


async def test_undo_and_redo_among_edits_of_a_person(tmp_path: Path) -> None:
    for seed in range(5):
        await play(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("start", range(5, 355, 50))
async def test_undo_and_redo_among_edits_of_a_person_many_times(tmp_path: Path, start: int) -> None:
    for seed in range(start, start + 50):
        await play(seed, tmp_path)
