"""Tools that a configuration names (`tools.external`), through the command line and in the real sandbox."""

from typing import Any

import msgspec
import pytest

from tests.cli.conftest import CommandLine
from tests.extend.programs import program
from tests.host.sandbox.boxes import needs_bubblewrap

COUNT = {
    "name": "count",
    "description": "Counts the words of a text.",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def called(ferrule: CommandLine, *more: str) -> tuple[str, bool]:
    """What a call of the tool came to, and whether that is an error."""
    options = ferrule.script({"calls": [{"name": "count", "input": {"text": "one two three"}}]}, "Done.")
    ended = ferrule(*options, *more, "--output-format", "stream-json", "--verbose", "-p", "count")
    results = [
        block
        for message in ended.messages
        if message["type"] == "user"
        for block in message["message"]["content"]
        if block["type"] == "tool_result"
    ]
    assert len(results) == 1, ended
    return results[0]["content"], results[0].get("is_error", False)


@pytest.fixture
def counting(ferrule: CommandLine) -> CommandLine:
    """A user with a tool of their own, which writes to the project and tries to write elsewhere."""
    path = program(
        ferrule.home / "bin" / "count",
        '#!/bin/sh\n(echo x >"$HOME/escaped") 2>&-\necho y >made\nprintf "%s in %s words" "$(cat)" "$1"\n',
    )
    configure(ferrule, {**COUNT, "command": [str(path), "many"]})
    return ferrule


def configure(ferrule: CommandLine, tool: dict[str, Any]) -> None:
    file = ferrule.home / "config" / "ferrule" / "config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(msgspec.json.encode({"tools": {"external": [tool]}}))


@needs_bubblewrap
def test_it_runs_confined_and_asks_as_a_command_does(counting: CommandLine) -> None:
    assert called(counting, "--mode", "auto") == ('{"text":"one two three"} in many words', False)
    assert (counting.project / "made").read_text() == "y\n"
    assert not (counting.home / "escaped").exists()
    words, is_error = called(counting, "--mode", "auto-edit")
    assert is_error
    assert words.startswith(f"Denied: count would run {counting.home}/bin/count many ")
    assert called(counting, "--allowed-tools", "count")[1] is False


def test_a_project_names_tools_once_it_is_trusted(ferrule: CommandLine) -> None:
    program(ferrule.project / "scripts" / "count", "#!/bin/sh\ntouch ran\ncat\n")
    tool = {**COUNT, "effect": "read", "command": ["./scripts/count"]}
    (ferrule.project / ".ferrule.json").write_bytes(msgspec.json.encode({"tools": {"external": [tool]}}))
    assert called(ferrule)[0].startswith("There is no tool named count;")
    assert not (ferrule.project / "ran").exists()
    shown = ferrule("trust", "--yes")
    assert (shown.code, '"./scripts/count"' in shown.out) == (0, True)
    assert called(ferrule) == ('{"text":"one two three"}', False)


def test_what_is_wrong_is_said_and_the_run_goes_on(ferrule: CommandLine) -> None:
    configure(ferrule, {**COUNT, "command": ["no-such-program"]})
    ended = ferrule(*ferrule.script("Done."), "-p", "hi")
    assert (ended.code, ended.out) == (0, "Done.\n")
    assert ended.err == (
        'ferrule: tools.external "count": there is no program no-such-program here, outside of the project.\n'
    )
