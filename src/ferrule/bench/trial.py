"""One trial: a fresh copy of a task's repository, an agent let loose in it, and the check of what came of it."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ferrule.bench.agent import Agent, Attempt
from ferrule.bench.checking import LIMIT, Verdict, check
from ferrule.bench.process import run_program
from ferrule.bench.record import Record
from ferrule.bench.task import Task
from ferrule.core.errors import FerruleError

AGAIN = "The tests fail:\n\n{output}\n\nFix it."
_MOST_FED_BACK = 20_000
_MOST_WHY = 300
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_NAME": "A Programmer" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "programmer@example.org" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_DATE": "2024-01-01T12:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}


async def trial(
    task: Task, agent: Agent, *, number: int = 1, limit: float | None = None, keep: Path | None = None
) -> Record:
    """Give a task to an agent; with `keep`, what it left behind is kept there.

    Raises:
        FerruleError: the agent cannot be started at all, or what it left behind cannot be kept.
    """
    with _place() as place:
        copy = place / "project"
        await set_up(task, copy)
        try:
            attempts, verdict = await _tries(task, agent, copy, limit=limit or task.timeout)
        finally:
            if keep:
                await asyncio.to_thread(_keep, place, keep / agent.name / f"{task.name}-{number}")
    return _record(task, agent, number, attempts, verdict)


async def set_up(task: Task, copy: Path) -> None:
    """Copy a task's repository and put it under git.

    Raises:
        FerruleError: git does not work.
    """
    await asyncio.to_thread(task.lay_out, copy)
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for words in ("init -q -b main", "add -A -f", "commit -q --no-verify -m Start"):
        command = ["git", "-c", "core.hooksPath=/dev/null", *words.split()]
        record = copy.parent / "git"
        try:
            ended = await run_program(command, directory=copy, environment=own | _GIT, limit=LIMIT, record=record)
        except OSError as error:
            raise FerruleError(f"git cannot be started: {error.strerror}.") from None
        if ended.code:
            raise FerruleError(f"git {words} failed: {ended.errors.strip()}")


@contextmanager
def _place() -> Iterator[Path]:
    """A directory for one trial; its name gives nothing away, since agents are told where they work."""
    with tempfile.TemporaryDirectory(prefix="work-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


async def _tries(task: Task, agent: Agent, copy: Path, *, limit: float) -> tuple[list[Attempt], Verdict]:
    attempts: list[Attempt] = []
    verdict = Verdict(success=False, output="")
    prompt, left = task.request, limit
    while len(attempts) < task.tries and not verdict.success:
        record = copy.parent / f"try{len(attempts) + 1}"
        session = attempts[-1].session if attempts else ""
        attempt = await agent.attempt(prompt, directory=copy, limit=left, record=record, session=session)
        attempts.append(attempt)
        if attempt.exit_reason == "timeout":
            return attempts, Verdict(success=False, output=f"It took longer than {limit:.0f} s.")
        left -= attempt.seconds
        verdict = await check(task, copy, attempt.answer)
        record.with_suffix(".answer").write_text(attempt.answer, "utf-8")
        record.with_suffix(".check").write_text(verdict.output, "utf-8")
        prompt = AGAIN.format(output=verdict.output[-_MOST_FED_BACK:])
    return attempts, verdict


def _record(task: Task, agent: Agent, number: int, attempts: list[Attempt], verdict: Verdict) -> Record:
    last = attempts[-1]
    words = f"{last.problem} {verdict.output}".split()
    return Record(
        agent=agent.name,
        model=agent.model,
        task=task.name,
        kind=task.kind,
        number=number,
        success=verdict.success,
        why="" if verdict.success else _short(" ".join(words)),
        exit_reason=last.exit_reason,
        tries=len(attempts),
        turns=_sum(one.turns for one in attempts),
        tokens_in=_sum(one.tokens_in for one in attempts),
        tokens_out=_sum(one.tokens_out for one in attempts),
        seconds=round(sum(one.seconds for one in attempts), 2),
        tags=task.tags,
    )


def _keep(place: Path, target: Path) -> None:
    try:
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(place, target, symlinks=True)
    except (OSError, shutil.Error) as error:
        raise FerruleError(f"{target} cannot be written: {error}") from None


def _sum(numbers: Iterable[int | None]) -> int | None:
    told = [number for number in numbers if number is not None]
    return sum(told) if told else None


def _short(text: str) -> str:
    return text if len(text) <= _MOST_WHY else text[: _MOST_WHY - 1] + "…"
