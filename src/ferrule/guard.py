"""What stands between the model and the machine: the policy judges, the sandbox confines, the person is asked.

It is built with the first call that a model makes: judging shell commands and confining them is most of the program,
and of no use to a run that only talks.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from ferrule.config.edit import add_for_user
from ferrule.config.files import remove_tree
from ferrule.config.layers import Loaded
from ferrule.config.projects import remember_allow
from ferrule.confine import Confinement
from ferrule.core.agent import Gate
from ferrule.core.errors import FerruleError, describe
from ferrule.core.events import Notice, PermissionDecided
from ferrule.core.permission import Scope
from ferrule.core.tool import ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.policy.build import places_of, policy_of
from ferrule.policy.gate import gate_of
from ferrule.policy.judge import Policy
from ferrule.session.asking import Asking
from ferrule.session.jobs import Job
from ferrule.session.secrets import mask_files
from ferrule.tools.preview import preview


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """The machine, and all that stands before it."""

    directory: Path
    policy: Policy
    asking: Asking
    confinement: Confinement
    host: Host
    gate: Gate

    def context(self, report: Callable[[str], None]) -> ToolContext[Host]:
        """What a tool sees of the world."""
        return ToolContext(directory=self.directory, host=self.host, report=report)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The commands that go on behind the conversation, and the last that did."""
        now = time.monotonic()
        return tuple(
            Job(
                number=number,
                command=one.command,
                seconds=now - one.began,
                is_running=not one.gone.done(),
                code=one.ended.result() if one.ended.done() else None,
                last=one.output.recent,
            )
            for number, one in self.host.processes.jobs.items()
        )

    async def close(self) -> None:
        """Stop what runs, and leave nothing behind but outputs that a result may name."""
        outputs = self.host.outputs
        await self.host.processes.close()
        await self.confinement.close()
        for place in ("shell", "tmp"):
            remove_tree(outputs / place)
        await asyncio.to_thread(mask_files, outputs)
        with suppress(OSError):  # there are outputs in it, or it never was
            outputs.rmdir()


def guard_of(
    loaded: Loaded,
    directory: Path,
    outputs: Path,
    asking: Asking,
    *,
    mode: str,
    allowed: Iterable[str] = (),
    free: Iterable[str] = (),
) -> Guard:
    """Join the policy, the sandbox and the machine: one object judges, and the others ask it.

    `allowed` are rules of the command line, `free` names tools that the caller gave.

    Raises:
        UsageError: the mode does not ask, and nothing confines.
    """
    safety = loaded.config.safety
    places = places_of(loaded, directory, open=(outputs,), scratch=(outputs / "tmp",))
    confinement = Confinement(safety, places, outputs=outputs)
    confinement.check(mode)
    processes = Processes(
        directory,
        outputs / "shell",
        sandbox=confinement.sandbox,
        leave=lambda command: confinement.leave(policy, command),
    )
    policy = policy_of(
        loaded,
        places,
        mode=mode,
        confined=lambda: confinement.holds,
        cwd=lambda: processes.named_cwd,
        outer=confinement.sandbox.outer,
        allowed=allowed,
        free=free,
    )
    host = Host(
        files=Files(permit=policy.permit),
        processes=processes,
        outputs=outputs,
        let_out=lambda command, why: confinement.ask_to_leave(policy, asking, command, why),
    )

    unheard = ToolContext(directory=directory, host=host, report=lambda _text: None)
    gate = gate_of(
        policy,
        ask=asking,
        remember=lambda rules, scope: _remember(rules, scope, directory, asking),
        preview=lambda call: preview(call, unheard),
        decided=lambda call, reason: asking.tell(PermissionDecided(call_id=call.id, allowed=True, reason=reason)),
        advise=asking.advise,
    )
    return Guard(directory=directory, policy=policy, asking=asking, confinement=confinement, host=host, gate=gate)


def _remember(rules: tuple[str, ...], scope: Scope, directory: Path, asking: Asking) -> None:
    """Keep an "always" for as long as its scope says."""
    try:
        if scope == "project":
            remember_allow(directory, rules)
        elif scope == "user":
            add_for_user("safety.allow", rules)
    except FerruleError as error:  # it holds for this session all the same
        asking.tell(Notice(text=f"The rule was not kept: {describe(error)}"))
