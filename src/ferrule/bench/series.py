"""A series of trials: every task for every agent, as often as asked, in turn; what was done before is passed over."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

from ferrule.bench.agent import Agent
from ferrule.bench.record import Key, Record
from ferrule.bench.task import Task
from ferrule.bench.trial import trial
from ferrule.core.messages import Value


class Planned(Value, frozen=True, kw_only=True):
    """A trial that is still to be done."""

    task: Task
    agent: Agent
    number: int

    @property
    def key(self) -> Key:
        """What tells trials apart, as in their records."""
        return (self.agent.name, self.agent.model, self.task.name, self.number)


def plan(
    tasks: Sequence[Task], agents: Sequence[Agent], *, repeat: int = 1, done: frozenset[Key] = frozenset()
) -> list[Planned]:
    """All trials that are not done yet; agents take turns at each task, so that noise of the machine hits all."""
    trials = product(range(1, repeat + 1), tasks, agents)
    planned = (Planned(task=task, agent=agent, number=number) for number, task, agent in trials)
    return [one for one in planned if one.key not in done]


async def carry_out(
    trials: Sequence[Planned],
    *,
    tell: Callable[[Record], None],
    jobs: int = 1,
    limit: float | None = None,
    keep: Path | None = None,
) -> None:
    """Do all trials, so many side by side, and tell each record as it comes.

    Raises:
        FerruleError: an agent cannot be started at all; the others are broken off.
    """
    waiting = iter(trials)

    async def work() -> None:
        for one in waiting:
            tell(await trial(one.task, one.agent, number=one.number, limit=limit, keep=keep))

    workers = [asyncio.ensure_future(work()) for _ in range(min(jobs, len(trials)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
