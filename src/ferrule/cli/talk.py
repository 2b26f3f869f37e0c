"""`ferrule` at a terminal: from the command line's words to a conversation."""

import argparse
import asyncio

from ferrule.cli.request import options_of
from ferrule.config.layers import load
from ferrule.front.terminal import plain
from ferrule.front.terminal.app import interactive
from ferrule.front.terminal.early import Ground


def talk(args: argparse.Namespace, ground: Ground) -> int:
    """Talk at a terminal that is ready to be drawn upon; gives the exit code."""
    options = options_of(args)
    trusted = True if options.trust else None
    ui = load(options.directory, file=options.config_file, overrides=options.overrides, trusted=trusted).config.ui
    return asyncio.run(interactive(options, ground, ui=ui, prompt=args.prompt or ""))


def plainly(args: argparse.Namespace) -> int:
    """Talk line by line, without anything that steers a terminal; gives the exit code."""
    return asyncio.run(plain.plainly(options_of(args), prompt=args.prompt or ""))
