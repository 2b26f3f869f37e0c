"""bash through its front door: what the model asks for, and what it is told."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ferrule.core.errors import ArgumentError, ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.patience import Patience
from ferrule.host.process import Processes
from ferrule.tools.bash import Bash
from tests.host.shapes import QUICK, SHAPES, SLEEPERS, new_token, sleepers, until


class Desk:
    """A bash tool with a project to work in."""

    def __init__(self, directory: Path, patience: Patience = QUICK) -> None:
        self.project = directory / "project"
        self.project.mkdir()
        self.outputs = directory / "outputs"
        self.processes = Processes(self.project, directory / "private", patience=patience)
        self.reports: list[str] = []
        host = Host(files=Files(), processes=self.processes, outputs=self.outputs)
        self.context = ToolContext(directory=self.project, host=host, report=self.reports.append)
        self.tool = Bash()

    async def __call__(self, command: str | None = None, **args: Any) -> Output:
        given = {"command": command} if command is not None else {}
        return await self.tool.run(self.tool.parse(given | args), self.context)


@pytest.fixture
async def bash(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    await desk.processes.close()


async def test_output_and_exit_code(bash: Desk) -> None:
    assert await bash("echo out; echo err >&2") == Output("out\nerr\nExit code: 0")
    assert await bash("true") == Output("(no output)\nExit code: 0")
    assert await bash("printf 'no line end'") == Output("no line end\nExit code: 0")
    assert await bash("echo before; exit 3") == Output("before\nExit code: 3", is_error=True)


async def test_the_same_command_gives_the_same_result(bash: Desk) -> None:
    results = [await bash("mkdir -p here; ls; exit 1") for _ in range(3)]

    assert results == [Output("here\nExit code: 1", is_error=True)] * 3


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("kill -SEGV $$", "Killed by signal SIGSEGV (exit code 139)"),
        ("kill -KILL $$", "Killed by signal SIGKILL (exit code 137)"),
        ("bash -c 'kill -TERM $$'", "Exit code: 143 (SIGTERM)"),
        ("exit 200", "Exit code: 200"),
    ],
)
async def test_signals_are_named(bash: Desk, command: str, said: str) -> None:
    output = await bash(command)

    assert output.is_error
    assert str(output.content).splitlines()[-1] == said


async def test_shell_text_is_taken_as_it_stands(bash: Desk) -> None:
    assert await bash("if then") == Output(
        "/bin/bash: -c: line 1: syntax error near unexpected token `then'\n/bin/bash: -c: line 1: `if then'\n"
        "Exit code: 2",
        is_error=True,
    )
    assert await bash("set -e\nfalse\necho never") == Output("(no output)\nExit code: 1", is_error=True)
    assert await bash("cat <<'END'\n$HOME `x` \"y\" 'z' \\n\nEND") == Output("$HOME `x` \"y\" 'z' \\n\nExit code: 0")
    assert await bash("# only a comment") == Output("(no output)\nExit code: 0")
    assert await bash("") == Output("(no output)\nExit code: 0")
    assert await bash("echo 'naïve ✓ 日本'") == Output("naïve ✓ 日本\nExit code: 0")


async def test_the_directory_lives_on_and_nothing_else(bash: Desk) -> None:
    assert await bash("mkdir -p 'a [b]/c'; cd 'a [b]/c'; X=1") == Output("(no output)\nExit code: 0\n(now in a [b]/c/)")
    assert await bash('echo ${X-unset}; basename "$PWD"') == Output("unset\nc\nExit code: 0")
    assert await bash("cd /usr; exit 1") == Output("(no output)\nExit code: 1\n(now in /usr/)", is_error=True)
    assert await bash("cd /; (cd /tmp); cd -P /") == Output("(no output)\nExit code: 0\n(now in /)")
    assert await bash(f"cd '{bash.project}'") == Output("(no output)\nExit code: 0\n(now in ./)")


async def test_a_shell_that_is_replaced_or_killed_leaves_the_directory_as_it_was(bash: Desk) -> None:
    assert await bash("cd /usr; exec true") == Output("(no output)\nExit code: 0")
    assert (await bash("cd /usr; kill -9 $$")).is_error
    assert (await bash("cd /usr; sleep 60", timeout=0.2)).is_error
    assert await bash("pwd") == Output(f"{bash.project}\nExit code: 0")


async def test_a_directory_that_was_removed_falls_back_to_the_project(bash: Desk) -> None:
    back = "(the working directory was removed; now in the project's again)"
    assert await bash("mkdir gone; cd gone; rmdir ../gone") == Output("(no output)\nExit code: 0")
    await bash("mkdir gone; cd gone")
    assert await bash("rmdir ../gone") == Output(f"(no output)\nExit code: 0\n{back}")
    await bash("mkdir gone; cd gone")
    (bash.project / "gone").rmdir()
    said = "(the working directory was removed, so this ran in the project's)"
    assert await bash("pwd") == Output(f"{bash.project}\nExit code: 0\n{said}")
    assert await bash("pwd") == Output(f"{bash.project}\nExit code: 0")


async def test_a_timeout_kills_the_tree_and_keeps_the_output(bash: Desk) -> None:
    token = new_token()
    for seconds in (0.5, 5, 50):  # the first in which even a busy machine gets so far
        output = await bash(f"echo begun; sleep {token} & setsid sleep {token}", timeout=seconds)
        if str(output.content).startswith("begun"):
            break

    killed = f"Timed out after {seconds:g} s: the command and all that it had started were killed."
    assert str(output.content) in {f"begun\n{killed}", f"begun\nTerminated\n{killed}"}
    assert output.is_error
    assert sleepers(token) == []


async def test_a_timeout_that_is_too_long_is_cut_and_said(bash: Desk) -> None:
    cut = "(the timeout was cut to 600, the most; it is in seconds)"

    assert await bash("true", timeout=120_000) == Output(f"(no output)\nExit code: 0\n{cut}")


@pytest.mark.parametrize("shape", ["daemon", "deaf"])
async def test_an_interruption_kills_the_tree_before_it_passes_on(bash: Desk, shape: str) -> None:
    token = new_token()
    task = asyncio.create_task(bash(SHAPES[shape].format(token)))
    await until(lambda: len(sleepers(token)) == SLEEPERS[shape])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert sleepers(token) == []
    assert bash.processes.jobs == {}


async def test_a_question_returns_early_and_can_be_answered(bash: Desk) -> None:
    asked = await bash("read -p 'Go on? [y/N] ' x; echo \"said $x\"; read -p 'Name: ' y; echo \"hello $y\"; exit 4")
    assert asked == Output("Go on? [y/N] \nWaiting for input: `Go on? [y/N]`; running as job 1.")

    again = await bash(job=1, input="y\n")
    assert str(again.content).startswith("said y\nName: \nWaiting for input: `Name:`; job 1 has been running for ")
    assert await bash(job=1, input="Ann\n") == Output("hello Ann\nJob 1 ended. Exit code: 4.", is_error=True)
    assert await bash(job=1) == Output("(no output)\nJob 1 ended. Exit code: 4.", is_error=True)
    with pytest.raises(ToolError, match=r"^Job 1 ended\. Exit code: 4\. It reads no more\.$"):
        await bash(job=1, input="more\n")


async def test_a_server_returns_early_and_can_be_stopped(bash: Desk) -> None:
    output = await bash("python3 -m http.server --bind 127.0.0.1 0")
    content = str(output.content)
    port = re.search(r"port (\d+)", content)
    assert port
    assert content.endswith(f"Listening on port {port[1]}; running as job 1.")
    assert not output.is_error

    assert (await bash(job=1, stop=True)).content == "(no output)\nJob 1 was stopped."
    assert str((await bash(job=1, stop=True)).content).startswith("(no output)\nJob 1 ended. Killed by signal SIGTERM")


async def test_silence_returns_early(tmp_path: Path) -> None:
    bash = Desk(tmp_path, Patience(tick=0.02, idle=0.3))
    token = new_token()
    output = await bash(f"echo begun; sleep {token}")

    assert re.fullmatch(r"begun\nSilent and idle for \d+ s; running as job 1\.", str(output.content))
    assert len(sleepers(token)) == 1
    await bash.processes.close()
    assert sleepers(token) == []


async def test_what_is_left_in_the_background_becomes_a_job(bash: Desk) -> None:
    token = new_token()
    stands = "until grep -q sleep /proc/$!/comm; do sleep 0.01; done"
    output = await bash(f"sleep {token} & {stands}; echo started")
    (pid,) = sleepers(token)
    assert output == Output(
        f"started\nExit code: 0\n1 process still runs in the background as job 1 (pid {pid}: sleep {token})."
    )

    poll = str((await bash(job=1, timeout=0.1)).content)
    assert poll.startswith(f"(no output)\n1 process still runs (pid {pid}: sleep {token}); job 1 has been running for ")
    assert poll.endswith("s. Its shell ended: Exit code: 0.")
    assert await bash(job=1, stop=True) == Output("(no output)\nJob 1 was stopped.")
    assert sleepers(token) == []


async def test_a_background_command_is_a_job_from_the_start(tmp_path: Path) -> None:
    bash = Desk(tmp_path, msgspec.structs.replace(QUICK, first=30))
    output = await bash("echo first; read x; echo $x; read y", background=True)
    assert str(output.content).startswith("first\nWaiting for input; job 1 has been running for ")

    again = await bash(job=1, input="second\n")
    assert str(again.content).startswith("second\nWaiting for input; job 1 has been running for ")
    assert await bash("echo third; exit 5", background=True) == Output(
        "third\nJob 2 ended. Exit code: 5.", is_error=True
    )
    assert await bash("pwd; cd /", background=True) == Output(f"{bash.project}\nJob 3 ended. Exit code: 0.")
    assert bash.processes.cwd == bash.project
    await bash.processes.close()


async def test_a_background_command_that_goes_on_is_left_alone(bash: Desk) -> None:
    output = await bash("sleep 60", background=True)
    assert str(output.content).startswith("(no output)\nJob 1 has been running for ")


async def test_a_poll_returns_as_soon_as_the_job_ends(bash: Desk) -> None:
    await bash("until test -e go; do sleep 0.01; done; echo done", background=True)
    poll = asyncio.create_task(bash(job=1, timeout=600))
    (bash.project / "go").touch()

    assert await poll == Output("done\nJob 1 ended. Exit code: 0.")


async def test_end_of_file_and_interrupt_can_be_typed(bash: Desk) -> None:
    await bash("cat; echo end")
    assert await bash(job=1, input="text\n\x04") == Output("text\nend\nJob 1 ended. Exit code: 0.")
    await bash("read x")
    assert await bash(job=2, input="\x03") == Output(
        "(no output)\nJob 2 ended. Killed by signal SIGINT (exit code 130).", is_error=True
    )


async def test_an_unknown_job_is_answered_with_those_there_are(bash: Desk) -> None:
    with pytest.raises(ToolError, match=r"^There is no job 7; there are none\.$"):
        await bash(job=7)
    await bash("sleep 60", background=True)
    with pytest.raises(ToolError, match=r"^There is no job 0; there are 1 \(`sleep 60`, running\)\.$"):
        await bash(job=0)


async def test_long_output_is_cut_and_kept_in_a_private_file(bash: Desk) -> None:
    output = str((await bash("seq 100000")).content)

    (file,) = bash.outputs.iterdir()
    assert file.read_text() == "".join(f"{number}\n" for number in range(1, 100_001))
    assert f"98,100 lines (578.0 KB) left out; the whole output is in {file} …" in output
    assert output.startswith("1\n2\n3\n")
    assert output.endswith("99999\n100000\nExit code: 0")
    assert len(output.encode()) < 50_000
    assert output.count("\n") < 2_000


async def test_painted_output_is_told_as_it_ended(bash: Desk) -> None:
    painted = r"printf '\033[1mbold\033[0m\n10%%\r50%%\r100%%\n\0\001x\377y\n'"

    assert await bash(painted) == Output("bold\n100%\nx�y\nExit code: 0")


async def test_output_is_shown_while_it_comes(bash: Desk) -> None:
    task = asyncio.create_task(bash("echo one; printf 'two '; read x; echo three; read y"))
    await until(lambda: "".join(bash.reports) == "one\ntwo ")
    await task
    await bash(job=1, input="\n")

    assert "".join(bash.reports) == "one\ntwo three\n"


async def test_a_flood_is_shown_in_small_pieces(bash: Desk) -> None:
    await bash("yes | head -c 20000000")

    assert max(map(len, bash.reports)) < 8_100
    assert sum(map(len, bash.reports)) < 1_000_000


async def test_what_cannot_be_run_is_said(bash: Desk) -> None:
    with pytest.raises(ToolError, match="NUL"):
        await bash("echo \0")
    shell = bash.processes._shell
    shell._bash = "/no/such/shell"
    assert await bash("true") == Output(
        "(no output)\nThe command could not be started: No such file or directory: '/no/such/shell'.\nExit code: 127",
        is_error=True,
    )


async def test_without_bash_sh_does(bash: Desk) -> None:
    bash.processes._shell._bash = None
    assert await bash('mkdir s; cd s; echo "$0"; exit 3') == Output("sh\nExit code: 3\n(now in s/)", is_error=True)
    assert await bash(f"pwd; : {'x' * 200_000}") == Output(f"{bash.project}/s\nExit code: 0")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "bash: it needs either `command` or `job`."),
        ({"command": "ls", "job": 1}, "bash: it needs either `command` or `job`."),
        (
            {"command": "ls", "stop": True},
            "bash: `input` and `stop` are for a job that runs: give `job` instead of `command`.",
        ),
        ({"job": 1, "background": True}, "bash: `background` starts a command; a job is in the background already."),
        ({"job": 1, "input": "y", "stop": True}, "bash: either type `input` or `stop` the job."),
        ({"command": "ls", "timeout": 0}, "bash: expected `float` > 0.0 for `timeout`."),
        ({"cmd": "ls"}, "bash: there is no parameter cmd; there is command."),
    ],
)
def test_arguments_that_do_not_fit_are_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        Bash().parse(given)
    assert str(raised.value) == problem


def test_effects_say_what_would_run() -> None:
    tool = Bash()

    def effects(**given: Any) -> tuple[Effect, ...]:
        return tool.effects(tool.parse(given))

    assert effects(command="rm -rf x", background=True) == (Effect("execute", "rm -rf x"),)
    assert effects(job=1) == ()
    assert effects(job=1, input="y\n") == (Effect("execute", "y\n"),)
    assert effects(job=3, stop=True) == ()


def test_the_model_is_told_in_few_words() -> None:
    spec = Bash().spec

    assert len(spec.description.split()) <= 120
    assert list(spec.schema["properties"]) == [
        *("command", "timeout", "description", "background", "job", "input", "stop")
    ]
    assert "required" not in spec.schema


async def test_a_killed_keeper_does_not_disturb_what_runs(bash: Desk) -> None:
    task = asyncio.create_task(bash("read x; echo $x; sleep 0.3; echo end"))
    await task
    keeper = bash.processes._keeper._helper
    assert keeper
    keeper.send_signal(signal.SIGKILL)

    assert await bash("echo fine") == Output("fine\nExit code: 0")
    assert await bash(job=1, input="typed\n") == Output("typed\nend\nJob 1 ended. Exit code: 0.")
