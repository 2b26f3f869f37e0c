"""`ferrule probe`: from the command line to a server on loopback that plays models of all kinds, and back."""

import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ferrule.cli.main import main
from ferrule.probe.series import Result
from ferrule.probe.verdict import profile_of, verdict_on
from ferrule.small.profile import UNUSABLE, Profile, place_of, profile_for
from tests.cli.conftest import CommandLine
from tests.server import ModelServer, Received, Reply
from tests.small.players import Player, good, heard, parrot, writer

NAME = "openai-compatible/tiny"


class Bench:
    """Runs the command in this process, against a player, in a home of its own."""

    def __init__(self, player: Player, capfd: pytest.CaptureFixture[str]) -> None:
        self.server = ModelServer([player] * 300, key=None)
        self._capfd = capfd

    @property
    def model(self) -> list[str]:
        return ["-P", "openai-compatible", "--endpoint", f"{self.server.url}/v1", "-m", "tiny"]

    def __call__(self, *words: str) -> tuple[int, str, str]:
        code = main([*words, *self.model])
        out, err = self._capfd.readouterr()
        return code, out, err


@pytest.fixture
def with_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[Player], Any]:
    for variable, place in {"HOME": "home", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}.items():
        (tmp_path / place).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / place))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")

    @contextmanager
    def begin(player: Player) -> Iterator[Bench]:
        bench = Bench(player, capfd)
        with bench.server:
            yield bench

    return begin


def scores(results: list[dict[str, Any]]) -> dict[str, tuple[int, int, str]]:
    """By probe what was right, of how many, and how it ended."""
    return {one["probe"]: (one["right"], one["asked"], one["state"]) for one in results if not one["unit"]}


def test_a_model_that_can_do_everything_works_by_itself(with_player: Callable[[Player], Any]) -> None:
    with with_player(good) as probe:
        code, out, err = probe("probe", "--json")
    assert code == 0, err
    told = msgspec.json.decode(out)
    assert scores(told["results"]) == {
        "follows orders": (5, 5, "whole"),
        "native calls": (10, 10, "whole"),
        "calls by schema": (10, 10, "whole"),
        "whole file": (5, 5, "whole"),
        "whole function": (5, 5, "whole"),
        "search and replace": (5, 5, "whole"),
        "questions": (5, 5, "whole"),
    }
    context = told["results"][-1]
    assert (context["number"], context["note"]) == (2_000, "4,000: not all was found")
    assert told["verdict"] == {"mode": "native", "why": "it calls tools as it should, so it works by itself."}
    kept = profile_for(NAME)
    assert kept == msgspec.convert(told["profile"], Profile)
    assert (kept.mode, kept.edit_format, kept.context) == ("native", "file", 2_000)
    assert told["file"] == str(place_of(NAME))
    assert err.splitlines()[0] == "follows orders: 5 of 5"
    assert not probe.server.refusals()


def test_one_that_only_writes_is_led_from_then_on(with_player: Callable[[Player], Any]) -> None:
    Path("a.py").write_text("PORT = 8421  # which port does it use\n")
    with with_player(writer) as probe:
        code, out, _ = probe("probe", "--quick")
        table = re.sub(r"^(reading|writing) .*\n", "", out, flags=re.MULTILINE)
        assert code == 0
        assert [line.split("  ")[0] for line in out.splitlines()[1:3]] == ["reading", "writing"]
        assert re.sub(r"  +", "  ", table) == (
            "follows orders  3 of 3\n"
            "whole file  3 of 3\n"
            "native calls  0 of 1  its server takes no tools\n"
            "whole function  3 of 3\n"
            "calls by schema  refused  openai-compatible refused the request (HTTP 400). It says: response_format is "
            "not supported\n"
            "written calls  0 of 2  2 of 4 asked: the others could not have helped\n"
            "questions  3 of 3\n"
            "search and replace  3 of 3\n"
            "true context  2,000 tokens\n"
            "\n"
            f"{NAME}: guided; it writes files but calls tools badly, so Ferrule finds and checks, and it answers and "
            "writes.\n"
            f"Sessions go by this from now on: {place_of(NAME)}\n"
        )
        asked = len(probe.server.requests)
        assert probe("-p", "In a.py, which port does it use?")[:2] == (0, "The port is 8421, see server.py.\n")
        (led,) = probe.server.requests[asked:]
    assert "tools" not in led.body
    assert "PORT = 8421" in heard(led)


def test_a_parrot_is_not_usable_and_a_session_with_it_says_so(with_player: Callable[[Player], Any]) -> None:
    with with_player(parrot) as probe:
        code, out, _ = probe("probe", "--json")
        told = msgspec.json.decode(out)
        assert (code, told["verdict"]["mode"]) == (0, "unusable")
        assert scores(told["results"])["whole file"] == (0, 3, "enough")
        code, out, err = probe("-p", "What is this?")
        assert (code, out != "") == (0, True)
        assert UNUSABLE.format(name=NAME) in err
        assert probe("probe", "--forget")[:2] == (0, f"The profile of {NAME} is forgotten.\n")
        assert probe("probe", "--forget")[:2] == (0, f"There is no profile of {NAME}.\n")
        assert UNUSABLE.format(name=NAME) not in probe("-p", "What is this?")[2]


def test_a_model_that_hangs_is_not_waited_for(with_player: Callable[[Player], Any]) -> None:
    with with_player(lambda _: Reply(text="late", delay=3600)) as probe:
        code, out, err = probe("probe", "--minutes", "0.01")
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == f"ferrule: {NAME} does not answer: nothing came within 0.2 s."
    assert profile_for(NAME) is None


def test_without_enough_answers_there_is_no_verdict_and_an_earlier_profile_stays(
    with_player: Callable[[Player], Any],
) -> None:
    def tired(request: Received) -> Reply:
        return good(request) if len(probe.server.requests) <= 4 else Reply(text="late", delay=3600)

    with with_player(tired) as probe:
        place_of(NAME).parent.mkdir(parents=True)
        place_of(NAME).write_text('{"mode": "text"}')
        code, out, _ = probe("probe", "--minutes", "0.04")
    assert code == 1
    assert f"{NAME}: no verdict; too little was measured for a verdict; --minutes N gives it more time.\n" in out
    assert "follows orders" in out
    assert profile_for(NAME) == Profile(mode="text")


def test_what_was_measured_is_shown_when_it_is_interrupted(tmp_path: Path) -> None:
    ferrule = CommandLine(tmp_path)

    def stops(request: Received) -> Reply:
        return good(request) if len(server.requests) <= 5 else Reply(text="late", delay=3600)

    with ModelServer([stops] * 20, key=None) as server:
        words = ["probe", "tiny", "-P", "openai-compatible", "--endpoint", f"{server.url}/v1"]
        with ferrule.start(words, stderr=subprocess.PIPE) as process:
            assert process.stderr
            assert process.stderr.readline() == b"follows orders: 5 of 5\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=50)
    assert (process.returncode, out.decode()) == (130, "follows orders  5 of 5\n")
    assert err.decode() == "Interrupted. No profile was written; an earlier one stays.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["probe", "other"], "ferrule: Which model: other or tiny?\n"),
        (["probe", "--minutes", "0"], "argument --minutes: 0 is no number of minutes\n"),
        (["probe", "--minutes", "nan"], "argument --minutes: nan is no number of minutes\n"),
    ],
)
def test_what_cannot_be_measured_is_said(with_player: Callable[[Player], Any], words: list[str], said: str) -> None:
    with with_player(good) as probe:
        code, out, err = probe(*words)
    assert (code, out) == (2, "")
    assert err.endswith(said)
    assert probe.server.requests == []


def row(probe: str, right: int, asked: int) -> Result:
    return Result(probe=probe, right=right, asked=asked, of=asked)


def figure(probe: str, number: float) -> Result:
    return Result(probe=probe, number=number, unit="tokens")


def test_a_slow_reader_that_calls_tools_is_led_and_shown_less() -> None:
    results = [
        figure("reading", 15),
        figure("writing", 4),
        row("native calls", 9, 10),
        row("whole file", 1, 5),
        row("whole function", 4, 5),
        figure("true context", 1_000),
    ]
    assert verdict_on(results).mode == "guided"
    assert profile_of("m", results, mode="guided", day="2026-01-31") == Profile(
        model="m",
        mode="guided",
        edit_format="function",
        reading=15,
        writing=4,
        context=1_000,
        measured="2026-01-31",
        scores={"native calls": (9, 10), "whole file": (1, 5), "whole function": (4, 5)},
        question_tokens=300,
        outline_tokens=150,
        candidate_tokens=450,
        whole_file_tokens=0,
    )


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (row("questions", 3, 5), "3 of 5"),
        (Result(probe="calls by schema", state="refused"), "refused"),
        (Result(probe="questions", of=5, state="time"), "no time"),
        (figure("reading", 8.4), "8.4 tokens"),
        (figure("true context", 4_000), "4,000 tokens"),
        (Result(probe="reading", unit="tokens a second", state="silent"), "no answer"),
    ],
)
def test_a_result_in_a_few_words(result: Result, words: str) -> None:
    assert result.words == words


@pytest.mark.parametrize(
    ("native", "schema", "text", "file", "mode"),
    [(9, 9, 9, 5, "native"), (9, 9, 9, 1, "native"), (2, 9, 9, 3, "guided"), (2, 7, 2, 2, "schema"),
     (2, 2, 8, 2, "text"), (2, 6, 6, 2, "unusable")],
)  # fmt: skip
def test_the_verdict_is_the_best_way_that_works(native: int, schema: int, text: int, file: int, mode: str) -> None:
    results = [
        figure("reading", 500),
        row("native calls", native, 10),
        row("calls by schema", schema, 10),
        row("written calls", text, 10),
        row("whole file", file, 5),
        row("whole function", 0, 5),
    ]
    assert verdict_on(results).mode == mode
