"""The hooks of a session: the user's own programs, run when something happens, in the format of Claude Code's hooks.

Those about a call stand around the gate and the tools (`hook_calls.py`, `hook_tool.py`), those about a request around
the run (`hook_run.py`); the others hear the events. What one of them does wrong is said, and stops nothing.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ferrule.config.schema import MODE_ALIASES
from ferrule.config.schema import Hooks as Section
from ferrule.core.agent import Agent, Gate
from ferrule.core.errors import UsageError
from ferrule.core.events import Compacted, Emit, Event, Notice, PermissionAsked, RunEnded, RunStarted
from ferrule.core.history import History
from ferrule.core.messages import Text, User, text_of
from ferrule.core.tool import Tool
from ferrule.extend.hook_calls import CallHooks, Fits
from ferrule.extend.hook_process import Programs
from ferrule.extend.hook_reply import Reply, reply_of, together
from ferrule.extend.hook_run import AttendedRun, RefusedError
from ferrule.extend.hook_table import Event as Name
from ferrule.extend.hook_table import Hook, read_table, theirs
from ferrule.extend.hook_tool import HookedTool
from ferrule.host.sandbox.profile import Sandbox

IDLE = 60.0
"""Seconds without a request after which a `Notification` says so."""
LAST_WAIT = 2.0
"""Seconds that hooks in the background have when the session is closed."""
_THEIR_MODES: dict[str, str] = {ours: name for name, ours in MODE_ALIASES.items()}


class Hooks:
    """All hooks of one session."""

    def __init__(
        self,
        hooks: Section,
        *,
        directory: Path,
        private: Path,
        session: str,
        transcript: Path | None,
        source: Literal["startup", "resume", "clear"],
        mode: Callable[[], str],
        cwd: Callable[[], Path],
        fits: Fits,
        sandbox: Callable[[], Sandbox],
        idle: float = IDLE,
    ) -> None:
        """Read the hooks of a configuration.

        `private` is a directory for what is exchanged with them, `transcript` the file of the session, `source` says
        how it begins, `mode` and `cwd` what holds at a moment, `fits` whether a rule speaks of a call, `sandbox` what
        confines commands.

        Raises:
            ConfigError: a matcher makes no sense.
        """
        self._table = read_table(hooks)
        self.problems = self._table.problems
        """What is set and cannot be run, for the person."""
        self.tell: Emit = lambda _event: None
        """Where notices go; the session sets it."""
        self.calls = CallHooks(self._table, self._run_them, fits=fits, directory=directory)
        self._programs = Programs(directory, private, session=session, sandbox=sandbox)
        self._session, self._transcript, self._source = session, transcript, source
        self._mode, self._cwd, self._idle = mode, cwd, idle
        self._ran_once: set[int] = set()
        self._starting: asyncio.Task[None] | None = None
        self._behind: set[asyncio.Task[None]] = set()
        self._untold: list[str] = []
        """What the model is to be told with the next request."""
        self._halting = False
        self._run: AttendedRun | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Let the hooks know that the session begins. It begins once."""
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._begin(self._source))

    def run(self, agent: Agent, history: History, log: Emit) -> AttendedRun:
        """Make a run that the hooks attend."""
        self._run = AttendedRun(agent, history, log, hooks=self)
        return self._run

    def steer(self, message: User) -> None:
        """Show the hooks what is said while a run goes on, and let it be heard if they let it pass."""
        if self._run:
            self._run.take_in(message)

    def gate(self, gate: Gate, tools: Callable[[], Mapping[str, Tool]]) -> Gate:
        """The same gate, behind the hooks; the tools are those of the moment."""
        return self.calls.gate(gate, tools)

    def tool(self, tool: Tool) -> Tool:
        """The same tool, with what follows its calls."""
        if not self._table.has("PreToolUse", "PostToolUse", "PostToolUseFailure"):
            return tool
        return HookedTool(tool, self.calls, halt=self._halt)

    def hear(self, event: Event) -> None:
        """Run what waits for an event and can no longer change it."""
        match event:
            case PermissionAsked(call=call):
                self._notify("permission_prompt", f"Ferrule needs your permission to use {theirs(call.name)}")
            case RunStarted():
                self._be_busy()
            case RunEnded():
                self._be_busy()
                words = "Ferrule is waiting for your input"
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._idle, self._notify, "idle_prompt", words)
            case Compacted(summary=summary) if summary:
                self._leave(self._begin("compact"))
            case _:
                pass

    async def before_compacting(self, by: Literal["manual", "auto"], focus: str) -> None:
        """Let the hooks know that older messages are about to be summed up.

        Raises:
            UsageError: one of them does not want it, and it was asked for by hand; else there would be no room.
        """
        reply = await self._fire("PreCompact", by, trigger=by, custom_instructions=focus)
        if (reply.denies or reply.stop) and by == "manual":
            raise UsageError(f"A hook does not want the conversation summed up: {reply.reason}")

    async def opening(self) -> tuple[User, ...]:
        """What the model is to be told before all else."""
        self.start()
        if self._starting:
            await asyncio.shield(self._starting)
        self._halting = False
        untold, self._untold = self._untold, []
        return tuple(map(_told, untold))

    async def submitted(self, message: User) -> tuple[User, ...]:
        """What becomes of something that a person said: itself, and what hooks have to add.

        Raises:
            RefusedError: it shall not be taken up.
        """
        if message.by != "person":
            return (message,)
        reply = await self._fire("UserPromptSubmit", prompt=text_of(message.content))
        if reply.denies or reply.stop:
            raise RefusedError(f"A hook refused the request: {reply.reason or 'it gave no reason'}")
        return (message, *map(_told, reply.context))

    async def stopping(self, last: str, *, again: bool) -> str:
        """Why the model is not done yet; nothing where it is."""
        reply = await self._fire("Stop", stop_hook_active=again, last_assistant_message=last)
        return "\n\n".join((reply.reason, *reply.context)) if reply.denies and not reply.stop else ""

    def wants_end(self) -> bool:
        """Whether a hook has said that the run shall end. It is said once."""
        wanted, self._halting = self._halting, False
        return wanted

    async def close(self, reason: str) -> None:
        """Let the hooks know that the session ends, and leave none of them behind."""
        self._be_busy()
        if self._starting:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
            await self._fire("SessionEnd", reason, reason=reason)
        if self._behind:
            await asyncio.wait(self._behind, timeout=LAST_WAIT)
        for task in tuple(self._behind):
            task.cancel()
        await asyncio.gather(*self._behind, return_exceptions=True)
        await self._programs.close()

    async def _begin(self, source: str) -> None:
        reply = await self._fire("SessionStart", source, source=source)
        self._untold += reply.context

    def _notify(self, kind: str, words: str) -> None:
        if self._table.has("Notification"):
            fields = {"title": "Ferrule", "message": words, "notification_type": kind}
            self._leave(self._told_of(kind, fields))

    async def _told_of(self, kind: str, fields: Mapping[str, Any]) -> None:
        await self._fire("Notification", kind, **fields)

    def _be_busy(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _halt(self, reason: str) -> None:
        self._halting = True
        self.tell(Notice(text=f"A hook stopped the run: {reason or 'it gave no reason'}"))

    async def _fire(self, event: Name, subject: str = "", **fields: Any) -> Reply:
        return await self._run_them([*self._table.matching(event, subject)], fields)

    async def _run_them(self, hooks: Sequence[Hook], fields: Mapping[str, Any]) -> Reply:
        """Run hooks for one event, and say to the person what they want said."""
        due = [hook for hook in hooks if hook.number not in self._ran_once]
        if not due:
            return Reply()
        self._ran_once |= {hook.number for hook in due if hook.once}
        payload = {**self._common(due[0].event), **fields}
        if behind := [hook for hook in due if hook.in_background]:
            self._leave(self._in_background(behind, payload))
        return await self._answers([hook for hook in due if not hook.in_background], payload)

    async def _answers(self, hooks: Sequence[Hook], payload: Mapping[str, Any]) -> Reply:
        reply = together([reply_of(ran) for ran in await self._programs.run(hooks, payload)])
        for words in reply.messages:
            self.tell(Notice(text=words, level="info"))
        for words in reply.problems:
            self.tell(Notice(text=words))
        return reply

    async def _in_background(self, hooks: Sequence[Hook], payload: Mapping[str, Any]) -> None:
        """Run hooks that nobody waits for; what they have to say to the model comes with the next request."""
        self._untold += (await self._answers(hooks, payload)).context

    def _leave(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    def _common(self, event: Name) -> dict[str, Any]:
        mode = self._mode()
        return {
            "session_id": self._session,
            "transcript_path": _text(self._transcript) if self._transcript else "",
            "cwd": _text(self._cwd()),
            "permission_mode": _THEIR_MODES.get(mode, mode),
            "hook_event_name": event,
        }


def _told(words: str) -> User:
    return User(content=(Text(f"A hook says:\n{words}"),), by="ferrule")


def _text(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
