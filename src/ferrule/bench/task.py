"""A task: a little repository, a request as a programmer would type it, and a program that checks what came of it."""

import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

import msgspec

from ferrule.core.errors import UsageError
from ferrule.core.messages import Value

Kind = Literal["find", "explain", "create", "edit", "fix"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DESCRIPTION = "task.toml"
BASES = "bases"
"""The directory beside the tasks with the repositories that several share."""
LITTER = shutil.ignore_patterns("__pycache__", "*.pyc")
_HOME = "bench/tasks"


class Task(Value, frozen=True, kw_only=True):
    """What `task.toml` says, and where it lies."""

    name: str
    kind: Kind
    request: str
    check: str = "check.py"
    """The program beside `task.toml` that is run in the finished working copy; exit code 0 is success."""
    tags: tuple[str, ...] = ()
    timeout: float = 300
    """Seconds that all tries together may take."""
    tries: int = 1
    """How often the agent may try; what the check printed is fed back after a try that failed."""
    base: str = ""
    """The repository that it shares with other tasks; its own files come on top of that."""
    directory: Path = Path()

    @property
    def sources(self) -> tuple[Path, ...]:
        """Where the files lie that the agent is given, those on top last."""
        own = self.directory / "repo"
        if not self.base:
            return (own,)
        shared = self.directory.parent / BASES / self.base
        return (shared, own) if own.exists() else (shared,)

    def lay_out(self, place: Path) -> None:
        """Put a copy of the files there that the agent is given."""
        for source in self.sources:
            shutil.copytree(source, place, ignore=LITTER, dirs_exist_ok=True)


def load_tasks(directory: Path) -> tuple[Task, ...]:
    """Read all tasks of a directory, in the order of their kinds and names.

    Raises:
        UsageError: there are none, or one cannot be understood.
    """
    tasks = [load_task(path) for path in sorted(directory.glob(f"*/{DESCRIPTION}"))]
    if not tasks:
        raise UsageError(f"There are no tasks in {directory}: a task is a directory with {DESCRIPTION} in it.")
    return tuple(sorted(tasks, key=lambda task: (KINDS.index(task.kind), task.name)))


def chosen(
    tasks: Iterable[Task], *, kinds: Iterable[str] = (), names: Iterable[str] = (), tags: Iterable[str] = ()
) -> tuple[Task, ...]:
    """The tasks of these kinds, with these names, that have all of these tags; nothing named is no condition.

    Raises:
        UsageError: a name is not known, or no task is left.
    """
    known, kinds, names, tags = tuple(tasks), set(kinds), set(names), set(tags)
    if missing := sorted(names - {task.name for task in known}):
        raise UsageError(f"There is no task {', '.join(missing)}.")
    left = tuple(
        task
        for task in known
        if (not kinds or task.kind in kinds) and (not names or task.name in names) and tags <= set(task.tags)
    )
    if not left:
        raise UsageError("No task has all that was asked for.")
    return left


def default_directory(start: Path) -> Path:
    """The tasks of the checkout that a directory lies in, or that Ferrule runs from.

    Raises:
        UsageError: there is neither; what is installed holds no tasks.
    """
    source = Path(__file__).resolve().parents[3]
    for place in (start, *start.parents, source):
        if (place / _HOME).is_dir():
            return place / _HOME
    raise UsageError(f"There is no {_HOME} here, and what is installed holds no tasks; --tasks DIR names others.")


def load_task(path: Path) -> Task:
    """Read a task.

    Raises:
        UsageError: it cannot be understood, or something of it is missing.
    """
    try:
        said = tomllib.loads(path.read_text("utf-8"))
        task = msgspec.convert({**said, "directory": path.parent}, Task, strict=True)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from None
    if unknown := sorted(set(said) - set(Task.__struct_fields__)):
        raise UsageError(f"{path}: there is no such key: {', '.join(unknown)}.")
    for place in (*task.sources, path.parent / task.check):
        if not place.exists():
            raise UsageError(f"{path}: there is no {place.name} beside it.")
    if task.name != path.parent.name:
        raise UsageError(f"{path}: the name {task.name} is not that of the directory.")
    if task.tries < 1:
        raise UsageError(f"{path}: tries is less than 1.")
    return task
