"""`ferrule -p`: real processes, scripted replies, real tools."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import FERRULE, CommandLine


def call(tool: str, **input: Any) -> dict[str, Any]:
    return {"calls": [{"name": tool, "input": input}]}


def test_the_answer_is_printed_and_nothing_else(ferrule: CommandLine) -> None:
    ended = ferrule(*ferrule.script("Hello **there**."), "-p", "hi")
    assert (ended.code, ended.out, ended.err) == (0, "Hello **there**.\n", "")


def test_tools_are_run_for_real(ferrule: CommandLine) -> None:
    (ferrule.project / "a.txt").write_text("old words\n")
    options = ferrule.script(
        call("read", file_path="a.txt"),
        call("edit", file_path="a.txt", old_string="old", new_string="new"),
        call("bash", command="cat a.txt > b.txt"),
        "Done.",
    )
    ended = ferrule(*options, "--mode", "yolo", "-p", "change it")
    assert (ended.code, ended.out) == (0, "Done.\n")
    assert (ferrule.project / "b.txt").read_text() == "new words\n"


def test_without_leave_only_reading_is_allowed(ferrule: CommandLine) -> None:
    (ferrule.project / "a.txt").write_text("x\n")
    options = ferrule.script(call("read", file_path="a.txt"), call("write", file_path="b.txt", content="y"), "Well.")
    ended = ferrule(*options, "-p", "go")
    assert (ended.code, ended.out) == (4, "Well.\n")
    assert "--allowed-tools 'write(./b.txt)'" in ended.err
    assert not (ferrule.project / "b.txt").exists()
    options = ferrule.script(call("write", file_path="b.txt", content="y"), "Well.")
    assert ferrule(*options, "--allowed-tools", "Write", "-p", "go").code == 0
    assert (ferrule.project / "b.txt").read_text() == "y"


def test_a_dry_run_runs_nothing_and_says_so(ferrule: CommandLine) -> None:
    options = ferrule.script(call("write", file_path="b.txt", content="y"), "Would have.")
    ended = ferrule(*options, "--mode", "yolo", "--dry-run", "--output-format", "stream-json", "-p", "go")
    assert ended.code == 0
    assert not (ferrule.project / "b.txt").exists()
    (result,) = [message for message in ended.messages if message["type"] == "user"]
    assert "Dry run" in result["message"]["content"][0]["content"]


def test_what_is_piped_in_joins_the_request(ferrule: CommandLine) -> None:
    options = ferrule.script("Read.")
    assert ferrule(*options, "-p", "explain", stdin=b"some input").code == 0
    exported = ferrule("export", "--last", "--format", "json").out
    assert "explain\\n\\nsome input" in exported
    assert ferrule(*ferrule.script("Read."), stdin=b"only input").out == "Read.\n"
    assert ferrule(*ferrule.script("Read."), "-p", stdin=b"only input").out == "Read.\n"
    nothing = ferrule(*options, "-p")
    assert (nothing.code, "There is no request" in nothing.err) == (2, True)


def test_json_is_one_result_object(ferrule: CommandLine) -> None:
    options = ferrule.script({"text": "Hello.", "usage": {"input": 5, "output": 1}, "cost": 0.25})
    ended = ferrule(*options, "--output-format", "json", "-p", "hi")
    result = json.loads(ended.out)
    volatile = {key: result.pop(key) for key in ("duration_ms", "duration_api_ms", "session_id", "uuid")}
    assert all(volatile[key] is not None for key in volatile)
    assert result == {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "exit_reason": "end_turn",
        "num_turns": 1,
        "result": "Hello.",
        "total_cost_usd": 0.25,
        "usage": {
            "input_tokens": 5,
            "output_tokens": 1,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        },
        "permission_denials": [],
    }


def test_stream_json_tells_it_in_the_shapes_that_clients_know(ferrule: CommandLine) -> None:
    options = ferrule.script({"thinking": "Hm.", "text": "Look:", "calls": [{"name": "ls", "input": {}}]}, "Done.")
    (ferrule.project / "a.txt").touch()
    ended = ferrule(*options, "--output-format", "stream-json", "--verbose", "-p", "go")
    kinds = [message["type"] for message in ended.messages]
    assert kinds == ["system", "assistant", "user", "assistant", "result"]
    init, first, result, _, last = ended.messages
    assert init["subtype"] == "init"
    assert {"cwd", "session_id", "tools", "model", "permissionMode"} <= set(init)
    assert [block["type"] for block in first["message"]["content"]] == ["thinking", "text", "tool_use"]
    (block,) = result["message"]["content"]
    assert block["tool_use_id"] == first["message"]["content"][2]["id"]
    assert "a.txt" in block["content"]
    assert last["num_turns"] == 2
    assert {message["session_id"] for message in ended.messages} == {init["session_id"]}
    assert "ls" in ended.err


def test_partial_messages_are_whole_streams(ferrule: CommandLine) -> None:
    calls = [{"name": "ls", "input": {"path": "."}}, {"name": "todo", "input": {"todos": []}}]
    options = ferrule.script({"thinking": "Hm.", "text": "Look here", "calls": calls}, "Done.")
    ended = ferrule(*options, "--output-format", "stream-json", "--include-partial-messages", "-p", "go")
    events = [message["event"] for message in ended.messages if message["type"] == "stream_event"]
    starts = [event["index"] for event in events if event["type"] == "content_block_start"]
    stops = [event["index"] for event in events if event["type"] == "content_block_stop"]
    assert starts == stops == [0, 1, 2, 3, 0]
    whole = ["message_start", "message_delta", "message_stop"]
    assert [event["type"] for event in events if event["type"].startswith("message")] == whole * 2
    blocks = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert [block.get("name", block["type"]) for block in blocks] == ["thinking", "text", "ls", "todo", "text"]
    arguments = [event["delta"]["partial_json"] for event in events if "partial_json" in event.get("delta", {})]
    assert arguments == ['{"path":"."}', '{"todos":[]}']
    text = "".join(event["delta"].get("text", "") for event in events if event["type"] == "content_block_delta")
    assert text == "Look hereDone."


def test_after_a_retry_the_stream_begins_anew(ferrule: CommandLine) -> None:
    fault = {"text": "Half", "error": {"message": "Down.", "fault": "server", "retry_after": 0}}
    options = ferrule.script(fault, "Whole.")
    ended = ferrule(*options, "--output-format", "stream-json", "--include-partial-messages", "-p", "go")
    told = [message["event"]["type"] for message in ended.messages if message["type"] == "stream_event"]
    assert told == [
        "message_start", "content_block_start", "content_block_delta",
        "message_start", "content_block_start", "content_block_delta", "content_block_stop",
        "message_delta", "message_stop",
    ]  # fmt: skip


def test_limits_have_an_exit_code_of_their_own(ferrule: CommandLine) -> None:
    options = ferrule.script(*(call("ls", path=".") for _ in range(3)), "Done.")
    ended = ferrule(*options, "--max-turns", "2", "-p", "go")
    assert ended.code == 3
    assert "limit of turns" in ended.err
    costly = ferrule.script({**call("ls"), "cost": 2.0}, "Done.")
    ended = ferrule(*costly, "--max-budget-usd", "1.5", "--output-format", "json", "-p", "go")
    assert (ended.code, json.loads(ended.out)["subtype"]) == (3, "error_max_budget_usd")


def test_it_never_ends_well_without_an_answer(ferrule: CommandLine) -> None:
    ended = ferrule(*ferrule.script({"text": ""}, {"text": ""}), "-p", "go")
    assert (ended.code, ended.out) == (1, "")
    assert "empty answer" in ended.err


def test_a_provider_that_fails_is_an_error(ferrule: CommandLine) -> None:
    ended = ferrule(*ferrule.script({"error": {"message": "The key is wrong.", "fault": "auth"}}), "-p", "go")
    assert (ended.code, ended.out, ended.err) == (1, "", "ferrule: The key is wrong.\n")


def test_one_more_line_is_one(ferrule: CommandLine) -> None:
    for number, words in ((2, "(1 more line, "), (3, "(2 more lines, ")):
        run = call("bash", command=f"seq {number - 1}")
        ended = ferrule(*ferrule.script(run, "Done."), "--mode", "yolo", "--verbose", "-p", "go")
        assert words in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-p", "hi"], "No model is set"),
        (["-P", "nosuch", "-p", "hi"], "There is no provider nosuch"),
        (["-P", "replay", "-m", "missing.jsonl", "-p", "hi"], "missing.jsonl cannot be read"),
        (["--cwd", "nowhere", "-p", "hi"], "Cannot work in nowhere: No such file or directory"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--output-format", "xml", "-p", "hi"], "invalid choice: 'xml'"),
        (["-P", "nope", "-p", "hi"], "There is no provider nope; there are anthropic, "),
        (["--max-turns", "-1", "-p", "hi"], "-1 is less than 0"),
        (["--max-turns", "abc", "-p", "hi"], "abc is no whole number, such as 20"),
        (["--max-budget-usd", "abc", "-p", "hi"], "abc is no amount of money, such as 0.5"),
        (["--max-budget-usd", "nan", "-p", "hi"], "nan is no amount of money"),
        (["-c", "nowhere.json", "-p", "hi"], "There is no file nowhere.json"),
        (["--resume", "nosuch", "-P", "replay", "-m", "x", "-p", "hi"], ""),
    ],
)
def test_bad_usage_has_words_and_no_traceback(ferrule: CommandLine, words: list[str], said: str) -> None:
    ferrule.env["FERRULE_LOCAL_FETCH"] = "no"  # the engine of embedded models may be installed or not
    ended = ferrule(*words)
    assert ended.code in {1, 2}
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_session_goes_on(ferrule: CommandLine) -> None:
    first = ferrule(*ferrule.script("I am one."), "-p", "who are you?")
    assert first.code == 0
    options = ferrule.script("I am two.")
    assert ferrule(*options, "--continue", "-p", "and now?").code == 0
    assert ferrule(*options, "--resume", "1", "-p", "and then?").code == 0
    messages = json.loads(ferrule("export", "--last", "--format", "json").out)["messages"]
    texts = [message["content"][0]["text"] for message in messages]
    assert texts == ["who are you?", "I am one.", "and now?", "I am two.", "and then?", "I am two."]
    assert ferrule(*options, "--continue", "--fork", "-p", "elsewhere").code == 0
    assert len(json.loads(ferrule("sessions", "--json").out)) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_signal_ends_the_run_cleanly(ferrule: CommandLine, number: signal.Signals) -> None:
    options = ferrule.script(call("bash", command="touch started; sleep 60"), "never")
    process = ferrule.start([*options, "--mode", "yolo", "-p", "go"])
    _until((ferrule.project / "started").exists)
    process.send_signal(number)
    out, _ = process.communicate(timeout=50)
    assert (process.returncode, out) == (130, b"")
    messages = json.loads(ferrule("export", "--last", "--format", "json").out)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool_result"]
    assert "Interrupted by the user" in messages[-1]["content"][0]["text"]


def test_a_command_leaves_nothing_behind_but_the_session(ferrule: CommandLine) -> None:
    ferrule.env["TMPDIR"] = str(ferrule.home / "tmp")
    (ferrule.home / "tmp").mkdir()
    options = ferrule.script(call("bash", command="echo hello"), call("bash", command="seq 100000"), "Done.")
    assert ferrule(*options, "--mode", "yolo", "-p", "go").code == 0
    (session,) = (ferrule.home / "data").rglob("*.jsonl")
    kept = sorted(path.suffix for path in session.parent.iterdir())
    assert kept == [".jsonl", ".outputs"]
    assert [path.stat().st_mode & 0o777 for path in session.with_suffix(".outputs").iterdir()] == [0o600]
    assert list((ferrule.home / "tmp").iterdir()) == []


@pytest.mark.slow
def test_a_second_signal_changes_nothing(ferrule: CommandLine) -> None:
    options = ferrule.script(
        call("bash", command="trap '' TERM INT; touch started; while :; do sleep 9; done"), "never"
    )
    process = ferrule.start([*options, "--mode", "yolo", "--output-format", "json", "-p", "go"])
    _until((ferrule.project / "started").exists)
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, err = process.communicate(timeout=50)
    assert (process.returncode, b"Traceback" in err) == (130, False)
    assert json.loads(out)["exit_reason"] == "interrupted"


def test_a_directory_that_is_gone_is_said(ferrule: CommandLine) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    for words in (["-P", "replay", "-m", "x", "-p", "hi"], ["sessions"], ["export", "--last"]):
        ran = subprocess.run(
            ["bash", "-c", script, "-", FERRULE, *words],
            cwd=ferrule.project,
            env=ferrule.env,
            capture_output=True,
            text=True,
        )
        assert (ran.returncode, "Traceback" in ran.stderr) == (2, False), ran.stderr
        assert "no longer there" in ran.stderr


def test_descriptors_that_are_closed_are_no_reason_to_fail(ferrule: CommandLine) -> None:
    words = " ".join([FERRULE, *ferrule.script("Fine."), "-p", "hi"])
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        ran = subprocess.run(["bash", "-c", f"{words} {closed}"], cwd=ferrule.project, env=ferrule.env)
        assert ran.returncode == 0, closed


def test_a_tool_that_is_not_there_cannot_be_forbidden(ferrule: CommandLine) -> None:
    ended = ferrule(*ferrule.script("Fine."), "--disallowedTools", "bahs", "-p", "hi")
    assert (ended.code, "There is no tool named bahs" in ended.err) == (2, True)


def test_a_killed_run_goes_on_where_it_was(ferrule: CommandLine) -> None:
    options = ferrule.script(
        call("bash", command="echo first"), call("bash", command="touch started; sleep 60"), "never"
    )
    process = ferrule.start([*options, "--mode", "yolo", "-p", "go"])
    _until((ferrule.project / "started").exists)
    process.kill()
    process.communicate(timeout=50)
    assert ferrule(*ferrule.script("Here I am."), "--continue", "-p", "go on").out == "Here I am.\n"
    messages = json.loads(ferrule("export", "--last", "--format", "json").out)["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant", "tool_result", "assistant", "tool_result", "user", "assistant"]


def test_a_closed_pipe_ends_it_quietly(ferrule: CommandLine) -> None:
    options = ferrule.script(*(call("ls") for _ in range(4)), "x" * 200_000)
    process = ferrule.start([*options, "--output-format", "stream-json", "-p", "go"])
    assert process.stdout
    process.stdout.close()
    assert process.wait(timeout=50) == 1
    assert process.stderr
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.parametrize("format_", ["text", "json", "stream-json"])
def test_whoever_reads_but_the_first_line_hears_no_more(ferrule: CommandLine, format_: str) -> None:
    options = ferrule.script("Fine.\nAnd more.")
    for more in ([], ["--include-partial-messages"]):
        process = ferrule.start([*options, "--output-format", format_, *more, "-p", "go"])
        assert process.stdout
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=50) == 0
        assert process.stderr
        assert process.stderr.read() == b""
        process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="it is a device of Linux")
def test_a_full_disk_is_said(ferrule: CommandLine) -> None:
    with Path("/dev/full").open("wb") as full:
        process = ferrule.start([*ferrule.script("Fine."), "-p", "hi"], stdout=full)
        _, err = process.communicate(timeout=50)
    assert (process.returncode, err) == (1, b"ferrule: The output could not be written: No space left on device.\n")


@pytest.mark.slow
def test_an_open_pipe_that_says_nothing_does_not_hang_it(ferrule: CommandLine) -> None:
    process = ferrule.start([*ferrule.script("Fine."), "-p", "hi"], stdin=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.read() == b"Fine.\n"
    process.communicate(timeout=50)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("word", "meant"), [("sesions", "sessions"), ("model", "models"), ("Doctor", "doctor"), ("dif", "diff")]
)
def test_a_word_that_nearly_is_a_command_is_no_request(ferrule: CommandLine, word: str, meant: str) -> None:
    ended = ferrule(word)
    said = f"There is no command {word}; did you mean {meant}? To ask it as a request: ferrule -p {word}"
    assert (ended.code, ended.out, ended.err) == (2, "", f"ferrule: {said}\n")


def test_other_words_are_requests(ferrule: CommandLine) -> None:
    assert ferrule(*ferrule.script("Fine."), "-p", "sesions").out == "Fine.\n"
    for words in ("test", "hello", "list my sesions"):
        assert "no command" not in ferrule(words).err


def test_the_working_directory_can_be_chosen(ferrule: CommandLine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "here.txt").touch()
    options = ferrule.script(call("ls"), "Done.")
    ended = ferrule(*options, "--cwd", str(other), "--output-format", "stream-json", "-p", "go")
    assert "here.txt" in ended.out


def _until(condition: Any, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)
