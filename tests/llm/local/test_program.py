"""A llama-server in the place of the package: which one is taken, what it is told, and that it never outlives us."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ferrule.config.layers import load
from ferrule.core.errors import ProviderError, UsageError
from ferrule.llm.local.engine import Wanted, engine_for, has_ended, place_of, running, stop
from ferrule.llm.local.installed import MISSING, engine_named, is_installed, program_for, trouble
from ferrule.llm.local.places import born
from tests.llm.local.door import ask
from tests.llm.local.engines import engines, pass_for_a_llama_server, pass_for_the_package, wait_until

Wish = Callable[..., Wanted]

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


@pytest.fixture
def wish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wish]:
    with engines(tmp_path, monkeypatch, by_program=True) as make:
        yield make


def program_of(wanted: Wanted) -> int:
    return int(wanted.weights.with_suffix(".pid").read_text())


@needs_proc
def test_it_is_told_the_key_where_nobody_else_reads_it_and_holds_the_lock(wish: Wish) -> None:
    wanted = wish()
    found = engine_for(wanted)
    process = Path(f"/proc/{program_of(wanted)}")
    key = found.key.reveal().encode()
    assert key not in (process / "cmdline").read_bytes()
    assert key not in Path(f"/proc/{found.pid}/cmdline").read_bytes()
    told = (process / "environ").read_bytes().split(b"\0")
    assert {b"LLAMA_API_KEY=" + key, b"LLAMA_ARG_UI=0", b"LLAMA_ARG_CORS_ORIGINS=", b"LLAMA_ARG_FIT=off"} <= set(told)
    files = {str(one.readlink()) for one in (process / "fd").iterdir()}
    assert str(place_of(wanted).directory / f"{place_of(wanted).name}.lock") in files
    assert (process / "fd" / "0").readlink() == Path(os.devnull)


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_it_ends_with_the_process_that_started_it(wish: Wish, number: int) -> None:
    wanted = wish()
    found = engine_for(wanted)
    os.kill(found.pid, number)
    wait_until(lambda: not place_of(wanted).is_taken())
    wait_until(lambda: not born(program_of(wanted)))
    wait_until(lambda: has_ended(found))


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it_even_while_it_loads(wish: Wish) -> None:
    wanted = wish("waits.gguf", loading_seconds=2)
    with pytest.raises(ProviderError, match=r"small was not ready within \d+ s"):
        engine_for(wanted)
    wait_until(lambda: not place_of(wanted).is_taken())
    pid = wanted.weights.with_suffix(".pid")
    wait_until(lambda: not pid.exists() or not born(program_of(wanted)))


def test_one_that_is_killed_at_rest_takes_the_engine_with_it(wish: Wish) -> None:
    wanted = wish()
    first = engine_for(wanted)
    os.kill(program_of(wanted), signal.SIGKILL)
    wait_until(lambda: has_ended(first))
    assert engine_for(wanted).pid != first.pid


@pytest.mark.slow  # the engine of the package that hangs is tried in each run
def test_one_that_hangs_is_ended_and_replaced(wish: Wish) -> None:
    wanted, told = wish(silence=1), list[str]()
    first, program = engine_for(wish()), program_of(wanted)
    os.kill(program, signal.SIGSTOP)
    assert engine_for(wanted, say=told.append).pid != first.pid
    assert "The engine of small does not answer; it is started anew." in told
    wait_until(lambda: not born(program))


@pytest.mark.slow
def test_nobody_asking_ends_it(wish: Wish) -> None:
    wanted = wish(idle_seconds=0.5)
    engine_for(wanted)
    wait_until(lambda: not place_of(wanted).is_taken())
    assert (running(), list(place_of(wanted).directory.iterdir())) == ((), [])
    assert not born(program_of(wanted))


def test_who_is_asked_to_leave_finishes_the_answer(wish: Wish) -> None:
    wanted = wish()
    with ask(engine_for(wanted), "slowly") as answer:
        assert answer.read_until("Hello")
        assert stop(patience=0) == ()
        wanted.weights.with_suffix(".go").touch()
        assert "[DONE]" in answer.rest()
    wait_until(lambda: not born(program_of(wanted)))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "fails.gguf",
            r"ended with code 1 while it was loading\. It is .*/llama-server; local\.server can name another",
        ),
        ("starves.gguf", r"ended with code 1 while it was loading for want of memory\. End other programs, "),
        pytest.param(
            "killed.gguf",
            r"was ended by signal 9 while it was loading, perhaps for want of memory\. End other programs",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_one_that_ends_while_loading_has_its_last_words(wish: Wish, name: str, words: str) -> None:
    with pytest.raises(ProviderError, match=words):
        engine_for(wish(name))


def test_one_that_cannot_be_run_is_named(wish: Wish, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match=r"(?s)ended with code 12[67] .* It is /.*/none; .*/none: "):
        engine_for(wish(program=str(tmp_path / "none")))


class Machine:
    """A home with programs in it, and a project in which somebody works."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "home" / "project"
        self.own = self._put(self.home / ".local" / "bin")
        self.planted = self._put(self.project / "bin")

    def path(self, *places: str | Path) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.pathsep.join(map(str, places))}

    @staticmethod
    def _put(directory: Path) -> Path:
        directory.mkdir(parents=True)
        return Path(pass_for_a_llama_server(directory / "llama-server"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    monkeypatch.chdir(found.project)
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    pass_for_the_package(tmp_path / "installed")
    return found


def without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ferrule.llm.local.installed.PACKAGE", "no_such_engine")


def test_by_itself_it_is_taken_where_it_is_quicker_or_all_there_is(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_quicker = sys.platform == "linux" and os.uname().machine == "aarch64"
    environ = machine.path(machine.own.parent)
    assert program_for(None, environ) == (str(machine.own) if is_quicker else "")
    assert program_for(None, machine.path()) == program_for(None, {}) == ""
    assert (program_for("package", environ), engine_named("package", environ)) == ("", "the package xllamacpp")
    without_the_package(monkeypatch)
    assert program_for(None, environ) == engine_named(None, environ) == str(machine.own)
    for server, where in ((None, machine.path()), ("package", environ)):
        assert not is_installed(server, where)
        assert trouble(server, where) == MISSING


def test_none_that_the_project_brings_along_is_taken(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    without_the_package(monkeypatch)
    places = ("", ".", "bin", machine.planted.parent)
    assert not is_installed(None, machine.path(*places))
    assert program_for(None, machine.path(*places, machine.own.parent)) == str(machine.own)
    (machine.home / "link").mkdir()
    (machine.home / "link" / "llama-server").symlink_to(machine.planted)
    assert not is_installed(None, machine.path(machine.home / "link"))
    monkeypatch.chdir(machine.home)
    assert program_for(None, machine.path(machine.own.parent)) == str(machine.own)


def test_not_even_a_trusted_project_names_one(machine: Machine, tmp_path: Path) -> None:
    (machine.project / ".ferrule").mkdir()
    (machine.project / ".ferrule" / "config.json").write_text('{"local": {"server": "/evil"}}')
    own = machine.path() | {"FERRULE_LOCAL_SERVER": "llama-server"}
    for environ, expected in ((machine.path(), None), (own, "llama-server")):
        loaded = load(machine.project, environ=environ, trusted=True, system=tmp_path / "none")
        assert loaded.config.local.server == expected
        assert "local.server is ignored: it is the user's to set, not a project's." in loaded.warnings[0]


def test_the_one_that_is_named(machine: Machine) -> None:
    environ = machine.path(machine.own.parent)
    for server in ("llama-server", "~/.local/bin/llama-server", str(machine.own)):
        assert program_for(server, environ) == str(machine.own)
        assert trouble(server, environ) == ""
    for server in ("llama-servant", "~/llama-server", str(machine.home)):
        with pytest.raises(UsageError) as caught:
            program_for(server, environ)
        assert str(caught.value) == f"local.server is {server}, and there is no such program."
    machine.own.write_text("#!/bin/sh\necho 'libllama.so: not found' >&2\nexit 127\n")
    assert trouble("llama-server", environ) == f"{machine.own} cannot be loaded: libllama.so: not found"
