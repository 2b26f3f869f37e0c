"""Hooks through the front door: hostile ones, those of a repository, and what a run without any pays for them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import FERRULE, CommandLine
from tests.cli.test_startup import modules_after
from tests.host.shapes import is_alive, wait_for

RUN = "from ferrule.cli.main import main\nassert main() == 0"


def call(tool: str, **input: Any) -> dict[str, Any]:
    return {"calls": [{"name": tool, "input": input}]}


def configure(path: Path, hooks: dict[str, list[Any]]) -> None:
    groups = {event: [{"hooks": [one]} for one in commands] for event, commands in hooks.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": groups}))


def own(ferrule: CommandLine, **hooks: list[Any]) -> None:
    configure(ferrule.home / "config/ferrule/config.json", hooks)


def command(line: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": line, **more}


HOSTILE = {
    "echo $$ > slow.pid; (setsid sleep 300 & echo $! > away.pid); sleep 300": (
        "failed. It did not end within 1 s, and was killed with all that it had started."
    ),
    "yes | head -c 100000000": "failed. It printed more than 1,000,000 bytes and was stopped.",
    "echo so >&2; yes >&2 & kill -9 $$": "failed with SIGKILL: ",
    "/no/such/program": "failed with exit code 127: ",
    "./plain.txt": "failed with exit code 126: ",
    "sleep 300 & echo $! > held.pid": "",
    "printf '\\377\\376{'": "",
    'printf \'{"decision": "block"\'': "answered with something that is not JSON: ",
    'printf \'\\033]0;title\\007{"decision": ["block"]}\'': "",
    'printf \'{"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "deny"}}\'': (
        "answered for Stop, which does not count."
    ),
    "exec 0<&- 1>&- 2>&-; exit 0": "",
    "echo edited >> shared.txt": "",
    "cat > /dev/null; echo edited >> shared.txt; exit 1": "failed with exit code 1",
}


def test_whatever_a_hook_does_wrong_is_said_and_the_call_goes_on(ferrule: CommandLine) -> None:
    (ferrule.project / "plain.txt").write_text("no program\n")
    own(ferrule, PreToolUse=[command(line, timeout=1 if "slow" in line else 20) for line in HOSTILE])
    script = ferrule.script(call("write", file_path="a.txt", content="x" * 200_000), "Done.")
    ended = ferrule(*script, "--mode", "auto-edit", "-p", "go")
    assert (ended.code, ended.out) == (0, "Done.\n")
    assert (ferrule.project / "a.txt").read_text() == "x" * 200_000
    assert (ferrule.project / "shared.txt").read_text() == "edited\n" * 2
    lines = [line for line in ended.err.splitlines() if line.startswith("ferrule: The PreToolUse hook `")]
    expected = [words for words in HOSTILE.values() if words]
    assert [words in line for words, line in zip(expected, lines, strict=True)] == [True] * len(expected)
    assert "\x1b" not in ended.err
    for name in ("slow.pid", "away.pid", "held.pid"):
        file = ferrule.project / name
        pid = file.read_text() if file.exists() or name == "held.pid" else ""  # the slow one may have been too slow
        assert not pid or wait_for(lambda pid=pid: not is_alive(int(pid))), name  # type: ignore[misc]


def test_a_guard_that_fails_can_be_made_to_block(ferrule: CommandLine) -> None:
    own(ferrule, PreToolUse=[command("/no/such/guard", onFailure="block")])
    ended = ferrule(*ferrule.script(call("ls"), "Well."), "-p", "go")
    assert ended.code == 4
    assert "ferrule: A hook denied it: The PreToolUse hook `/no/such/guard` failed with exit code 127" in ended.err


def test_a_program_with_arguments_is_read_by_no_shell(ferrule: CommandLine) -> None:
    own(ferrule, SessionStart=[command("touch", args=["$HOME; echo", "b c"])])
    assert ferrule(*ferrule.script("Hello."), "-p", "hi").code == 0
    assert sorted(path.name for path in ferrule.project.iterdir()) == ["$HOME; echo", "b c"]


def test_a_hook_has_the_users_environment_and_its_own(ferrule: CommandLine) -> None:
    ferrule.env["MY_API_KEY"] = "abcdefgh-12345678"
    keep = 'echo "$FERRULE_HOOK $FERRULE_PROJECT_DIR $CLAUDE_PROJECT_DIR $MY_API_KEY $PWD" > told; env > /dev/null'
    own(ferrule, UserPromptSubmit=[command(f"{keep}; echo key $MY_API_KEY >&2; exit 7")])
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    project = ferrule.project
    told = f"UserPromptSubmit {project} {project} abcdefgh-12345678 {project}\n"
    assert (project / "told").read_text() == told
    assert "failed with exit code 7: key [masked]" in ended.err
    assert [*(ferrule.home / "data").rglob("*.jsonl")]
    kept = [path for path in (ferrule.home / "data").rglob("*.jsonl") if b"abcdefgh-1234" in path.read_bytes()]
    assert kept == []


def test_ferrule_can_be_run_by_a_hook(ferrule: CommandLine) -> None:
    own(ferrule, SessionStart=[command("ferrule config get ui.color")])
    ferrule.env["PATH"] = f"{Path(FERRULE).parent}:{ferrule.env['PATH']}"
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    assert (ended.code, ended.err) == (0, "")


def test_a_repositorys_hooks_run_once_it_is_trusted(ferrule: CommandLine) -> None:
    configure(ferrule.project / ".ferrule/config.json", {"SessionStart": [command("touch canary")]})
    words = [*ferrule.script("Hello."), "-p", "hi"]
    ended = ferrule(*words)
    place = ferrule.project / ".ferrule/config.json"
    assert ended.err == (
        f"ferrule: {place}:1: hooks.SessionStart is ignored until you trust the project (ferrule trust).\n"
    )
    assert not (ferrule.project / "canary").exists()
    shown = ferrule("trust", "--yes")
    assert "touch canary" in shown.out
    assert ferrule(*words).err == ""
    assert (ferrule.project / "canary").exists()


def test_what_cannot_be_run_here_is_said_at_the_start(ferrule: CommandLine) -> None:
    own(ferrule, Stop=[{"type": "prompt", "prompt": "Is it done?"}], Unheard=[])
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    assert ended.out == "Hello.\n"
    assert "There is no key hooks.Unheard" in ended.err
    assert "hooks.Stop[0].hooks[0] is left out: hooks of type prompt are not run here." in ended.err


def test_a_refused_request_is_an_error_with_the_reason(ferrule: CommandLine) -> None:
    own(ferrule, UserPromptSubmit=[command("echo 'not on Sundays' >&2; exit 2")])
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    assert (ended.code, ended.out, ended.err) == (1, "", "ferrule: A hook refused the request: not on Sundays\n")


@pytest.mark.parametrize("hooked", [False, True])
def test_who_has_no_hooks_pays_nothing_for_them(ferrule: CommandLine, hooked: bool) -> None:
    if hooked:
        own(ferrule, Stop=[command("true")])
    loaded = modules_after(RUN, ferrule, *ferrule.script("Hello."), "-p", "hi")
    assert any(name.startswith("ferrule.extend.hook") for name in loaded) == hooked
