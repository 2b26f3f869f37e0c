"""`ferrule` at a terminal: from the command line's words to a conversation."""

import argparse
import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from ferrule.assemble import Options
from ferrule.cli.request import options_of, with_weights
from ferrule.config.layers import load
from ferrule.config.schema import Ui
from ferrule.front.terminal import plain
from ferrule.front.terminal.app import interactive
from ferrule.front.terminal.early import Ground


def talk(args: argparse.Namespace, ground: Ground) -> int:
    """Talk at a terminal that is ready to be drawn upon; gives the exit code."""
    options = options_of(args)
    talking = partial(interactive, options, ground, ui=_ui(options), prompt=args.prompt or "")
    return with_weights(options, lambda: asyncio.run(talking()), offering=_left_alone(ground))


@contextmanager
def _left_alone(ground: Ground) -> Iterator[None]:
    """The terminal as it was found, for what is asked and shown line by line."""
    ground.leave()
    yield
    ground.take()


def plainly(args: argparse.Namespace) -> int:
    """Talk line by line, without anything that steers a terminal; gives the exit code."""
    options = options_of(args)
    talking = partial(plain.plainly, options, ui=_ui(options), prompt=args.prompt or "")
    return with_weights(options, lambda: asyncio.run(talking()))


def _ui(options: Options) -> Ui:
    """What the terminal is to show."""
    trusted = True if options.trust else None
    return load(options.directory, file=options.config_file, overrides=options.overrides, trusted=trusted).config.ui
