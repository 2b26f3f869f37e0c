"""Where weights lie: found by name or path, removed unless a program uses them."""

import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ferrule.core.errors import UsageError
from ferrule.llm.local.store import BusyError, Store, WeightsError, files_below, find, own_store
from tests.llm.local.serving import DATA, TINY


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config" / "ferrule").mkdir(parents=True)
    (tmp_path / "config" / "ferrule" / "models.json").write_bytes(msgspec.json.encode([TINY]))
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}


@pytest.fixture
def store(environ: dict[str, str]) -> Store:
    store = own_store(environ)
    store.make()
    return store


def test_a_model_is_found_by_name_once_it_is_whole(environ: dict[str, str], store: Store) -> None:
    with pytest.raises(UsageError) as caught:
        find("tiny-1b", environ)
    assert str(caught.value) == "tiny-1b is not here yet; `ferrule models pull tiny-1b` fetches it (307 kB)."
    store.draft(TINY).write_bytes(DATA[:7_200])
    with pytest.raises(UsageError, match=r"fetches it \(300 kB\)"):
        find("tiny-1b", environ)
    store.path(TINY).write_bytes(DATA)
    assert find("Tiny-1B", environ) == store.path(TINY)


def test_any_gguf_file_is_found_by_its_path(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(DATA)
    assert find("~/mine.gguf", environ) == find(str(tmp_path / "mine.gguf"), environ) == tmp_path / "mine.gguf"


@pytest.mark.parametrize(
    ("name", "words"),
    [("none.gguf", "The model PLACE cannot be read: No such file or directory."), ("a", "PLACE is no GGUF file.")],
)
def test_a_path_that_is_no_model_is_said_to_be_none(
    environ: dict[str, str], tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "a").write_text("text")
    with pytest.raises(UsageError) as caught:
        find(str(tmp_path / name), environ)
    assert str(caught.value) == words.replace("PLACE", str(tmp_path / name))


def test_all_that_came_is_removed(store: Store) -> None:
    for path in (store.path(TINY), store.draft(TINY), store.scratch(TINY) / "tmp" / "a.whl"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    assert store.remove(TINY) == 15
    assert [one.name for one in store.directory.iterdir()] == [".tiny-1b.lock"]
    assert store.remove(TINY) == 0


def test_what_vanishes_while_it_is_looked_for_is_passed_over(tmp_path: Path) -> None:
    for name in ("a.whl", "pip-1/b.whl", "pip-1/deep/c.whl", "pip-2/d.whl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"wheel")
    looking = files_below(tmp_path)
    assert next(looking) == tmp_path / "a.whl"
    shutil.rmtree(tmp_path / "pip-1")
    assert list(looking) == [tmp_path / "pip-2" / "d.whl"]
    assert list(files_below(tmp_path / "pip-1")) == []


def test_nothing_is_removed_where_nothing_ever_was(tmp_path: Path) -> None:
    assert Store(tmp_path / "none").remove(TINY) == 0
    assert not (tmp_path / "none").exists()


def test_what_is_being_fetched_is_not_removed(store: Store) -> None:
    store.draft(TINY).write_bytes(b"12345")
    with store.locked(TINY), pytest.raises(BusyError):
        store.remove(TINY)
    assert store.held(TINY) == 5


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system does not tell who uses a file")
def test_what_a_program_uses_is_not_removed(store: Store) -> None:
    store.path(TINY).write_bytes(DATA)
    code = """
import mmap, sys
with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ):
    print(flush=True)
    sys.stdin.read()
"""
    command = [sys.executable, "-c", code, str(store.path(TINY))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as user:
        assert user.stdout
        user.stdout.readline()
        with pytest.raises(WeightsError, match=rf"^tiny-1b is in use by process {user.pid} \(.*\); end that first.$"):
            store.remove(TINY)
        assert user.stdin
        user.stdin.close()
    assert store.remove(TINY) == len(DATA)
