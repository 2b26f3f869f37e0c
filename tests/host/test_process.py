"""Commands start, end, wait and die as they should; nothing of them is left."""

import asyncio
import functools
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.patience import Ended, Idles, Listens, Outcome, Patience, StillRuns, WaitsForInput
from ferrule.host.process import MOST_JOBS, Processes
from ferrule.host.running import Process
from ferrule.host.sandbox.profile import Backend, Launch, Leave
from tests.host.shapes import (
    QUICK,
    SHAPES,
    SLEEPERS,
    is_alive,
    new_token,
    processes_in,
    sleepers,
    until,
    wait_for,
)


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    async with processes_in(tmp_path) as ours:
        yield ours


async def start(processes: Processes, command: str) -> Process:
    return await processes.start(command, outputs=processes.directory.parent / "outputs")


async def attend(processes: Processes, command: str, seconds: float = 20) -> tuple[Outcome, Process]:
    process = await start(processes, command)
    return await processes.attend(process, seconds=seconds), process


async def result_of(processes: Processes, command: str) -> tuple[int, str]:
    _, process = await attend(processes, command)
    return process.ended.result(), process.output.take()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_output_and_exit_code(processes: Processes) -> None:
    assert await result_of(processes, "echo out; echo err >&2; exit 3") == (3, "out\nerr\n")
    assert await result_of(processes, "true") == (0, "")
    assert await result_of(processes, "kill -SEGV $$") == (-signal.SIGSEGV, "")


async def test_errors_keep_their_line_numbers(processes: Processes) -> None:
    code, text = await result_of(processes, "true\ntrue\nno_such_program_here")

    assert (code, text) == (127, "/bin/bash: line 3: no_such_program_here: command not found\n")


async def test_stdin_is_a_terminal_and_stdout_is_not(processes: Processes) -> None:
    code, text = await result_of(processes, "test -t 0 && echo in; test -t 1 || echo out; tty; stty -a | head -1")

    assert code == 0
    assert text.startswith("in\nout\n/dev/pts/")
    assert "rows 24; columns 80" in text


async def test_each_shell_is_fresh_and_carries_nothing_of_ours(processes: Processes) -> None:
    await result_of(processes, "export MARK=1; alias ll=ls; f() { :; }")
    code, text = await result_of(processes, "env; alias; declare -F; echo $SHLVL; ls -l /proc/self/fd | wc -l")

    assert code == 0
    assert "MARK" not in text
    assert "FERRULE" not in text
    assert "BASH_ENV" not in text
    assert text.endswith("\n1\n5\n")  # a header and 0, 1, 2 and the directory that ls reads


async def test_commands_side_by_side_do_not_see_each_others_descriptors(processes: Processes) -> None:
    async def descriptors() -> str:
        return (await result_of(processes, "sleep 0.05; ls /proc/self/fd | tr '\\n' ' '"))[1]

    assert await asyncio.gather(*(descriptors() for _ in range(5))) == ["0 1 2 3 "] * 5


async def test_signals_are_as_a_program_expects_them(processes: Processes) -> None:
    _, text = await result_of(processes, "cat /proc/self/status | grep -E '^Sig(Blk|Ign|Cgt)'")

    shown = dict(zip(text.split()[::2], text.split()[1::2], strict=True))
    own = {name: int(mask, 16) & 0x7FFF_FFFF for name, mask in shown.items()}  # those above 31 are the C library's
    assert own == {"SigBlk:": 0, "SigIgn:": 0, "SigCgt:": 0}


async def test_what_goes_to_the_terminal_itself_is_output(processes: Processes) -> None:
    process = await start(processes, "echo one; read x; echo two > /dev/tty; read x; echo three")
    for heard in ("one\n", "one\ntwo\n"):  # they come on two ways, of which neither knows of the other
        await until(lambda heard=heard: process.output.unseen == heard)  # type: ignore[misc]
        await process.write("\n")
    await process.gone

    assert process.output.take() == "one\ntwo\nthree\n"


async def test_what_nobody_had_time_to_read_is_read_at_the_end(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ferrule.host.running._AT_ONCE", 0.0)

    assert await result_of(processes, "echo last; echo words > /dev/tty") == (0, "last\nwords\n")


async def test_a_grandchild_that_holds_the_pipe_is_not_waited_for(processes: Processes) -> None:
    token = new_token()
    outcome, process = await attend(processes, f"sleep {token} & echo done")

    assert (outcome, process.ended.result(), process.output.take()) == (Ended(), 0, "done\n")
    await until(lambda: len(sleepers(token)) == 1)
    await process.kill()
    assert sleepers(token) == []


@pytest.mark.parametrize(
    "shape", [pytest.param(shape, marks=pytest.mark.slow if place > 1 else []) for place, shape in enumerate(SHAPES)]
)
async def test_a_tree_of_any_shape_dies_at_once(processes: Processes, shape: str) -> None:
    token = new_token()
    process = await start(processes, SHAPES[shape].format(token))
    await until(lambda: len(sleepers(token)) == SLEEPERS[shape])

    await process.kill()

    assert sleepers(token) == []
    assert process.gone.done()


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_nothing_survives_the_death_of_ferrule(tmp_path: Path, number: signal.Signals) -> None:
    token = new_token()
    commands = [shape.format(token) for shape in SHAPES.values()]
    with subprocess.Popen([sys.executable, "-c", AGENT, tmp_path, *commands]) as agent:
        everyone = sum(SLEEPERS.values())
        try:
            assert wait_for(lambda: len(sleepers(token)) == everyone)
        finally:
            agent.send_signal(number)
    assert wait_for(lambda: sleepers(token) == [])


AGENT = """
import asyncio, pathlib, sys
from ferrule.host.process import Processes

async def main(directory, commands):
    processes = Processes(directory, directory / "private")
    kept = [await processes.start(command, outputs=directory) for command in commands]
    await asyncio.sleep(60)

asyncio.run(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
"""


async def test_closing_kills_everything_and_may_be_repeated(tmp_path: Path) -> None:
    token = new_token()
    async with processes_in(tmp_path) as processes:
        for shape in SHAPES.values():
            await start(processes, shape.format(token))
        await until(lambda: len(sleepers(token)) == sum(SLEEPERS.values()))
        keeper = processes._keeper.pid
        assert keeper
        await processes.close()
        assert sleepers(token) == []
        assert not is_alive(keeper)
        await processes.close()


async def test_letting_go_without_waiting_kills_everything_too(processes: Processes) -> None:
    token = new_token()
    for shape in SHAPES.values():
        await start(processes, shape.format(token))
    await until(lambda: len(sleepers(token)) == sum(SLEEPERS.values()))

    processes.abandon()

    await until(lambda: sleepers(token) == [])


async def test_a_command_that_is_cancelled_while_it_begins_leaves_nothing(processes: Processes) -> None:
    token = new_token()
    await result_of(processes, "true")
    for turns in range(4):
        task = asyncio.create_task(start(processes, f"sleep {token}"))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sleepers(token) == []
    await until(lambda: processes._unfinished == set())
    assert await result_of(processes, "echo fine") == (0, "fine\n")


async def test_a_fork_bomb_is_put_out(processes: Processes) -> None:
    token = new_token()
    process = await start(processes, f"f() {{ for i in 1 2 3 4 5 6 7; do sleep {token} & done; f; }}; ulimit -u 400; f")
    await until(lambda: len(sleepers(token)) > 50)

    await process.kill()

    assert sleepers(token) == []


async def test_a_dead_keeper_is_replaced(processes: Processes) -> None:
    _, job = await attend(processes, "echo begun; read x; echo got $x")
    processes.keep(job)
    keeper = processes._keeper.pid
    assert keeper
    os.kill(keeper, signal.SIGKILL)

    jobs = [await start(processes, f"read x; echo $x {number}") for number in range(4)]

    assert processes._keeper.pid != keeper
    for number, one in enumerate([job, *jobs]):
        await one.write(f"hello {number}\n")
        await asyncio.wait([one.gone])
    assert job.output.take() == "begun\ngot hello 0\n"
    assert [one.output.take() for one in jobs] == [f"hello {number + 1} {number}\n" for number in range(4)]


async def test_a_killed_free_monitor_is_replaced(processes: Processes) -> None:
    process = await start(processes, "true")
    await asyncio.wait([process.gone])
    os.kill(process.family.root, signal.SIGKILL)

    assert await result_of(processes, "echo fine") == (0, "fine\n")


async def test_a_command_that_kills_its_monitor_takes_nobody_with_it(processes: Processes) -> None:
    token = new_token()
    outcome, process = await attend(processes, f"sleep {token} & setsid sleep {token} & kill -9 $PPID; sleep {token}")

    assert outcome == Ended()
    assert process.problem == "What watched over it was killed, and the command with it."
    await until(lambda: sleepers(token) == [])
    assert await result_of(processes, "echo fine") == (0, "fine\n")


async def test_a_command_may_kill_its_group_and_its_parent_politely(processes: Processes) -> None:
    token = new_token()
    outcome, process = await attend(processes, f"sleep {token} & kill $PPID; kill -HUP $PPID; kill 0; sleep {token}")

    assert (outcome, process.ended.result(), process.problem) == (Ended(), -signal.SIGTERM, "")
    await until(lambda: sleepers(token) == [])


async def test_no_descriptor_and_no_process_is_left_over(processes: Processes, tmp_path: Path) -> None:
    await result_of(processes, "true")
    await until(lambda: processes._unfinished == set())
    before, keeper = open_descriptors(), processes._keeper.pid
    for number in range(50):
        assert await result_of(processes, f"echo {number}") == (0, f"{number}\n")
    process = await start(processes, "sleep 60")
    await process.kill()
    await until(lambda: processes._unfinished == set())

    assert open_descriptors() <= before  # others may close theirs meanwhile
    assert processes._keeper.pid == keeper
    assert sorted(path.name for path in (tmp_path / "private").iterdir()) == ["prelude.bash"]


async def test_many_side_by_side(processes: Processes) -> None:
    results = await asyncio.gather(*(result_of(processes, f"sleep 0.1; echo {number}") for number in range(12)))

    assert results == [(0, f"{number}\n") for number in range(12)]


@pytest.mark.parametrize(
    ("command", "prompt"),
    [
        ("read -p 'Password: ' x", "Password:"),
        ("python3 -S -c \"input('Your name? ')\"", "Your name?"),
        ("python3 -c \"import getpass; getpass.getpass('Secret: ')\"", "Secret:"),
        ("echo 'Type something:'; head -1 | cat", "Type something:"),
        ("echo some text; cat", ""),
    ],
)
async def test_waiting_for_input_is_seen(processes: Processes, command: str, prompt: str) -> None:
    outcome, process = await attend(processes, command)

    assert outcome == WaitsForInput(prompt)
    await process.write("word\n\x04")
    await asyncio.wait([process.gone], timeout=30)
    assert process.ended.result() == 0


async def test_a_prompt_of_one_that_polls_is_seen(processes: Processes) -> None:
    program = "import select,sys; print('Continue? [y/N] ', end='', flush=True); select.select([sys.stdin], [], [])"

    outcome, _ = await attend(processes, f'python3 -S -c "{program}"')

    assert outcome == WaitsForInput("Continue? [y/N]")


async def test_who_works_in_silence_is_not_taken_for_one_that_waits(processes: Processes) -> None:
    program = "import sys,time; sys.stdout.write('Working: '); sys.stdout.flush()\nt = time.process_time() + 0.6\n"
    outcome, process = await attend(processes, f'python3 -S -c "{program}while time.process_time() < t: pass"')

    assert (outcome, process.ended.result()) == (Ended(), 0)


async def test_who_is_kept_from_working_is_not_taken_for_one_that_waits(processes: Processes) -> None:
    here = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})"
    last = "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))"
    working = f"{here}; print('Working: ', end='', flush=True); {last}\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-S", "-c", f"{here}\nwhile True: pass"]) as other:
        outcome, _ = await attend(processes, f'python3 -S -c "{working}"', seconds=0.9)
        other.kill()
    assert outcome == StillRuns()


async def test_a_server_is_seen_once(processes: Processes) -> None:
    outcome, process = await attend(processes, "python3 -m http.server --bind 127.0.0.1 0")

    assert isinstance(outcome, Listens)
    (port,) = outcome.ports
    await until(lambda: f"port {port}" in process.output.unseen)
    processes.keep(process)
    assert await processes.attend(process, seconds=0.5) == StillRuns()


async def test_an_idle_command_is_seen(tmp_path: Path) -> None:
    async with processes_in(tmp_path, Patience(tick=0.02, idle=0.3)) as processes:
        outcome, process = await attend(processes, "echo begun; sleep 60")

        assert isinstance(outcome, Idles)
        assert 0.3 <= outcome.seconds < 20
        processes.keep(process)
        assert await processes.attend(process, seconds=0.3) == StillRuns()  # a job may be idle


async def test_control_keys_work(processes: Processes) -> None:
    _, process = await attend(processes, "trap 'echo interrupted; exit 7' INT; echo ready; read x", seconds=20)
    await process.write("\x03")
    await asyncio.wait([process.gone], timeout=30)

    assert (process.ended.result(), process.output.take()) == (7, "ready\ninterrupted\n")


async def test_input_that_nobody_reads_is_said(processes: Processes) -> None:
    process = await start(processes, "sleep 60")

    with pytest.raises(ToolError, match=r"^A line of input can have 4,000 bytes; put longer ones into a file\.$"):
        await process.write("x" * 5_000)
    with pytest.raises(ToolError, match=r"^It does not read its input: [\d,]+ bytes could not be typed\.$"):
        await process.write("some line of text\n" * 20_000, within=0.3)
    await process.kill()
    with pytest.raises(ToolError, match=r"^It ended, and reads no more\.$"):
        await process.write("x\n")


async def test_a_lot_of_input_arrives_whole(processes: Processes) -> None:
    lines = [f"line {number} {'x' * (number % 300)}\n" for number in range(2_000)]
    _, process = await attend(processes, "cat > copy")
    await process.write("".join(lines) + "\x04")
    await asyncio.wait([process.gone], timeout=30)

    assert (processes.directory / "copy").read_text() == "".join(lines)


async def test_what_cannot_be_started_is_said(processes: Processes) -> None:
    with pytest.raises(ToolError, match="NUL"):
        await start(processes, "echo a\0b")
    with pytest.raises(ToolError, match="surrogate"):
        await start(processes, "echo \ud800")
    process = await processes.start("true", outputs=Path("unused"), cwd=Path("/no/such/place"))
    await asyncio.wait([process.gone])
    assert process.problem == "The command could not be started: No such file or directory: '/no/such/place'."


async def test_a_lack_of_descriptors_is_said_and_leaks_none(processes: Processes) -> None:
    await result_of(processes, "true")
    await until(lambda: processes._unfinished == set())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    held: list[int] = []
    try:
        with suppress(OSError):
            while True:
                held.append(os.dup(0))
        for _ in range(4):  # a pipe and a terminal have two ends each
            with pytest.raises(ToolError, match=r"^The command could not be started: Too many open files\.$"):
                await start(processes, "echo run")
            os.close(held.pop())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in held:
            os.close(descriptor)
    assert await result_of(processes, "echo fine") == (0, "fine\n")


async def test_a_very_long_command_goes_through_a_file(processes: Processes, tmp_path: Path) -> None:
    text = "x" * 300_000
    assert await result_of(processes, f"cat <<'END' | wc -c\n{text}\nEND\ncd /usr; exit 5") == (5, "300001\n")
    assert sorted(path.name for path in (tmp_path / "private").iterdir()) == ["prelude.bash"]


class Marking:
    """Stands for a sandbox: it marks what it was given, and hands over two texts and a descriptor."""

    name: Backend = "external"

    def __init__(self) -> None:
        self.seen: list[tuple[Path, Leave]] = []
        self.ends: list[bool] = []

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        self.seen.append((cwd, leave))
        reader, writer = os.pipe()
        os.write(writer, b"three")
        os.close(writer)
        return Launch(
            argv=("/usr/bin/env", "CONFINED=yes", *argv),
            environment=dict(environment),
            cwd=cwd,
            texts=(b"one, ", b"two, "),
            descriptors=(reader,),
            finish=self.finish,
        )

    def finish(self, *, is_over: bool) -> tuple[str, ...]:
        self.ends.append(is_over)
        return ("It was put right.",)

    def outer(self, path: Path) -> Path:
        return Path("/usr") if path == Path("/") else path

    def inner(self, path: Path) -> Path:
        return Path("/") if path == Path("/usr") else path


async def test_a_command_may_be_confined(tmp_path: Path) -> None:
    sandbox = Marking()
    processes = Processes(
        tmp_path,
        tmp_path / "private",
        patience=QUICK,
        sandbox=sandbox,
        leave=lambda command: Leave(network="curl" in command, outside="free" in command),
    )
    try:
        process = await start(
            processes, "echo $CONFINED; cat <&3; cat <&4; cat <&5; ls /proc/self/fd | wc -l # curl\ncd /"
        )
        assert await process.ended == 0
        await process.gone
        processes.follow(process)
        (file,) = sandbox.seen[0][1].writable
        assert process.output.take() == "yes\none, two, three7\n"
        assert sandbox.seen == [(tmp_path, Leave(network=True, writable=(file,)))]
        assert (processes.cwd, process.notes, sandbox.ends) == (Path("/usr"), ["It was put right."], [True])
        assert await result_of(processes, "echo $CONFINED free") == (0, "free\n")
        process = await start(processes, "sleep 600 &")
        assert (await process.ended, sandbox.ends) == (0, [True, False])
        await process.kill()
        assert sandbox.ends == [True, False, True]
    finally:
        await processes.close()


async def test_a_read_only_command_starts_none_of_gits_programs(tmp_path: Path) -> None:
    run = functools.partial(subprocess.run, cwd=tmp_path, check=True)
    run(["git", "init", "-q"])
    run(["git", "config", "core.fsmonitor", f"touch {tmp_path}/ran; false"])
    processes = Processes(tmp_path, tmp_path / "private", patience=QUICK, leave=lambda _: Leave(safe_git=True))
    try:
        (tmp_path / "file").write_text("1")
        assert await result_of(
            processes, "git status --short | grep file; git diff --no-index /dev/null file | tail -1"
        ) == (
            0,
            "?? file\n\\ No newline at end of file\n",
        )
    finally:
        await processes.close()
    assert not (tmp_path / "ran").exists()


async def test_the_number_of_jobs_is_bounded(processes: Processes) -> None:
    for _ in range(MOST_JOBS):
        processes.keep(await start(processes, "sleep 60"))
    with pytest.raises(ToolError, match="16 jobs are running"):
        await start(processes, "true")
    await processes.jobs[1].kill()

    assert await result_of(processes, "echo room") == (0, "room\n")


async def test_finished_jobs_are_remembered_up_to_a_bound(processes: Processes) -> None:
    for _ in range(40):
        process = await start(processes, "true")
        await asyncio.wait([process.gone])
        processes.keep(process)

    assert list(processes.jobs) == list(range(8, 41))
    with pytest.raises(ToolError, match=r"^There is no job 3; there are 8 \(`true`, ended\), 9 "):
        processes.job(3)


async def test_a_job_that_floods_does_not_keep_us_busy(tmp_path: Path) -> None:
    async with processes_in(tmp_path) as processes:
        process = await start(processes, "yes")
        processes.keep(process)
        process.output._file.room = 0  # as after its 64 MB
        await until(lambda: process.output._bytes)
        before = process.output._bytes
        began = time.monotonic()
        await asyncio.sleep(0.3)
        rate = (process.output._bytes - before) / (time.monotonic() - began)
        assert 0 < rate < 60_000_000
