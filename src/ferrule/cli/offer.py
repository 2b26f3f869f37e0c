"""Offers an embedded model that a session needs and that is not here yet; fetches it, and shows how far that is."""

import os
import sys
import termios
from textwrap import fill
from typing import TextIO

from ferrule.assemble import Options
from ferrule.config.layers import load
from ferrule.core.errors import MissingWeightsError, UsageError
from ferrule.front.meter import Meter
from ferrule.weights import amount, concern, kept, offer, pull, with_name

DECLINED, INTERRUPTED = 1, 130


def fetched(missing: MissingWeightsError, options: Options) -> int:
    """Fetch a model if that is wanted; gives 0 where it is here now, else the exit code.

    Raises:
        UsageError: it may not be fetched, or nobody can be asked.
        ConfigError: the configuration has errors.
        FerruleError: it could not be fetched; what came is kept.
    """
    trusted = True if options.trust else None
    loaded = load(options.directory, file=options.config_file, overrides=options.overrides, trusted=trusted)
    wish, stream = loaded.config.local.fetch, _shown_on()
    if wish == "no":
        raise missing
    if wish == "ask":
        if not (sys.stdin and sys.stdin.isatty() and stream.isatty()):
            raise UsageError(f"{_reason(missing)}{missing} With --yes this command does so by itself.") from None
        try:
            agreed = _agrees(f"{_question(missing)} [Y/n]", stream)
        except KeyboardInterrupt:
            stream.write("\n")
            return INTERRUPTED
        if not agreed:
            stream.write("Nothing was fetched. `ferrule models` lists other ways to a model.\n")
            return DECLINED
    return _pulled(missing.name, Meter(stream))


def _pulled(name: str, meter: Meter) -> int:
    if doubt := concern(name):
        meter.say(doubt)
    try:
        pull(name, watcher=meter)
    except KeyboardInterrupt:
        meter.say(f"Interrupted. {kept(name)}")
        return INTERRUPTED
    finally:
        meter.end()
    meter.say(f"{name} is ready.")
    return 0


def _shown_on() -> TextIO:
    """Standard error, so that an answer can be piped; unless only standard output is a terminal."""
    return sys.stderr if sys.stderr.isatty() or not sys.stdout.isatty() else sys.stdout


def _reason(missing: MissingWeightsError) -> str:
    return "" if missing.chosen else "No key is set, and no model server runs here. "


def _question(missing: MissingWeightsError) -> str:
    if not missing.chosen:
        return offer(missing.name)
    model = with_name(missing.name)
    size = amount(model.size - model.held)
    return f"{model.name} is not here yet: fetch it ({size}, {model.licence})?"


def _agrees(question: str, stream: TextIO) -> bool:
    """Ask at the terminal; just Enter is a yes, and what was typed before the question is no answer to it."""
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    columns = os.get_terminal_size(stream.fileno()).columns or 80
    stream.write(f"{fill(question, max(columns - 1, 20))} ")
    stream.flush()
    line = sys.stdin.readline()
    return line.endswith("\n") and line.strip().lower() in {"", "y", "yes"}
