"""`ferrule bench`: gives small tasks to Ferrule and to other agents, and shows how they fared."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from ferrule.bench.agent import FERRULE, Agent, Ferrule, is_name, rival_of
from ferrule.bench.record import Record, append_record, done, read_records
from ferrule.bench.series import carry_out, plan
from ferrule.bench.table import tables, told
from ferrule.bench.task import KINDS, Task, chosen, default_directory, load_tasks
from ferrule.cli.sessions import show
from ferrule.core.errors import UsageError
from ferrule.front.export.harmless import harmless

_PASSED_ON = ("provider", "model", "endpoint", "config")
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HUNG_UP = 128 + signal.SIGHUP


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    run_ = actions.add_parser("run", help="give out the tasks", description="Give out the tasks, and check what comes.")
    listing = actions.add_parser("list", help="list the tasks", description="List the tasks.")
    for each in (run_, listing):
        each.add_argument("--tasks", metavar="DIR", help="where the tasks lie; bench/tasks of the checkout by default")
        each.add_argument("--kind", action="append", default=[], choices=KINDS, help="only tasks of this kind")
        each.add_argument("--task", action="append", default=[], metavar="NAME", help="only this task")
        each.add_argument("--only", action="append", default=[], metavar="TAG", help="only tasks with this tag")
    table = actions.add_parser("table", help="show earlier results", description="Show the results kept by --json.")
    table.add_argument("files", nargs="+", metavar="FILE")
    _add_run(run_)


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code.

    Raises:
        FerruleError: a task, a file or an agent is not as it should be.
    """
    return {"run": _run, "list": _list, "table": _table}[args.action](args)


def _add_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-m", "--model", help="the model that Ferrule is to use")
    add("-P", "--provider", help="where it is reached")
    add("--endpoint", metavar="URL", help="the provider's base address")
    add("-c", "--config", metavar="FILE", help="one more configuration file for Ferrule")
    add("--repeat", type=_positive, default=1, metavar="N", help="give every task N times")
    add("--jobs", type=_positive, default=1, metavar="N", help="do N tasks side by side; times are then worth less")
    add("--timeout", type=_seconds, metavar="S", help="seconds for a task, instead of what it says itself")
    add("--label", default=FERRULE, metavar="NAME", help="the name of this set-up in the results; ferrule by default")
    add("--rival", action="append", default=[], metavar="NAME=COMMAND", help="another agent: 'x=x --message {prompt}'")
    add("--rivals-only", action="store_true", help="leave Ferrule out")
    add("--json", metavar="FILE", help="keep the results there, a line each; what is in it is not done again")
    add("--keep", metavar="DIR", help="keep the working copies, outputs and sessions there")
    add("options", nargs="*", metavar="-- OPTION", help="options for Ferrule: -- --max-turns 20")


def _run(args: argparse.Namespace) -> int:
    tasks, agents = _tasks(args), _agents(args)
    file = Path(args.json) if args.json else None
    earlier = read_records(file) if file else []
    trials = plan(tasks, agents, repeat=args.repeat, done=done(earlier))
    records = {record.key: record for record in earlier}
    if earlier:
        _remark(f"{len(records)} results are in {file} already.")
    came = 0

    def tell(record: Record) -> None:
        nonlocal came
        came += 1
        records[record.key] = record
        if file:
            append_record(file, record)
        _remark(f"[{came}/{len(trials)}] {told(record)}")

    keep = Path(args.keep).absolute() if args.keep else None
    code = _until_told_to_end(carry_out(trials, tell=tell, jobs=args.jobs, limit=args.timeout, keep=keep))
    order = dict.fromkeys((*(record.key for record in earlier), *(one.key for one in trials)))
    if records and code != _HUNG_UP:  # then nobody is there to read it
        show(harmless(tables([records[key] for key in order if key in records]) + "\n"))
    return code


def _until_told_to_end(series: Coroutine[Any, Any, None]) -> int:
    """Carry a series out, or break it off with all that its trials started when a signal comes; gives the exit code.

    A second signal leaves no time to tidy up. One that is ignored, as hanging up is after nohup, stays so.
    """
    told: list[int] = []

    async def whole() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def end(number: int) -> None:
            told.append(number)
            task.cancel()

        for number in _ENDINGS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, end, number)
        await series

    try:
        asyncio.run(whole())
    except asyncio.CancelledError:
        return 128 + told[0]
    return 0


def _list(args: argparse.Namespace) -> int:
    for task in _tasks(args):
        show(harmless(f"{task.kind:<8} {task.name:<24} {', '.join(task.tags):<12} {' '.join(task.request.split())}\n"))
    return 0


def _table(args: argparse.Namespace) -> int:
    records: list[Record] = []
    for name in args.files:
        if not Path(name).exists():
            raise UsageError(f"There is no file {name}.")
        records += read_records(Path(name))
    show(harmless(tables(records) + "\n"))
    return 0


def _tasks(args: argparse.Namespace) -> tuple[Task, ...]:
    directory = Path(args.tasks).absolute() if args.tasks else default_directory(Path.cwd())
    return chosen(load_tasks(directory), kinds=args.kind, names=args.task, tags=args.only)


def _agents(args: argparse.Namespace) -> list[Agent]:
    if args.rivals_only and not args.rival:
        raise UsageError("--rivals-only: no --rival is named.")
    if not is_name(args.label):
        raise UsageError(f"--label: {args.label} cannot be a name.")
    model = args.model or ""
    agents: list[Agent] = [rival_of(text, model=model) for text in args.rival]
    return agents if args.rivals_only else [Ferrule(_options(args), name=args.label, model=model), *agents]


def _options(args: argparse.Namespace) -> list[str]:
    """What Ferrule is given; paths are made absolute, since it will run elsewhere."""
    options: list[str] = []
    for name in _PASSED_ON:
        value = getattr(args, name)
        if value:
            is_file = name == "config" or (name == "model" and args.provider == "replay")
            options += [f"--{name}", str(Path(value).absolute()) if is_file else value]
    return [*options, *args.options]


def _remark(text: str) -> None:
    sys.stderr.write(harmless(text) + "\n")
    sys.stderr.flush()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return number
