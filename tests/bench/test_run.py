"""`ferrule bench`: real runs of Ferrule and of a stand-in for another agent, in real copies of little repositories."""

import os
import re
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ferrule.cli.main import main
from tests.bench.conftest import Bench
from tests.server import Call, ModelServer, Reply

FIXED = "def greet(name):\n    return f'Hello, {name}!'\n"
EDITS = f"""\
import pathlib, sys
pathlib.Path("greeting.py").write_text({FIXED!r})
pathlib.Path(".ferrule").mkdir()
pathlib.Path(".ferrule/config.json").write_text("nonsense")
print("I was asked:", *sys.argv[1:])
"""
HANGS = """\
import pathlib, subprocess, sys
child = subprocess.Popen(["sleep", "1000"])
pathlib.Path({place!r}).write_text(str(child.pid))
child.wait()
"""

STUBBORN = """\
import os, pathlib, signal
signal.signal(signal.SIGTERM, lambda *_: pathlib.Path({told!r}).write_text("no"))
pathlib.Path({place!r}).write_text(str(os.getpid()))
while True:
    signal.pause()
"""
WAITS = """\
import pathlib
pathlib.Path({begun!r}).write_text("yes")
print(pathlib.Path({goes_on!r}).read_text())
"""


def writing(text: str) -> dict[str, Any]:
    usage = {"input": 100, "output": 10}
    return {"calls": [{"name": "write", "input": {"file_path": "greeting.py", "content": text}}], "usage": usage}


def timeless(text: str) -> str:
    """A table without how long it took, and without the width that this had."""
    return re.sub(r" +", " ", re.sub(r" +(seconds|\d+\.\d)$", "", text, flags=re.MULTILINE))


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_every_task_is_run_in_a_copy_and_checked(bench: Bench) -> None:
    model = bench.script(
        {"calls": [{"name": "read", "input": {"file_path": "greeting.py"}}], "usage": {"input": 50, "output": 5}},
        writing(FIXED),
        {"text": "Done; see greeting.py.", "usage": {"input": 120, "output": 8}},
    )
    ended = bench.bench(*model, "--json", str(bench.results))
    assert ended.code == 0, ended.err
    same = {"agent": "ferrule", "model": model[3], "number": 1, "success": True, "why": "", "exit_reason": "end_turn"}
    same |= {"tries": 1, "turns": 3, "tokens_in": 270, "tokens_out": 23}
    assert bench.records == [
        {**same, "task": "greet-where", "kind": "find", "tags": ["held"]},
        {**same, "task": "greet-comma", "kind": "fix", "tags": ["tune", "hard"]},
    ]
    assert timeless(ended.out.replace(model[3], "script")) == (
        "agent kind success turns tokens in tokens out\n"
        "ferrule script find 1 of 1 100 % 3 270 23\n"
        "ferrule script fix 1 of 1 100 % 3 270 23\n"
        "ferrule script overall 2 of 2 100 % 3 270 23\n"
    )
    assert [line[:5] for line in ended.err.splitlines()] == ["[1/2]", "[2/2]"]
    assert (bench.tasks / "greet-comma" / "repo" / "greeting.py").read_text() != FIXED
    assert "no sessions" in bench("sessions", "--all").out


def test_failures_are_listed_with_their_reasons(bench: Bench) -> None:
    model = bench.script("I do not know.")
    ended = bench.bench(*model, "--repeat", "2", "--jobs", "2", "--task", "greet-comma", "--label", "plain")
    assert ended.code == 0
    assert sorted(ended.out.splitlines()[-2:]) == [
        f"  plain fix/greet-comma #{number}: greet('Ada') is 'Hello Ada'" for number in (1, 2)
    ]
    assert "0 of 2" in ended.out
    ended = bench.bench(*model, "--only", "held", "--", "--max-turns", "1")
    assert ended.out.endswith("  ferrule find/greet-where #1: The answer does not name greeting.py.\n")


def test_what_was_done_is_not_done_again(bench: Bench) -> None:
    keep = ["--json", str(bench.results)]
    model = bench.script("greeting.py")
    assert bench.bench(*model, *keep, "--kind", "find").code == 0
    first = bench.results.read_bytes()
    broken = msgspec.json.encode(
        {**msgspec.json.decode(first), "task": "greet-comma", "kind": "fix", "exit_reason": "error"}
    )
    bench.results.write_bytes(first + broken + b'\n{"agent": "cut o')  # a model out of reach, and a machine gone down
    ended = bench.bench(*model, *keep)
    assert ended.code == 0
    remark, only = ended.err.splitlines()
    assert remark == f"2 results are in {bench.results} already."
    assert only.startswith("[1/1] ferrule fix/greet-comma")
    assert bench.results.read_bytes().startswith(first + broken)
    bench.results.write_bytes(bench.results.read_bytes().removesuffix(b"\n"))
    again = bench.bench(*model, *keep)
    assert (again.err, again.out) == (f"2 results are in {bench.results} already.\n", ended.out)
    assert bench("bench", "table", str(bench.results)).out == ended.out


def test_a_rival_works_in_the_same_copies(bench: Bench) -> None:
    rival = bench.program(EDITS)
    options = ["--rival", rival, "--rivals-only", "-m", "small", "--json", str(bench.results)]
    ended = bench.bench(*options, "--keep", str(bench.home / "kept"))
    assert ended.code == 0
    same = {"agent": "other", "model": "small", "number": 1, "exit_reason": "end_turn", "tries": 1}
    same |= {"turns": None, "tokens_in": None, "tokens_out": None}
    why = "The answer does not name greeting.py."
    assert bench.records == [
        {**same, "task": "greet-where", "kind": "find", "success": False, "why": why, "tags": ["held"]},
        {**same, "task": "greet-comma", "kind": "fix", "success": True, "why": "", "tags": ["tune", "hard"]},
    ]
    kept = bench.home / "kept" / "other" / "greet-comma-1"
    assert (kept / "try1.answer").read_text() == "I was asked: --message greet() lacks its comma.\n"
    assert (kept / "project" / "greeting.py").read_text() == FIXED
    assert (kept / "project" / ".git").is_dir()


def test_what_takes_too_long_is_ended_with_all_that_it_started(bench: Bench) -> None:
    place = bench.home / "child"
    rival = bench.program(HANGS.format(place=str(place)))
    ended = bench.bench("--rival", rival, "--rivals-only", "--kind", "fix", "--timeout", "2")
    assert ended.out.endswith("  other fix/greet-comma #1 (timeout): It took longer than 2 s.\n")
    assert is_gone(int(place.read_text()))


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        (signal.SIGTERM, 143, True),
        pytest.param(signal.SIGINT, 130, True, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, False, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_the_trial_and_keeps_what_came_so_far(
    bench: Bench, number: signal.Signals, code: int, shown: bool
) -> None:
    place = bench.home / "child"
    os.mkfifo(place)
    rival = bench.program(HANGS.format(place=str(place)))
    words = ["bench", "run", "--tasks", str(bench.tasks), *bench.script("greeting.py"), "--rival", rival]
    words += ["--json", str(bench.results)]
    with bench.start(words, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as process:
        child = int(place.read_text())  # waits until the rival is at work
        process.send_signal(number)
        out, err = process.communicate(timeout=50)
    assert process.returncode == code, err
    assert (b"1 of 1" in out) is shown
    assert is_gone(child)
    assert [(record["agent"], record["task"]) for record in bench.records] == [("ferrule", "greet-where")]


@pytest.mark.slow
def test_a_second_signal_ends_even_what_does_not_listen(bench: Bench) -> None:
    place, told = bench.home / "child", bench.home / "told"
    os.mkfifo(place)
    os.mkfifo(told)
    rival = bench.program(STUBBORN.format(place=str(place), told=str(told)))
    with bench.start(["bench", "run", "--tasks", str(bench.tasks), "--rival", rival, "--rivals-only"]) as process:
        stubborn = int(place.read_text())
        process.send_signal(signal.SIGTERM)
        assert told.read_text() == "no"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=50)
    assert process.returncode == 143, err
    assert is_gone(stubborn)


@pytest.mark.slow
def test_who_hangs_up_after_nohup_lets_it_go_on(bench: Bench) -> None:
    begun, goes_on = bench.home / "begun", bench.home / "goes on"
    os.mkfifo(begun)
    os.mkfifo(goes_on)
    rival = bench.program(WAITS.format(begun=str(begun), goes_on=str(goes_on)))
    words = ["bench", "run", "--tasks", str(bench.tasks), "--task", "greet-where", "--rival", rival, "--rivals-only"]
    with bench.start(words, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        begun.read_text()
        process.send_signal(signal.SIGHUP)
        goes_on.write_text("greeting.py")
        out, err = process.communicate(timeout=50)
    assert (process.returncode, b"1 of 1" in out) == (0, True), err


def test_a_second_try_is_told_what_the_check_said(bench: Bench) -> None:
    bench.task(
        "greet-twice",
        bench.tasks.joinpath("greet-comma", "check.py").read_text(),
        kind="fix",
        request="Comma!",
        tries=2,
    )
    wrong, right = ({"file_path": "greeting.py", "content": text} for text in (FIXED.replace("!", "?"), FIXED))
    script = [Reply(calls=(Call(name="write", arguments=wrong),)), Reply(text="Done.")]
    script += [Reply(calls=(Call(name="write", arguments=right),)), Reply(text="Now it is.")]
    with ModelServer(script) as server:
        bench.env["ANTHROPIC_API_KEY"] = "test-key"
        options = ["-P", "anthropic", "-m", "claude-sonnet-5-5", "--endpoint", server.url, "--json", str(bench.results)]
        ended = bench.bench(*options, "--task", "greet-twice")
        assert ended.code == 0, ended.err
        asked = msgspec.json.encode(server.requests[2].body).decode()
    (record,) = bench.records
    assert (record["success"], record["tries"], record["turns"]) == (True, 2, 4)
    assert "The tests fail:" in asked
    assert "Hello, Ada?" in asked
    assert "Comma!" in asked, "it is the same conversation"


def test_code_of_the_model_is_checked_in_a_sandbox(bench: Bench) -> None:
    target = bench.home / "owned"
    spiteful = (
        f"import pathlib\n\ntry:\n    pathlib.Path({str(target)!r}).touch()\nexcept OSError:\n    pass\n\n\n{FIXED}"
    )
    ended = bench.bench(*bench.script(writing(spiteful), "Done."), "--kind", "fix")
    assert "1 of 1" in ended.out
    assert not target.exists()


def test_mistakes_are_said_before_anything_is_run(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    (bench.tasks / "empty").mkdir()
    description = bench.tasks / "greet-comma" / "task.toml"
    cases = {
        ("--tasks", str(bench.tasks / "empty")): "There are no tasks in",
        ("--task", "nope"): "There is no task nope.",
        ("--only", "nope"): "No task has all that was asked for.",
        ("--rival", "x=python3 -c 1"): "write {prompt} there",
        ("--rival", "x=no-such-program {prompt}"): "there is no program no-such-program",
        ("--rival", "ferrule=python3 {prompt}"): "with a name of its own",
        ("--rival", "../x=python3 {prompt}"): "with a name of its own",
        ("--label", "../x"): "cannot be a name",
        ("--rivals-only",): "no --rival is named",
        ("--json", str(description)): "is no record of a trial",
        ("--json", str(bench.tasks)): "cannot be read",
    }
    for words, said in cases.items():
        assert main(["bench", "run", "--tasks", str(bench.tasks), *words]) == 2
        told = capfd.readouterr()
        assert (told.out, said in told.err) == ("", True), told.err
    assert main(["bench", "table", str(bench.tasks / "missing")]) == 2
    assert "There is no file" in capfd.readouterr().err
    description.write_text(description.read_text() + 'colour = "red"\n')
    assert main(["bench", "list", "--tasks", str(bench.tasks)]) == 2
    assert "there is no such key: colour" in capfd.readouterr().err
    description.write_text('name = "../x"\nkind = "find"\nrequest = "?"\n')
    assert main(["bench", "list", "--tasks", str(bench.tasks)]) == 2
    assert "the name ../x is not that of the directory" in capfd.readouterr().err


def test_a_model_that_is_not_there_ends_the_series_at_once(bench: Bench) -> None:
    ended = bench.bench("-P", "replay", "-m", "missing.jsonl")
    assert (ended.code, ended.out) == (1, "")
    assert re.fullmatch(r"ferrule: Ferrule could not begin: ferrule: The script .* cannot be read.*\n", ended.err)


def test_the_tasks_are_listed(bench: Bench) -> None:
    ended = bench("bench", "list", "--tasks", str(bench.tasks), "--only", "tune")
    assert " ".join(ended.out.split()) == "fix greet-comma tune, hard greet() lacks its comma."
