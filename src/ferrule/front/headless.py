"""One request with nobody at the keyboard: `ferrule -p "…"`."""

import asyncio
import os
import select
import signal
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from ferrule.core.events import Appended, Emit, Event, Notice, Retrying, ToolEnded, Waiting
from ferrule.core.messages import Assistant
from ferrule.front.outcome import Outcome
from ferrule.front.streamjson import Clock, StreamJson, init_message, line, result_message
from ferrule.front.terminal.show.words import count
from ferrule.session.secrets import mask
from ferrule.session.session import Session

OutputFormat = Literal["text", "json", "stream-json"]
MOST_INPUT = 10_000_000
INPUT_PATIENCE = 3.0


async def headless(
    session: Session, prompt: str, *, output: OutputFormat = "text", partial: bool = False, verbose: bool = False
) -> int:
    """Carry one request to its end, print what was asked for, and give the exit code."""
    loop = asyncio.get_running_loop()
    # soon, not at once: a run that interrupts itself with its last word would pass the cancellation on
    outcome, clock, pipe = Outcome(), Clock(), _Pipe(lambda: loop.call_soon(session.interrupt))
    listeners: list[Emit] = [outcome.hear, clock.hear]
    if output == "stream-json":
        pipe.write(line(init_message(session)))
        listeners.append(StreamJson(session, lambda message: pipe.write(line(message)), partial=partial).hear)
    if verbose or output == "text":
        listeners.append(_Remarks(verbose=verbose).hear)
    for listener in listeners:
        session.subscribe(listener)
    for remark in (*session.warnings, *session.notes):
        complain(remark)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, session.interrupt)
    try:
        await session.prompt(prompt)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.remove_signal_handler(number)
    if output == "text":
        if outcome.answer.strip():
            answer = outcome.answer.rstrip("\n")
            pipe.write((_harmless(answer) if sys.stdout.isatty() else answer).encode("utf-8", "replace") + b"\n")
    else:
        pipe.write(line(result_message(session, outcome, clock.seconds, clock.model_seconds)))
    if pipe.broken:
        return 0 if pipe.had_enough else 1
    if outcome.problem:
        complain(outcome.problem)
    return outcome.code


def complain(text: str) -> None:
    """Tell the person on standard error what they should know."""
    _say(f"ferrule: {text}")


def _say(text: str) -> None:
    with suppress(OSError):  # perhaps nobody listens any more
        sys.stderr.write(f"{_harmless(mask(text))}\n")
        sys.stderr.flush()


def read_input(*, required: bool) -> str:
    """What is piped into standard input.

    A pipe that somebody merely forgot to close must not hang the run: where a prompt was given as well, it
    is left alone if nothing comes for a while.
    """
    try:
        kind = os.fstat(0).st_mode
    except OSError:
        return ""
    if os.isatty(0) or not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)):
        return ""
    if not required and not select.select([0], [], [], INPUT_PATIENCE)[0]:
        complain(f"nothing came on standard input for {INPUT_PATIENCE:.0f} s; going on without it.")
        return ""
    data = bytearray()
    while len(data) <= MOST_INPUT and (chunk := os.read(0, 1 << 16)):
        data += chunk
    if len(data) > MOST_INPUT:
        complain(f"standard input is longer than {MOST_INPUT:,} bytes; the rest is left out.")
    return bytes(data[:MOST_INPUT]).decode("utf-8", "replace")


class _Pipe:
    """Standard output, which may be closed at any time: then the run ends, quietly."""

    def __init__(self, on_broken: Callable[[], Any]) -> None:
        self.broken = False
        self.had_enough = False
        """Whether it was closed by whoever had read some of it, as `head` does."""
        self._has_written = False
        self._on_broken = on_broken

    def write(self, data: bytes) -> None:
        if self.broken:
            return
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            self._has_written = True
        except OSError as error:
            self.had_enough = self._has_written and isinstance(error, BrokenPipeError)
            if not isinstance(error, BrokenPipeError):
                complain(f"The output could not be written: {error.strerror}.")
            self.broken = True
            devnull = os.open(os.devnull, os.O_WRONLY)
            os.dup2(devnull, 1)  # so that the interpreter's own flush at exit does not complain
            os.close(devnull)
            self._on_broken()


class _Remarks:
    """Says on standard error what the person should know, and with `--verbose` what each call came to."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._asked: dict[str, str] = {}
        self._waits = ""

    def hear(self, event: Event) -> None:
        match event:
            case Retrying(attempt=attempt, delay=delay, reason=reason):
                complain(f"{reason.rstrip(' .')}. Trying again in {delay:.1f} s (attempt {attempt}).")
            case Waiting(text=text):
                self._wait(text)
            case Notice(text=text):
                complain(text)
            case Appended(message=Assistant() as message) if self._verbose:
                if message.calls and message.text:
                    _say(f"• {_short(message.text)}")
                self._asked = {call.id: str(next(iter(call.input.values()), "")) for call in message.calls}
            case ToolEnded(result=result, seconds=seconds) if self._verbose:
                mark = "✗" if result.is_error else "✓"
                first, *others = result.text.strip().splitlines() or [""]
                more = f"{count(len(others), 'more line')}, " if others else ""
                asked = _short(self._asked.get(result.call_id, ""))
                _say(f"{mark} {result.tool} {asked} → {_short(first)} ({more}{seconds:.1f} s)")
            case _:
                pass

    def _wait(self, text: str) -> None:
        """Say once what is waited for, not how long, to a person who watches."""
        what = text.partition(" … ")[0]
        if what != self._waits and (self._verbose or sys.stderr.isatty()):
            self._waits = what
            complain(what)


def _short(value: str) -> str:
    text = " ".join(value.split())
    return text if len(text) <= 80 else text[:79] + "…"


def _harmless(text: str) -> str:
    """Without what could steer a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)
