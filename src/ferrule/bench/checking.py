"""Runs the check of a task, confined as the commands of a session are: it tries code that a model wrote."""

import os
import shutil
import sys
from pathlib import Path

from ferrule.bench.task import Task
from ferrule.config.layers import load
from ferrule.confine import Confinement
from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.extend.calling import call, processes_apart
from ferrule.host.sandbox.profile import Leave
from ferrule.policy.build import places_of

LIMIT = 60.0


class Verdict(Value, frozen=True, kw_only=True):
    """What the check of a task said."""

    success: bool
    output: str


async def check(task: Task, copy: Path, answer: str) -> Verdict:
    """Run a task's check in the working copy.

    What it needs lies beside the copy while it runs: the answer, the repository as it was, the helpers of all checks.

    Raises:
        ConfigError: the user's configuration has errors, so nothing says how to confine it.
    """
    outputs = copy.parent / "check"
    words = prepare(task, outputs, answer)
    loaded = load(copy.parent, trusted=False)  # whatever settings there are in the copy now count for nothing
    confinement = Confinement(loaded.config.safety, places_of(loaded, copy, open=(outputs,)), outputs=outputs)
    try:
        async with processes_apart(copy, outputs, sandbox=confinement.sandbox, leave=Leave()) as processes:
            ended = await call(words, processes=processes, outputs=outputs, cwd=copy, seconds=LIMIT)
    except ToolError as error:
        return Verdict(success=False, output=f"The check: {error}")
    finally:
        await confinement.close()
        shutil.rmtree(outputs, ignore_errors=True)
    output = f"{ended.stdout.decode(errors='replace')}\n{ended.stderr}".strip()
    return Verdict(success=ended.code == 0, output=output)


def prepare(task: Task, outputs: Path, answer: str) -> list[str]:
    """Put down what a check needs, and give the command that runs it."""
    shutil.rmtree(outputs, ignore_errors=True)
    outputs.mkdir(mode=0o700)
    task.lay_out(outputs / "original")
    for helper in task.directory.parent.glob("*.py"):
        shutil.copy(helper, outputs)
    own = outputs / "task"
    shutil.copytree(task.directory, own, ignore=shutil.ignore_patterns("repo", "solution", "__pycache__"))
    (outputs / "answer.txt").write_text(answer, "utf-8")
    environment = {
        "PYTHONPATH": os.fspath(outputs),
        "PYTHONDONTWRITEBYTECODE": "1",
        "FERRULE_ANSWER": os.fspath(outputs / "answer.txt"),
        "FERRULE_ORIGINAL": os.fspath(outputs / "original"),
    }
    return [
        "/usr/bin/env",
        *(f"{name}={value}" for name, value in environment.items()),
        sys.executable,
        str(own / task.check),
    ]
