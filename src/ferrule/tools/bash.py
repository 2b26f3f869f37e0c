"""bash: runs a command, and looks after what goes on in the background."""

import asyncio
import signal
import time
from typing import Annotated, Any

from msgspec import Meta

from ferrule.core.errors import ArgumentError, ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host import probe
from ferrule.host.live import Live
from ferrule.host.machine import Host
from ferrule.host.patience import Ended, Idles, Listens, Outcome, StillRuns, WaitsForInput
from ferrule.host.running import Process
from ferrule.tools.display import shown
from ferrule.tools.schema import Parameters, TypedTool

_TIMEOUT, _LONGEST_TIMEOUT = 120.0, 600.0
_POLL = 5.0
_MOST_NAMED = 5


class BashParameters(Parameters, frozen=True, kw_only=True):
    """A command to run, or a job to look after."""

    command: str | None = None
    timeout: Annotated[float, Meta(gt=0, description="Seconds")] | None = None
    description: Annotated[str, Meta(description="What the command does, in a few words")] | None = None
    background: bool = False
    job: int | None = None
    input: str | None = None
    stop: bool = False


class Bash(TypedTool[BashParameters]):
    """Runs shell commands."""

    name = "bash"
    parameters = BashParameters
    keep = "tail"

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments: a command, or a job and what to do with it."""
        args: BashParameters = super().parse(input)
        if (args.command is None) == (args.job is None):
            raise ArgumentError("bash: it needs either `command` or `job`.")
        if args.command is not None and (args.input is not None or args.stop):
            raise ArgumentError("bash: `input` and `stop` are for a job that runs: give `job` instead of `command`.")
        if args.job is not None and args.background:
            raise ArgumentError("bash: `background` starts a command; a job is in the background already.")
        if args.input is not None and args.stop:
            raise ArgumentError("bash: either type `input` or `stop` the job.")
        return args

    def effects(self, args: BashParameters) -> tuple[Effect, ...]:
        """A command is executed; so is what is typed into a job. To look at one or to stop it touches nothing."""
        if args.command is not None:
            return (Effect("execute", args.command),)
        return (Effect("execute", args.input),) if args.input is not None else ()

    async def run(self, args: BashParameters, context: ToolContext[Host]) -> Output:
        """Run the command, or look after the job."""
        if args.command is None:
            return await _look_after(args, context)
        output, held_up = await _carry_out(args, args.command, context)
        if held_up and await context.host.let_out(args.command, held_up):
            again, _ = await _carry_out(args, args.command, context)
            words = f"(its sandbox held it up; run again without one, as the user allowed)\n{again.content}"
            return Output(words, is_error=again.is_error)
        return output


async def _carry_out(args: BashParameters, command: str, context: ToolContext[Host]) -> tuple[Output, str | None]:
    """Run a command; gives what it said, and in what way its sandbox held it up, if that is likely."""
    processes = context.host.processes
    was_removed = processes.find_footing()
    process = await processes.start(command, outputs=context.host.outputs)
    if args.background:
        processes.keep(process)
    try:
        with Live(process.output, context.report):
            notes = await _see_through(process, args, context)
    except BaseException:  # whoever interrupts a command wants it gone
        await process.kill()
        raise
    if was_removed:
        notes.append("(the working directory was removed, so this ran in the project's)")
    text = process.output.take()
    held_up = processes.blame(process, text)
    notes += [*process.notes, *([held_up] if held_up else [])]
    return _result(process, text, notes), held_up


async def _see_through(process: Process, args: BashParameters, context: ToolContext[Host]) -> list[str]:
    """Wait for a command as long as that is any use; give what is to be said about it."""
    processes = context.host.processes
    seconds, notes = _timeout(args.timeout, _TIMEOUT)
    if process.number:
        return [_job_state(process, await processes.attend(process, seconds=processes.patience.first))]
    outcome = await processes.attend(process, seconds=seconds)
    if isinstance(outcome, Ended):
        return [*await _end(process, context), *notes]
    if isinstance(outcome, StillRuns):
        process.problem = f"Timed out after {seconds:g} s: the command and all that it had started were killed."
        await process.kill()
        return notes
    return [f"{_state(outcome)}; running as job {processes.keep(process)}.", *notes]


async def _end(process: Process, context: ToolContext[Host]) -> list[str]:
    """Say how a command ended, what it left behind, and where we stand now."""
    processes = context.host.processes
    before = processes.cwd
    processes.follow(process)
    notes = [_exit_code(process.ended.result())]
    if not process.gone.done():
        await asyncio.wait([process.gone], timeout=processes.patience.parting)
    if not process.gone.done():
        many, named = _left_behind(process)
        notes.append(f"{many} in the background as job {processes.keep(process)}{named}.")
    if processes.find_footing():
        notes.append("(the working directory was removed; now in the project's again)")
    elif processes.cwd != before:
        notes.append(f"(now in {shown(processes.named_cwd, context.directory).removesuffix('/')}/)")
    return notes


async def _look_after(args: BashParameters, context: ToolContext[Host]) -> Output:
    """Type into a job, stop it, or wait for a while for what it does."""
    processes = context.host.processes
    job = processes.job(args.job or 0)
    seconds, notes = _timeout(args.timeout, _POLL)
    if args.stop:
        stopped = not job.gone.done()
        await job.kill()
        state = f"Job {job.number} was stopped." if stopped else _job_state(job, Ended())
        return Output(_compose(job.output.take(), [state]))
    if args.input is not None:
        if job.gone.done():
            raise ToolError(f"{_job_state(job, Ended())} It reads no more.")
        await job.write(args.input)
    with Live(job.output, context.report):
        outcome = await processes.attend(job, seconds=seconds)
    return _result(job, job.output.take(), [_job_state(job, outcome), *notes])


def _result(process: Process, text: str, notes: list[str]) -> Output:
    failed = process.ended.done() and process.ended.result() != 0
    return Output(_compose(text, [process.problem, *notes]), is_error=failed or bool(process.problem))


def _compose(text: str, notes: list[str]) -> str:
    return "\n".join((text.rstrip("\n") if text.strip() else "(no output)", *filter(None, notes)))


def _timeout(asked: float | None, default: float) -> tuple[float, list[str]]:
    if asked is None or asked <= _LONGEST_TIMEOUT:
        return asked or default, []
    return _LONGEST_TIMEOUT, [f"(the timeout was cut to {_LONGEST_TIMEOUT:g}, the most; it is in seconds)"]


def _exit_code(code: int) -> str:
    """Name the signal that ended the shell itself, or a program in it, by the shell's own convention."""
    if code < 0:
        return f"Killed by signal {_signal(-code)} (exit code {128 - code})"
    name = _signal(code - 128) if 128 < code < 128 + signal.NSIG else ""
    return f"Exit code: {code}" + (f" ({name})" if name else "")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _state(outcome: Outcome) -> str:
    match outcome:
        case WaitsForInput(prompt=prompt):
            return "Waiting for input" + (f": `{prompt}`" if prompt else "")
        case Listens(ports=ports):
            return f"Listening on port{'s' * (len(ports) > 1)} {', '.join(map(str, ports))}"
        case Idles(seconds=seconds):
            return f"Silent and idle for {seconds:.0f} s"
        case _:
            return "Running"


def _job_state(job: Process, outcome: Outcome) -> str:
    """Say how a job does, and for how long it has."""
    code = _exit_code(job.ended.result()) if job.ended.done() else ""
    if job.gone.done():
        return f"Job {job.number} ended. {code}."
    running = f"job {job.number} has been running for {time.monotonic() - job.began:.0f} s."
    if code:
        return f"{''.join(_left_behind(job))}; {running} Its shell ended: {code}."
    return f"{_state(outcome)}; {running}" if not isinstance(outcome, StillRuns) else running.capitalize()


def _left_behind(process: Process) -> tuple[str, str]:
    """How many of a command still run, and who they are, as far as that can be seen."""
    pids = process.family.members()
    many = f"{len(pids)} processes still run" if len(pids) > 1 else "1 process still runs"
    named = ", ".join(f"pid {pid}: {probe.title(pid)}" for pid in pids[:_MOST_NAMED])
    return many, f" ({named}{', …' * (len(pids) > _MOST_NAMED)})" if named else ""
