"""`ferrule -p "…"`: from the command line's words to a request and its exit code."""

import argparse
import asyncio
import os
from pathlib import Path

from ferrule.assemble import Options, assemble
from ferrule.core.errors import UsageError
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
    if args.cwd:
        _go_to(args.cwd)
    if args.config and not os.path.exists(args.config):  # noqa: PTH110
        raise UsageError(f"There is no file {args.config}.")
    directory = _here()
    prompt = _prompt(args)
    options = Options(
        directory=directory,
        config_file=Path(args.config) if args.config else None,
        overrides={key: getattr(args, name) for name, key in OVERRIDES.items() if getattr(args, name) is not None},
        allowed=_names(args.allowed_tools),
        disabled=_names(args.disallowed_tools),
        dry_run=args.dry_run,
        resume="" if args.continue_ or (args.fork and args.resume is None) else args.resume,
        fork=args.fork,
    )
    return asyncio.run(_carry_out(options, prompt, args))


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


def _names(values: list[str]) -> tuple[str, ...]:
    names = tuple(name for value in values for name in value.replace(",", " ").split())
    if odd := [name for name in names if "(" in name]:
        raise UsageError(f"{odd[0]}: only names of tools are understood here, such as bash or edit.")
    return names
