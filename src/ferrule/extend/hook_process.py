"""Runs the programs of hooks: as the user would, side by side, within their time, and with nothing left of them."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.extend.calling import LIMIT, call
from ferrule.extend.hook_table import Hook
from ferrule.host.environment import for_commands
from ferrule.host.process import Processes
from ferrule.host.sandbox.profile import Sandbox

_ENV = "/usr/bin/env"
_NOT_FOR_HOOKS = frozenset({"FERRULE_DIRECTORY_FILE"})


class Ran(Value, frozen=True, kw_only=True):
    """What a hook came to."""

    hook: Hook
    code: int = 0
    """Its exit code; negative for the signal that ended it."""
    stdout: str = ""
    stderr: str = ""
    problem: str = ""
    """Why it has no answer: it could not be started, did not end, or printed what nobody reads."""


class Programs:
    """Starts the programs of a session's hooks, and owns them until they have ended.

    A hook is the user's own: it sees the user's environment, and is confined only where the user wants it so.
    """

    def __init__(self, directory: Path, private: Path, *, session: str, sandbox: Callable[[], Sandbox]) -> None:
        """Make ready. `private` is a directory of our own, in one of the session; neither need be there yet.

        `sandbox` gives what confines commands, when a hook is to be confined.
        """
        self._directory, self._private = directory, private
        self._variables = {
            "FERRULE_PROJECT_DIR": str(directory),
            "FERRULE_SESSION_ID": session,
            "CLAUDE_PROJECT_DIR": str(directory),
        }
        self._sandbox = sandbox
        self._started: dict[bool, Processes] = {}
        """Those that are confined, and those that are not."""

    async def run(self, hooks: Iterable[Hook], payload: Mapping[str, Any]) -> list[Ran]:
        """Run hooks side by side; their answers are in the order of the table."""
        data = _encoded(payload)
        return await asyncio.gather(*(self._one(hook, data) for hook in hooks))

    async def close(self) -> None:
        """Kill what still runs, and remove what was exchanged with it."""
        started, self._started = self._started, {}
        for processes in started.values():
            await processes.close()
        if started:
            shutil.rmtree(self._private, ignore_errors=True)
            with suppress(OSError):  # there are outputs in it
                self._private.parent.rmdir()

    def _processes(self, *, confined: bool) -> Processes:
        if confined not in self._started:
            self._private.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._started[confined] = self._apart() if confined else self._at_large()
        return self._started[confined]

    def _at_large(self) -> Processes:
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_HOOKS}
        return Processes(self._directory, self._private / "shell", environment=environment | self._variables)

    def _apart(self) -> Processes:
        environment = for_commands(os.environ) | self._variables
        private = self._private / "confined"
        return Processes(self._directory, private, environment=environment, sandbox=self._sandbox())

    async def _one(self, hook: Hook, data: bytes) -> Ran:
        program = hook.words if len(hook.words) > 1 else ("/bin/sh", "-c", *hook.words)
        try:
            answer = await call(
                (_ENV, f"FERRULE_HOOK={hook.event}", *program),
                processes=self._processes(confined=hook.confined),
                outputs=self._private,
                cwd=self._directory,
                seconds=hook.timeout,
                input=data,
            )
        except (ToolError, OSError) as error:
            return Ran(hook=hook, problem=str(error).removesuffix("."))
        if answer.flooded:
            return Ran(hook=hook, problem=f"It printed more than {LIMIT:,} bytes and was stopped")
        text = answer.stdout.decode(errors="replace")
        return Ran(hook=hook, code=answer.code, stdout=text, stderr=answer.stderr)


def _encoded(payload: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(payload, enc_hook=str)
    except UnicodeEncodeError:  # half of a surrogate pair, which a program may read as what it is
        return json.dumps(payload, default=str).encode()
