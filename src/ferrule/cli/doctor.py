"""`ferrule doctor`: what works on this machine, what does not, and what to do about it."""

import argparse
import asyncio
import sys
from pathlib import Path

from ferrule.survey import ask_once, findings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--ask", action="store_true", help="ask the model a question too, which may cost a little")


def run(args: argparse.Namespace) -> int:
    """Print what works; gives 1 if something that is needed does not."""
    found = list(findings(Path.cwd()))
    if args.ask:
        found.append(asyncio.run(ask_once(Path.cwd())))
    for finding in found:
        mark = "ok" if finding.works else "!!"
        first, *rest = finding.words.splitlines()
        sys.stdout.write(f"{mark}  {finding.about:<14} {first}\n" + "".join(f"{'':19}{line}\n" for line in rest))
    return 0 if all(finding.works for finding in found) else 1
