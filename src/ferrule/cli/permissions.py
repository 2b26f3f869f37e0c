"""`ferrule permissions`: why a call is judged so, what rules would have asked, and which would spare questions."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ferrule.cli.sessions import add_directory, directory_of, show
from ferrule.config.jsonc import parse
from ferrule.core.errors import UsageError
from ferrule.front.export.harmless import harmless
from ferrule.lab import Judgement, Lab, RuleSet, learn, past_calls, shown, tally

MODES = ("plan", "normal", "auto-edit", "auto", "yolo", "default", "acceptEdits", "bypassPermissions")
MOST_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    explain = actions.add_parser("explain", help="say what would happen with a command, and why")
    explain.add_argument("command", nargs="*", metavar="CMD", help="a shell command")
    explain.add_argument("--jsonl", action="store_true", help="judge each line of standard input: commands and calls")
    replay = actions.add_parser("replay", help="say what rules would have asked in the saved sessions")
    replay.add_argument("rules", nargs="?", metavar="RULES", help="a file with safety rules, or rules that allow")
    learned = actions.add_parser("learn", help="find the rules that would have spared questions")
    learned.add_argument("--least", type=int, default=2, metavar="N", help="questions that a rule must spare")
    for action in (explain, replay, learned):
        action.add_argument("--mode", choices=MODES, metavar="MODE", help="as if this were the mode")
        action.add_argument("--json", action="store_true", help="print JSON")
        add_directory(action, default=None)
    for action in (replay, learned):
        action.add_argument("--all", action="store_true", help="the sessions of every directory")


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code.

    Raises:
        FerruleError: the configuration has errors, or there is nothing to judge.
    """
    {"explain": _explain, "replay": _replay, "learn": _learn}[args.action](args)
    return 0


def _explain(args: argparse.Namespace) -> None:
    lab = Lab(directory_of(args), mode=args.mode)
    if args.jsonl:
        for line in sys.stdin.buffer:
            if line.strip():
                sys.stdout.buffer.write(_encoded(lab.judge_line(line)) + b"\n")
                sys.stdout.buffer.flush()
        return
    command = " ".join(args.command)
    if not command.strip():
        raise UsageError("There is no command to explain: ferrule permissions explain 'git push'")
    judged = lab.judge_command(command)
    if args.json:
        show(msgspec.json.format(msgspec.json.encode(shown(judged)), indent=2).decode() + "\n")
    else:
        show("".join(f"{harmless(line)}\n" for line in _lines(judged)))


def _encoded(answer: Mapping[str, Any]) -> bytes:
    """An answer as JSON, also where it tells of what is no Unicode."""
    try:
        return msgspec.json.encode(answer)
    except UnicodeEncodeError:
        return json.dumps(answer).encode()


def _lines(judged: Judgement) -> Iterator[str]:
    yield f"{judged.decision}: {judged.reason or 'it only reads'}"
    yield f"  decided by: {judged.rule}"
    yield from (f"  runs: {part}" for part in judged.parts)
    yield from (f"  always would add: {rule}" for rule in judged.always)
    if judged.network:
        yield "  it would have the network"
    yield from (f"  writes outside the project: {path}" for path in judged.outside)


def _replay(args: argparse.Namespace) -> None:
    calls = list(past_calls(directory_of(args), everywhere=args.all))
    now = tally(calls, mode=args.mode)
    then = tally(calls, mode=args.mode, rules=_rules(args.rules)) if args.rules else now
    if args.json:
        show(msgspec.json.format(msgspec.json.encode({"now": now, "then": then}), indent=2).decode() + "\n")
        return
    lines = [f"{len(calls):,} calls in the saved sessions."]
    lines += [f"  as it is: {now.allow:,} run unasked, {now.ask:,} ask, {now.deny:,} are denied"]
    if args.rules:
        lines += [f"  with these rules: {then.allow:,} run unasked, {then.ask:,} ask, {then.deny:,} are denied"]
    lines += [f"{count:>6} × {what}" for what, count in then.asked[:MOST_SHOWN]]
    show("".join(f"{harmless(line)}\n" for line in lines))


def _learn(args: argparse.Namespace) -> None:
    found = learn(past_calls(directory_of(args), everywhere=args.all), mode=args.mode, least=args.least)
    if args.json:
        show(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
    elif not found:
        show("No rule would have spared enough questions.\n")
    else:
        rules = ", ".join(f'"{one.rule}"' for one in found)
        lines = [f"{one.spared:>6} × {one.rule}" for one in found]
        show("".join(f"{harmless(line)}\n" for line in [*lines, f'"safety": {{"allow": [{rules}]}}']))


def _rules(given: str) -> RuleSet:
    """Rules from a configuration file or a list in a file, or as they were typed."""
    if not os.path.exists(given):  # noqa: PTH110
        return RuleSet(allow=tuple(part.strip() for part in given.split(",") if part.strip()))
    root = parse(Path(given).read_bytes(), given).root
    data = root.plain if root else {}
    try:
        safety = data.get("safety", data) if isinstance(data, dict) else {"allow": data}
        return msgspec.convert(safety, RuleSet)
    except msgspec.ValidationError as error:
        raise UsageError(f"{given}: {error}") from None
