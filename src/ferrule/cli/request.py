"""`ferrule -p "…"`: from the command line's words to a request and its exit code."""

import argparse
import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from ferrule.assemble import Options, assemble
from ferrule.core.errors import MissingWeightsError, UsageError
from ferrule.front.headless import headless, read_input

OVERRIDES = {
    "provider": "llm.provider",
    "model": "llm.model",
    "endpoint": "llm.endpoint",
    "mode": "safety.mode",
    "max_turns": "agent.max_turns",
    "max_budget_usd": "agent.max_budget_usd",
}
"""Which option sets which key of the configuration."""


def request(args: argparse.Namespace) -> int:
    """Carry out the request that the command line makes."""
    options, prompt = options_of(args), _prompt(args)
    return with_weights(options, lambda: asyncio.run(_carry_out(options, prompt, args)))


def with_weights(
    options: Options, work: Callable[[], int], *, offering: AbstractContextManager[None] | None = None
) -> int:
    """Do what needs a model; where that is an embedded one that is not here yet, it is offered and fetched first.

    `offering` makes the terminal ready for that.

    Raises:
        UsageError: it is not here, and may not be fetched, or nobody can be asked.
        FerruleError: it could not be fetched, or whatever the work raises.
    """
    try:
        return work()
    except MissingWeightsError as missing:
        from ferrule.cli.offer import fetched  # noqa: PLC0415 - needed once in a lifetime

        with offering or nullcontext():
            code = fetched(missing, options)
    return code or work()


def options_of(args: argparse.Namespace) -> Options:
    """What the command line asks for.

    Raises:
        UsageError: it asks for something that cannot be.
    """
    if args.cwd:
        _go_to(args.cwd)
    if args.config and not os.path.exists(args.config):  # noqa: PTH110
        raise UsageError(f"There is no file {args.config}.")
    directory = _here()
    forbidden = _rules(args.disallowed_tools)
    overrides: dict[str, object] = {key: getattr(args, name) for name, key in OVERRIDES.items()}
    overrides |= {
        "local.fetch": "yes" if args.yes else None,
        "safety.sandbox": "off" if args.no_sandbox else None,
        "safety.allowed_paths": [_existing(place) for place in args.add_dir] or None,
        "safety.deny": [rule for rule in forbidden if "(" in rule] or None,
    }
    return Options(
        directory=directory,
        config_file=Path(args.config) if args.config else None,
        overrides=overrides,
        allowed=_rules(args.allowed_tools),
        disabled=[rule for rule in forbidden if "(" not in rule],
        trust=args.trust,
        dry_run=args.dry_run,
        resume="" if args.continue_ or (args.fork and args.resume is None) else args.resume,
        fork=args.fork,
    )


async def _carry_out(options: Options, prompt: str, args: argparse.Namespace) -> int:
    async with assemble(options) as session:
        return await headless(
            session,
            prompt,
            output=args.output_format,
            partial=args.include_partial_messages,
            verbose=args.verbose,
        )


def _prompt(args: argparse.Namespace) -> str:
    """The request: from -p, from the command line, from standard input, or from two of them."""
    said = [args.print if isinstance(args.print, str) else "", args.prompt or ""]
    given = " ".join(part for part in said if part)
    piped = read_input(required=not given)
    if not given.strip() and not piped.strip():
        raise UsageError('There is no request. Give one: ferrule -p "what does this project do?"')
    return "\n\n".join(part for part in (given, piped) if part.strip())


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise UsageError("The current directory is no longer there; --cwd DIR names another.") from None


def _go_to(directory: str) -> None:
    try:
        os.chdir(directory)
    except OSError as error:
        raise UsageError(f"Cannot work in {directory}: {error.strerror}.") from None


def _existing(directory: str) -> str:
    if not os.path.isdir(directory):  # noqa: PTH112
        raise UsageError(f"--add-dir: there is no directory {directory}.")
    return os.path.realpath(directory)


def _rules(values: list[str]) -> tuple[str, ...]:
    """The rules in a list of options; blanks and commas separate them, but not inside brackets."""
    rules, depth, start = [], 0, 0
    text = ",".join(values) + ","
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth <= 0 and (char.isspace() or char == ","):
            rules.append(text[start:place])
            start = place + 1
    if depth > 0:
        raise UsageError(f"{text[start:-1]}: a bracket is not closed.")
    return tuple(rule for rule in rules if rule)
