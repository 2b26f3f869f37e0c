"""Finds the engine of a model, or starts it: one for each model, shared by all runs of the same user.

Whoever takes an engine's lock starts it, and hands the lock over; the others wait beside it. Engines of another
version, or of weights that have changed, have other names: nobody finds them any more, and they end when idle.
"""

import asyncio
import fcntl
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from ferrule.config.paths import runtime_home
from ferrule.config.words import plain
from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.messages import Value
from ferrule.llm.endpoint import Secret
from ferrule.llm.local.ended import log_told, why_it_ended
from ferrule.llm.local.front import HOST
from ferrule.llm.local.installed import MISSING, PACKAGE
from ferrule.llm.local.machine import Plan, plan
from ferrule.llm.local.places import Place, State, born
from ferrule.llm.local.serve import Order
from ferrule.version import __version__

IDLE_SECONDS = 900.0
LOADING_SECONDS = 600.0
"""The longest that weights may take to load: a slow disk reads a large model for minutes."""
SILENCE = 10.0
"""An engine that says nothing for so long hangs: its door answers even while the model thinks."""
_PATIENCE_IN_AN_ANSWER = 3
"""So many times that silence ends an engine in mid-answer: what it has read by then is lost with it."""
_PAUSE = 0.02
_LEAVE_SECONDS = 5.0
_SHELLS_OWN = 10
"""Open files below this number are a shell's to use, and one stands between an engine and its llama-server."""
_MOST_STARTS = 3
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONUSERBASE", "VIRTUAL_ENV")
_PREFIXES = ("LC_", "DYLD_", "OMP_", "GGML_", "CUDA_", "HIP_", "ROCR_", "VK_")
"""What an engine gets of the environment: it outlives its run, and keys are none of its business."""
_started: list[subprocess.Popen[bytes]] = []
"""The engines that this process started; asked after now and then, so that none stays behind as a dead entry."""

Say = Callable[[str], None]


class Wanted(Value, frozen=True, kw_only=True):
    """A model that is to run."""

    weights: Path
    model: str
    """What it is called."""
    context: int | None = None
    """In tokens; as the machine allows where nothing is said."""
    idle_seconds: float = IDLE_SECONDS
    loading_seconds: float = LOADING_SECONDS
    silence: float = SILENCE
    package: str = PACKAGE
    program: str = ""
    """The path of a llama-server that runs it in the place of the package."""


class Address(Value, frozen=True, kw_only=True):
    """Where an engine is reached, and with what."""

    base_url: str
    key: Secret
    model: str
    context: int
    pid: int


def engine_for(wanted: Wanted, *, say: Say = lambda _: None, environ: Mapping[str, str] = os.environ) -> Address:
    """Find the engine of a model, or start it and wait until it is ready.

    Raises:
        UsageError: its package is missing, or memory is short, or the weights are none.
        ProviderError: it ended while loading, or does not answer.
    """
    visit = _Visit(wanted, say, environ)
    while (address := visit.look()) is None:
        time.sleep(_PAUSE)
    return address


async def engine_ready(
    wanted: Wanted, *, say: Say = lambda _: None, environ: Mapping[str, str] = os.environ
) -> Address:
    """Find the engine of a model, or start it, without holding up anything else meanwhile.

    Raises:
        UsageError: its package is missing, or memory is short, or the weights are none.
        ProviderError: it ended while loading, or does not answer.
    """
    loop = asyncio.get_running_loop()

    def say_here(words: str) -> None:
        loop.call_soon_threadsafe(say, words)

    visit = _Visit(wanted, say_here, environ)
    while (address := await asyncio.to_thread(visit.look)) is None:  # noqa: ASYNC110  it waits for another process
        await asyncio.sleep(_PAUSE)
    return address


def window(wanted: Wanted, *, environ: Mapping[str, str] = os.environ) -> int:
    """The context that a model has: that of its engine, or that which it would get now. Starts nothing.

    Raises:
        UsageError: memory is short, or the weights are none.
    """
    place = place_of(wanted, environ)
    state = place.state() if place.is_taken() else None
    return state.context if state else plan(wanted.weights, context=wanted.context).context


def running(environ: Mapping[str, str] = os.environ) -> tuple[State, ...]:
    """The engines of this user that live, those that are still loading included.

    Raises:
        UsageError: there is no private directory for them.
    """
    places = [place for place in Place.all(runtime_home(environ)) if place.is_taken()]
    return tuple(state for place in places if (state := place.state()))


def stop(
    *, only_ready: bool = False, patience: float = _LEAVE_SECONDS, environ: Mapping[str, str] = os.environ
) -> tuple[State, ...]:
    """Ask engines to leave, and give those that did; one that is in mid-answer finishes it first.

    `only_ready` spares those that are still loading: somebody waits for them.

    Raises:
        UsageError: there is no private directory for them.
    """
    asked = [
        (place, state)
        for place in Place.all(runtime_home(environ))
        if place.is_taken() and (state := place.state()) and (state.port or not only_ready)
        if _signal(state, signal.SIGTERM)
    ]
    deadline = time.monotonic() + patience
    while any(place.is_taken() for place, _ in asked) and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    _reap()
    return tuple(state for place, state in asked if not place.is_taken())


def has_ended(address: Address) -> bool:
    """Whether the process of an engine is gone."""
    return not born(address.pid)


def end(wanted: Wanted, address: Address, *, environ: Mapping[str, str] = os.environ) -> None:
    """End an engine at once, since it is of no use any more."""
    with suppress(UsageError):  # without its weights nobody would find it again
        state = place_of(wanted, environ).state()
        if state and state.pid == address.pid:
            _signal(state, signal.SIGKILL)


async def end_if_it_hangs(wanted: Wanted, address: Address, *, environ: Mapping[str, str] = os.environ) -> None:
    """Watch an engine from which an answer is awaited, and end it once it says nothing at its door any more.

    The answer breaks off then. Comes back only if that was necessary.
    """
    while True:
        await asyncio.sleep(wanted.silence)
        with suppress(UsageError):  # without its weights it may answer still
            state = place_of(wanted, environ).state()
            if state and state.pid == address.pid and await _is_silent(state, wanted.silence * _PATIENCE_IN_AN_ANSWER):
                _signal(state, signal.SIGKILL)
                return


def last_words(wanted: Wanted, *, environ: Mapping[str, str] = os.environ) -> str:
    """What the log of a model's engine ends with, and where it is; nothing where there is none.

    Raises:
        UsageError: there are no such weights, or no private directory.
    """
    return log_told(place_of(wanted, environ))


def place_of(wanted: Wanted, environ: Mapping[str, str] = os.environ) -> Place:
    """Where the engine of a model is found; another one for other weights under the same path.

    Raises:
        UsageError: there are no such weights, or no private directory.
    """
    path = Path(os.path.realpath(wanted.weights))
    try:
        status = path.stat()
    except OSError as error:
        raise UsageError(f"{plain(str(wanted.weights))}: The weights cannot be read: {error.strerror}.") from None
    identity = (__version__, sys.prefix, str(path), status.st_size, status.st_mtime_ns, wanted.context)
    digest = hashlib.sha256(
        repr((*identity, wanted.model, wanted.package, wanted.program)).encode("utf-8", "surrogateescape")
    )
    return Place(directory=runtime_home(environ), name=digest.hexdigest()[:16])


class _Visit:
    """One run's way to an engine: looks again and again until there is one that answers."""

    def __init__(self, wanted: Wanted, say: Say, environ: Mapping[str, str]) -> None:
        self._wanted, self._say, self._environ = wanted, say, environ
        self._place = place_of(wanted, environ)
        self._began = time.monotonic()
        self._said = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._kills = 0
        self._refused_since = 0.0

    def look(self) -> Address | None:
        """Give the engine if it is ready; start one if there is none."""
        _reap()
        try:
            claim = self._place.claim()
        except OSError as error:
            raise UsageError(f"{plain(str(self._place.directory))}: No engine can run: {error.strerror}.") from None
        if claim is not None:
            try:
                self._start(claim)
            finally:
                os.close(claim)
            return None
        state = self._place.state()
        if state and state.port:
            match answers(state, self._wanted.silence):
                case "yes":
                    return _address(state)
                case "silent":
                    self._end(state)
                case "no":
                    self._bear_with(state)
        self._wait()
        return None

    def _start(self, claim: int) -> None:
        self._place.forget()
        if self._process is not None:  # ours is gone before it was ready
            raise self._ended(self._process)
        if not self._wanted.program and find_spec(self._wanted.package) is None:
            raise UsageError(MISSING)
        for other in Place.all(self._place.directory):
            other.clear_if_stale()
        self._process = _spawn(self._wanted, self._place, claim, self._room(), self._environ)

    def _room(self) -> Plan:
        """Plan with the memory that there is; where that is short, other engines are asked to leave first."""
        try:
            return plan(self._wanted.weights, context=self._wanted.context)
        except UsageError:
            if not stop(only_ready=True, environ=self._environ):
                raise
            return plan(self._wanted.weights, context=self._wanted.context)

    def _wait(self) -> None:
        """Tell how long it takes, and give up in the end."""
        seconds = int(time.monotonic() - self._began)
        if seconds > self._said:
            self._said = seconds
            self._say(f"Loading {self._wanted.model} … {seconds} s")
        if seconds >= self._wanted.loading_seconds:
            self._give_up()
            raise ProviderError(
                f"{self._wanted.model} was not ready within {seconds} s.{log_told(self._place)}", fault="unknown"
            )

    def _give_up(self) -> None:
        """End what still loads, be it ours or another's; what is ours may not have said anything yet."""
        state = self._place.state()
        if self._process is not None:
            self._process.kill()
        elif state and not state.port:
            _signal(state, signal.SIGKILL)

    def _bear_with(self, state: State) -> None:
        """End an engine whose door stands but refuses for too long; a moment before it is gone, any may do so."""
        now = time.monotonic()
        self._refused_since = self._refused_since or now
        if now - self._refused_since > self._wanted.silence:
            self._end(state)

    def _end(self, state: State) -> None:
        """End an engine that hangs; the next look starts another."""
        self._kills += 1
        if self._kills >= _MOST_STARTS:
            words = f"The engine of {self._wanted.model} does not answer, even started anew.{log_told(self._place)}"
            raise ProviderError(words, fault="unknown")
        self._say(f"The engine of {self._wanted.model} does not answer; it is started anew.")
        self._process, self._refused_since = None, 0.0
        _signal(state, signal.SIGKILL)

    def _ended(self, process: subprocess.Popen[bytes]) -> ProviderError:
        code = process.wait()
        how = f"ended with code {code}" if code >= 0 else f"was ended by signal {-code}"
        why = why_it_ended(code, self._place, self._wanted.program)
        words = f"The engine of {self._wanted.model} {how} while it was loading{why}{log_told(self._place)}"
        return ProviderError(words, fault="unknown")


def answers(state: State, patience: float) -> Literal["yes", "no", "silent"]:
    """Whether an engine answers at its door; it hangs where it says nothing at all."""
    try:
        with socket.create_connection((HOST, state.port), timeout=patience) as connection:
            connection.sendall(_knock(state))
            line = connection.recv(64)
    except TimeoutError:
        return "silent"
    except OSError:
        return "no"
    return "yes" if line.startswith(b"HTTP/1.1 200 ") else "no"


async def _is_silent(state: State, patience: float) -> bool:
    """The same question where nothing may be held up, and nobody waits for the answer."""
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_connection(HOST, state.port)
            writer.write(_knock(state))
            await reader.read(64)
    except TimeoutError:
        return True
    except OSError:
        return False
    finally:
        if writer is not None:
            writer.transport.abort()
    return False


def _knock(state: State) -> bytes:
    return f"GET /health HTTP/1.1\r\nHost: {HOST}:{state.port}\r\nAuthorization: Bearer {state.key}\r\n\r\n".encode()


def _address(state: State) -> Address:
    return Address(
        base_url=f"http://{HOST}:{state.port}",
        key=Secret(state.key),
        model=state.model,
        context=state.context,
        pid=state.pid,
    )


def _spawn(
    wanted: Wanted, place: Place, claim: int, found: Plan, environ: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start the process of an engine, out of reach of the terminal's signals; the lock goes with it."""
    order = Order(
        name=place.name,
        weights=os.path.realpath(wanted.weights),
        model=wanted.model,
        context=found.context,
        readers=found.readers,
        writers=found.writers,
        kept=found.kept,
        idle_seconds=wanted.idle_seconds,
        package=wanted.package,
        program=wanted.program,
    )
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    passed = {key: value for key, value in environ.items() if key in _PASSED_ON or key.startswith(_PREFIXES)}
    try:
        log = os.open(place.log, flags, 0o600)
        lock = fcntl.fcntl(claim, fcntl.F_DUPFD_CLOEXEC, _SHELLS_OWN)
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ferrule.llm.local.serve", msgspec.json.encode(order).decode()],
                cwd=place.directory,
                env={"OMP_WAIT_POLICY": "passive", "GGML_NO_BACKTRACE": "1", **passed},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,
            )
        finally:
            os.close(log)
            os.close(lock)
    except OSError as error:
        raise UsageError(f"The engine of {wanted.model} cannot be started: {error.strerror}.") from None
    _started.append(process)
    return process


def _signal(state: State, number: signal.Signals) -> bool:
    """Send a signal to an engine, unless its number is another's by now."""
    if not state.born or born(state.pid) != state.born:
        return False
    with suppress(OSError):
        os.kill(state.pid, number)
        return True
    return False


def _reap() -> None:
    _started[:] = [process for process in _started if process.poll() is None]
