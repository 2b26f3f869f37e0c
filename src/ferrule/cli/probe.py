"""`ferrule probe`: measures what a model can do, prints a table, and keeps a profile that sessions go by."""

import argparse
import asyncio
import sys
from pathlib import Path

import msgspec

from ferrule.cli.sessions import show
from ferrule.config.words import plain
from ferrule.core.errors import UsageError
from ferrule.front.export.harmless import harmless, harmless_json
from ferrule.probe.keep import Conclusion, conclude, forget
from ferrule.probe.measure import measure, subject
from ferrule.probe.series import Result
from ferrule.probe.table import table, told

_OVERRIDES = {"model": "llm.model", "provider": "llm.provider", "endpoint": "llm.endpoint"}
_INTERRUPTED = 130
_MINUTES = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = parser.add_argument
    add("name", nargs="?", metavar="MODEL", help="the model; without it, the one that a session would use")
    add("-m", "--model", help="the same")
    add("-P", "--provider", help="where the model is reached")
    add("--endpoint", metavar="URL", help="the provider's base address, where it is not the usual one")
    add("-c", "--config", metavar="FILE", help="one more configuration file")
    add("--minutes", type=_minutes, default=_MINUTES, metavar="N", help="how long it may take; 5 by default")
    add("--quick", action="store_true", help="ask less, and believe it less")
    add("--json", action="store_true", help="print JSON")
    add("--forget", action="store_true", help="measure nothing, and remove the profile that was kept")


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code: 1 where there is no verdict, 130 where it was interrupted.

    Raises:
        UsageError: there is no such model, or two are named.
        ConfigError: the configuration has errors, or the profile cannot be kept or removed.
        FerruleError: the model does not answer.
    """
    if args.name and args.model:
        raise UsageError(f"Which model: {args.name} or {args.model}?")
    args.model = args.name or args.model
    file = Path(args.config) if args.config else None
    overrides = {key: getattr(args, name) for name, key in _OVERRIDES.items()}
    connection = subject(Path.cwd(), file=file, overrides=overrides)
    name = connection.model.name
    if args.forget:
        had_one = forget(name)
        show(harmless(f"The profile of {name} is forgotten.\n" if had_one else f"There is no profile of {name}.\n"))
        return 0
    seen = _Seen()
    try:
        asyncio.run(measure(connection, seconds=args.minutes * 60, quick=args.quick, watcher=seen))
    except KeyboardInterrupt:
        _remark("Interrupted. No profile was written; an earlier one stays.")
        if seen.results and not args.json:
            show(harmless(f"{table(seen.results)}\n"))
        return _INTERRUPTED
    conclusion = conclude(name, seen.results)
    _print(conclusion, in_json=args.json)
    return 0 if conclusion.profile else 1


def _print(conclusion: Conclusion, *, in_json: bool) -> None:
    """Say what came of it."""
    if in_json:
        told_all = msgspec.json.format(msgspec.json.encode(conclusion, enc_hook=str), indent=2).decode()
        show(f"{harmless_json(told_all)}\n")
        return
    verdict, file = conclusion.verdict, conclusion.file
    mode = {None: "no verdict", "unusable": "not usable"}.get(verdict.mode, verdict.mode)
    kept = f"Sessions go by this from now on: {plain(str(file))}\n" if file else ""
    show(harmless(f"{table(conclusion.results)}\n\n{conclusion.model}: {mode}; {verdict.why}\n{kept}"))


class _Seen:
    """Keeps the results, and tells each on standard error."""

    def __init__(self) -> None:
        self.results: list[Result] = []

    def begins(self, probe: str) -> None:
        """Tell what is measured now, where somebody watches."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{probe} …")
            sys.stderr.flush()

    def came(self, result: Result) -> None:
        """Tell what came of it."""
        self.results.append(result)
        _remark(told(result))


def _remark(text: str) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear}{harmless(text)}\n")
    sys.stderr.flush()


def _minutes(text: str) -> float:
    number = float(text)
    if not 0 < number <= 24 * 60:
        raise argparse.ArgumentTypeError(f"{text} is no number of minutes")
    return number
