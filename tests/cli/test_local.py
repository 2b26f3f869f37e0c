"""The embedded model through the front doors: found where there is no other, offered, fetched, loaded, asked."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from ferrule.llm.local.engine import running
from tests.cli.conftest import FERRULE, CommandLine
from tests.front.terminal.emulator import CTRL_C, CTRL_D, ENTER, Terminal
from tests.llm.local.engines import pass_for_the_package
from tests.llm.local.serving import Answer, WeightsServer, sha256
from tests.llm.local.weights import write_weights
from tests.support import until

USING = "ferrule: Using the embedded model tiny, since no key is set and no model server runs here.\n"
MISSING = "tiny is not here yet; `ferrule models pull tiny` fetches it (40 kB)."
NO_OTHER = "No key is set, and no model server runs here."
OFFER = "No key and no model server were found: fetch tiny (40 kB, MIT) to run it here? [Y/n]"
SIZE = 40_000


class Machine:
    """A machine without a key or a server, but with the engine; the model `tiny` can be fetched."""

    def __init__(self, ferrule: CommandLine) -> None:
        self.ferrule, home = ferrule, ferrule.home
        (home / "run").mkdir(mode=0o700)
        ferrule.env |= {
            "PYTHONPATH": pass_for_the_package(home / "installed"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "HF_ENDPOINT": "http://127.0.0.1:1",
            "FERRULE_LOCAL_MODEL": "tiny",
            "FERRULE_LLM_TOOL_MODE": "native",
            "LANG": "C.UTF-8",
        }
        self.own = write_weights(home / "own.gguf", size=SIZE)
        self.data = self.own.read_bytes()
        self.path = home / "data" / "ferrule" / "models" / "tiny.gguf"
        self.declare("tiny.gguf")

    def declare(self, file: str) -> None:
        """Say what the file of the model is called: the stand-in behaves by that."""
        self.path = self.path.with_name(file)
        config = self.ferrule.home / "config" / "ferrule"
        config.mkdir(parents=True, exist_ok=True)
        model = {"name": "tiny", "file": file, "size": SIZE, "sha256": sha256(self.data), "licence": "MIT"}
        (config / "models.json").write_bytes(msgspec.json.encode([model | {"repository": "someone/tiny"}]))

    def hold(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.data)

    @contextmanager
    def serving(self, *, stall: int | None = None) -> Iterator[WeightsServer]:
        with WeightsServer(*[Answer(data=self.data, stall=stall)] * 3) as server:
            self.ferrule.env["HF_ENDPOINT"] = server.url.replace("127.0.0.1", "localhost")
            yield server

    def at_terminal(self, *words: str) -> Terminal:
        return Terminal([FERRULE, *words], cwd=self.ferrule.project, env=self.ferrule.env, size=(110, 24))


@pytest.fixture
def machine(ferrule: CommandLine) -> Iterator[Machine]:
    yield Machine(ferrule)
    for engine in running(ferrule.env):
        os.kill(engine.pid, signal.SIGKILL)


def test_it_answers_where_there_is_no_other_model(machine: Machine) -> None:
    machine.hold()
    ended = machine.ferrule("-p", "Hi.")
    assert (ended.code, ended.out, ended.err) == (0, "Hello there\n", USING)
    (engine,) = running(machine.ferrule.env)
    assert machine.ferrule("-P", "local", "-p", "Hi again.").out == "Hello there\n"
    assert machine.ferrule("-m", "local/tiny", "-p", "Once more.").out == "Hello there\n"
    assert running(machine.ferrule.env) == (engine,)


def test_a_file_of_ones_own(machine: Machine) -> None:
    for words in (("-P", "local", "-m", str(machine.own)), ("-m", f"local/{machine.own}"), ("-m", "../home/own.gguf")):
        ended = machine.ferrule(*words, "-p", "Hi.")
        assert (ended.code, ended.out, ended.err) == (0, "Hello there\n", "")


def test_with_nobody_to_be_asked_it_says_what_to_run(machine: Machine) -> None:
    found = machine.ferrule("-p", "Hi.")
    asked_for = machine.ferrule("-P", "local", "-p", "Hi.")
    may_not = machine.ferrule("-P", "local", "-p", "Hi.", env=machine.ferrule.env | {"FERRULE_LOCAL_FETCH": "no"})
    nothing = machine.ferrule("-p", "Hi.", env=machine.ferrule.env | {"FERRULE_LOCAL_FETCH": "no"})
    assert [one.code for one in (found, asked_for, may_not, nothing)] == [2, 2, 2, 2]
    assert found.err == f"ferrule: {NO_OTHER} {MISSING} With --yes this command does so by itself.\n"
    assert asked_for.err == f"ferrule: {MISSING} With --yes this command does so by itself.\n"
    assert may_not.err == f"ferrule: {MISSING}\n"
    assert "ferrule models pull\n" in nothing.err


def test_who_agreed_beforehand_is_not_asked_and_nothing_piped_is_lost(machine: Machine) -> None:
    with machine.serving() as server:
        ended = machine.ferrule("--yes", "--output-format", "json", "-p", "Hi.", stdin=b"And this.")
    assert (ended.code, ended.messages[0]["result"]) == (0, "Hello there")
    assert ended.err.splitlines()[-2:] == ["tiny is ready.", USING.strip()]
    assert machine.path.read_bytes() == machine.data
    assert len(server.asked) == 1
    (log,) = (machine.ferrule.home / "data" / "ferrule" / "sessions").rglob("*.jsonl")
    assert b"And this." in log.read_bytes()


def test_what_cannot_be_fetched_is_said(machine: Machine) -> None:
    ended = machine.ferrule("--yes", "-p", "Hi.")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[-1].startswith("ferrule: tiny could not be fetched.")


def test_the_terminal_offers_it_and_goes_on(machine: Machine) -> None:
    with machine.serving(), machine.at_terminal("Hi.") as terminal:
        terminal.wait("[Y/n]")
        assert OFFER in " ".join(terminal.text.split())
        terminal.send(ENTER)
        terminal.wait("Hello there")
        terminal.wait("1 turn")
        assert "tiny is ready." in terminal.lines
        assert USING.strip().removeprefix("ferrule: ")[:60] in terminal.text
        terminal.send(CTRL_D)
        assert terminal.end() == 0


@pytest.mark.parametrize(("keys", "code", "said"), [("n\r", 1, "Nothing was fetched."), (CTRL_C, 130, "[Y/n] ^C")])
def test_who_does_not_want_it_is_left_alone(machine: Machine, keys: str, code: int, said: str) -> None:
    for words in ((), ("-p", "Hi.")):
        with machine.at_terminal(*words) as terminal:
            terminal.wait("[Y/n]")
            terminal.send(keys)
            assert terminal.end() == code
            assert said in terminal.text


async def test_an_interrupted_download_says_what_is_kept(machine: Machine) -> None:
    draft = machine.path.with_name("tiny.gguf.part")
    with machine.serving(stall=SIZE // 2), machine.at_terminal() as terminal:
        terminal.wait("[Y/n]")
        terminal.send("y\r")
        await until(lambda: draft.exists() and draft.stat().st_size == SIZE // 2)
        terminal.send(CTRL_C)
        assert terminal.end() == 130
        kept = "Interrupted. 20 kB of 40 kB are kept; `ferrule models pull tiny` goes on from there."
        assert kept in " ".join(terminal.text.split())


def test_what_is_waited_for_is_told(machine: Machine) -> None:
    machine.declare("waits.gguf")
    machine.hold()
    with machine.ferrule.start(("--verbose", "-p", "Hi.")) as process:
        assert process.stderr
        assert [process.stderr.readline().decode() for _ in range(2)] == [USING, "ferrule: Loading tiny\n"]
        machine.path.with_suffix(".go").touch()
        out, err = process.communicate(timeout=50)
    assert (process.returncode, out, err) == (0, b"Hello there\n", b"ferrule: tiny reads the request\n")


def test_the_terminal_shows_what_is_waited_for(machine: Machine) -> None:
    machine.declare("waits.gguf")
    machine.hold()
    with machine.at_terminal("Hi.") as terminal:
        terminal.wait("Loading tiny ")
        machine.path.with_suffix(".go").touch()
        terminal.wait("Hello there")
        terminal.until(lambda: "Loading" not in terminal.text)


def test_an_engine_that_is_killed_in_mid_answer_costs_one_attempt(machine: Machine) -> None:
    machine.hold()
    stream = ("--output-format", "stream-json", "--include-partial-messages", "--verbose")
    with machine.ferrule.start((*stream, "-p", "Say it slowly.")) as process:
        assert process.stdout
        while b"text_delta" not in process.stdout.readline():
            pass
        (engine,) = running(machine.ferrule.env)
        os.kill(engine.pid, signal.SIGKILL)
        machine.path.with_suffix(".go").touch()
        out, err = process.communicate(timeout=50)
    assert (process.returncode, msgspec.json.decode(out.splitlines()[-1])["result"]) == (0, "Hello there")
    assert b"The engine of tiny ended in mid-answer, perhaps for want of memory. Trying again in 0.0 s" in err


def test_it_is_listed_and_looked_after(machine: Machine) -> None:
    def states(*names: str) -> dict[str, str]:
        rows = msgspec.json.decode(machine.ferrule("models", "--json").out)
        return {row["model"]: row["state"] for row in rows if row["provider"] == "local" and row["model"] in names}

    assert states("tiny") == {"tiny": "ferrule models pull tiny (40 kB)"}
    machine.hold()
    assert states("tiny") == {"tiny": "ready: the package xllamacpp"}
    found = machine.ferrule("doctor").out
    assert "ok  engine         embedded models can run, in the package xllamacpp\n" in found
    assert "ok  model          local/tiny, a window of " in found
    Path(machine.ferrule.home / "installed" / "xllamacpp.py").write_text("raise OSError('another machine')")
    broken = machine.ferrule("doctor")
    assert "!!  engine         The engine of the provider local cannot be loaded: OSError: another mach" in broken.out
