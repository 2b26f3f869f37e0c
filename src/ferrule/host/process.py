"""The commands of a session: started in a fresh shell, kept as jobs where they go on, none left at the end."""

import asyncio
import math
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from ferrule.core.errors import ToolError
from ferrule.host.capture import Output
from ferrule.host.environment import WITHOUT_GIT_PROGRAMS, for_commands
from ferrule.host.launch import Keeper
from ferrule.host.patience import Outcome, Patience, attend
from ferrule.host.running import Process
from ferrule.host.sandbox.blame import blame
from ferrule.host.sandbox.none import Unconfined
from ferrule.host.sandbox.profile import Launch, Leave, Sandbox, UnseenError
from ferrule.host.shell import Invocation, Shell

MOST_JOBS = 16
_FINISHED_JOBS_KEPT = 32

_UNCONFINED = Unconfined()


class Processes:
    """Starts commands and owns all that they leave running."""

    def __init__(
        self,
        directory: Path,
        private: Path,
        *,
        environment: Mapping[str, str] | None = None,
        patience: Patience = Patience(),  # noqa: B008 - it is frozen
        sandbox: Sandbox = _UNCONFINED,
        leave: Callable[[str], Leave] = lambda _: Leave(),
    ) -> None:
        self.directory = self.cwd = directory
        """Where the session belongs, and where its next command starts."""
        self.patience = patience
        self.jobs: dict[int, Process] = {}
        """What goes on behind the conversation, by number; the last finished ones too."""
        self.sandbox = sandbox
        """What confines the commands."""
        self._leave_for = leave
        self._shell = Shell(private, for_commands(os.environ) if environment is None else environment)
        self._keeper, self._shut_keeper = (Keeper(lambda: sandbox.name, shut=shut) for shut in (False, True))
        self._unfinished: set[Process] = set()
        self._last_number = 0

    @property
    def running_jobs(self) -> dict[int, Process]:
        """The jobs of which something still runs."""
        return {number: job for number, job in self.jobs.items() if not job.gone.done()}

    @property
    def named_cwd(self) -> Path:
        """What the next command will call the directory that it starts in."""
        return self.cwd if self.cwd == self.directory else self.sandbox.inner(self.cwd)

    async def start(self, command: str, *, outputs: Path, cwd: Path | None = None) -> Process:
        """Start a command; a long output will be kept in `outputs`.

        Raises:
            ToolError: it could not be started.
        """
        _check(command)
        if len(self.running_jobs) >= MOST_JOBS:
            raise ToolError(f"{MOST_JOBS} jobs are running, and no more can be: stop one of them first.")
        leave = self._leave_for(command)
        for _ in range(3):  # a monitor or the keeper may have been killed with our request in their hands
            if process := await self._try(command, leave, cwd or self.cwd, outputs):
                return process
        raise ToolError("The command could not be started: no process came up to run it.")

    async def attend(self, process: Process, *, seconds: float) -> Outcome:
        """Wait for a command, or for a job, until it ends or waiting is no use any longer.

        A command ends with its shell, a job with the last process of its tree; and a job may be idle.
        """
        if process.number:
            patience = msgspec.structs.replace(self.patience, idle=math.inf)
            return await attend(process, process.gone, patience, seconds=seconds)
        return await attend(process, process.ended, self.patience, seconds=seconds)

    def keep(self, process: Process) -> int:
        """Let a command go on as a job, and give it a number."""
        finished = [number for number, job in self.jobs.items() if job.gone.done()]
        for number in finished[:-_FINISHED_JOBS_KEPT]:
            del self.jobs[number]
        self._last_number += 1
        process.number = self._last_number
        self.jobs[process.number] = process
        return process.number

    def job(self, number: int) -> Process:
        """Find a job.

        Raises:
            ToolError: there is none with that number; the text says which there are.
        """
        if number in self.jobs:
            return self.jobs[number]
        known = ", ".join(f"{one} (`{_short(job.command)}`, {_state(job)})" for one, job in self.jobs.items())
        raise ToolError(f"There is no job {number}; " + (f"there are {known}." if known else "there are none."))

    def follow(self, process: Process) -> None:
        """Stand where a command ended, if it said so."""
        self.cwd = process.directory or self.cwd

    def find_footing(self) -> bool:
        """Go back to the project if the directory was removed under us, and say whether that was needed."""
        if os.path.isdir(self.cwd):  # noqa: PTH112 - pathlib would stumble over one that is closed to us
            return False
        self.cwd = self.directory
        return True

    def blame(self, process: Process, text: str) -> str | None:
        """Say in what way its sandbox held up a command that failed with such words, if that is likely."""
        if self.sandbox.name in {"off", "external"} or not process.ended.done():
            return None
        return blame(text, process.ended.result(), process.leave)

    async def close(self) -> None:
        """Kill everything and wait for its end."""
        await asyncio.gather(*(process.kill() for process in self._unfinished))
        await asyncio.gather(self._keeper.close(), self._shut_keeper.close())

    def abandon(self) -> None:
        """Let go of everything at once, without waiting: the monitors kill what is left."""
        for process in list(self._unfinished):
            process.abandon()
        for keeper in (self._keeper, self._shut_keeper):
            keeper.hang_up()
            keeper.drop()

    async def _try(self, command: str, leave: Leave, cwd: Path, outputs: Path) -> Process | None:
        """Start a command, unless nobody takes it over; then nothing of it was run."""
        output = Output(outputs / f"{os.urandom(8).hex()}.txt")
        process, keeper = self._prepare(command, leave, cwd, output)
        try:
            begun = await process.begin()
        except ToolError:
            process.abandon()
            keeper.drop()
            raise
        except BaseException:  # called off
            await process.kill()
            raise
        if not begun:
            keeper.hang_up()  # the other monitors may be dead as well
        return process if begun else None

    def _prepare(self, command: str, leave: Leave, cwd: Path, output: Output) -> tuple[Process, Keeper]:
        """Make what a command needs: a shell, what confines it, a monitor and descriptors."""
        sandbox = _UNCONFINED if leave.outside else self.sandbox
        with ExitStack() as undo:
            try:
                invocation = self._shell.invoke(command)
                undo.callback(invocation.clear)
                launch = self._confine(invocation, cwd, leave, sandbox)
                undo.callback(launch.discard)
                keeper = self._shut_keeper if launch.shut else self._keeper
                line = keeper.line()
                undo.callback(line.close)
                process = Process(command, output, invocation, launch, line=line, hand_back=keeper.take_back)
            except UnseenError as error:
                self.cwd = self.directory
                raise ToolError(f"{error} The next one starts in {self.directory} again.") from error
            except OSError as error:
                raise ToolError(f"The command could not be started: {error.strerror}.") from error
            undo.pop_all()
        process.outer, process.leave = sandbox.outer, leave
        self._unfinished.add(process)
        process.gone.add_done_callback(lambda _: self._unfinished.discard(process))
        return process, keeper

    def _confine(self, invocation: Invocation, cwd: Path, leave: Leave, sandbox: Sandbox) -> Launch:
        """Put the shell into the sandbox, where it can still say in which directory it ended."""
        leave = msgspec.structs.replace(leave, writable=(*leave.writable, invocation.directory_file))
        environment = invocation.environment | (WITHOUT_GIT_PROGRAMS if leave.safe_git else {})
        return sandbox.confine(invocation.argv, environment, cwd, leave)


def _check(command: str) -> None:
    if "\0" in command:
        raise ToolError("A command cannot hold a NUL character; write it to a file with printf '\\0' instead.")
    try:
        command.encode()
    except UnicodeEncodeError:
        raise ToolError("The command holds half of a surrogate pair, which is no character.") from None


def _state(job: Process) -> str:
    return "ended" if job.gone.done() else "running"


def _short(command: str) -> str:
    first = command.strip().partition("\n")[0]
    return first if len(first) <= 40 else first[:39] + "…"
