"""The process of an engine: llama.cpp with one model, behind a door of our own, until nobody asks any more.

llama.cpp is the package, in this process, or a llama-server beside it.

Started as `python -P -m ferrule.llm.local.serve ORDER`, with the engine's directory as its own, the lock that says
that it lives as an open file, and its log as its output.
"""

import asyncio
import os
import resource
import secrets
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.messages import Value
from ferrule.llm.local.front import Front
from ferrule.llm.local.installed import PACKAGE
from ferrule.llm.local.machine import BATCH
from ferrule.llm.local.places import Place, State, born
from ferrule.llm.local.program import Program, has_devices
from ferrule.version import __version__

LARGEST_LOG = 1_000_000
_LOG_KEPT = 64 * 1024
_GLANCE = 1.0
"""Seconds between two looks at whether it is time to go."""
_KILL_ME_FIRST = "500"
"""Where memory runs out, the kernel should take the engine, which is started anew, before others lose their work."""
_VERBOSITY = 3


class Order(Value, frozen=True, kw_only=True):
    """What an engine is to run, and how."""

    name: str
    """Of its files in the directory in which it is started."""
    weights: str
    model: str
    context: int
    readers: int
    writers: int
    kept: int
    idle_seconds: float
    package: str = PACKAGE
    program: str = ""
    """The path of a llama-server that runs it in the place of the package."""


def main(words: str) -> None:
    """Load the weights, open the door, and stay until nobody has asked for long enough."""
    order = msgspec.json.decode(words, type=Order)
    for one in (signal.SIGINT, signal.SIGHUP):  # the terminal that started it may go
        signal.signal(one, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what was asked is not left lying about
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_KILL_ME_FIRST, "ascii")
    place = Place(directory=Path.cwd(), name=order.name)
    pid = os.getpid()
    state = State(
        pid=pid,
        born=born(pid),
        model=order.model,
        weights=order.weights,
        context=order.context,
        version=__version__,
        key=secrets.token_urlsafe(32),
    )
    place.write(state)
    engine = _loaded(order, state.key, place.socket)
    is_well = asyncio.run(_stay(place, state, order.idle_seconds, engine if isinstance(engine, Program) else None))
    os._exit(0 if is_well else 1)  # the engine's own way out waits for its threads


def _loaded(order: Order, key: str, socket: str) -> object:
    """Load the weights; a program that could not ends this process as it ended itself."""
    if not order.program:
        package: Any = import_module(order.package)
        return package.Server(_parameters(package, order, key, socket))
    program = Program(_command(order, socket), _settings(order, key))
    code = program.wait_until_ready(socket)
    if code is None:
        return program
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code or 1)


def _parameters(package: Any, order: Order, key: str, socket: str) -> Any:
    """What llama.cpp is told: one conversation at a time, with earlier ones kept aside for their return.

    How much fits is planned before it is started; only what a graphics card can carry is left to be tried out, which
    takes as long as loading does.
    """
    parameters = package.CommonParams()
    parameters.model.path = order.weights
    parameters.model_alias = {order.model}
    parameters.hostnames = [socket]
    parameters.api_keys = [key]
    parameters.cors_origins = ""
    parameters.ui = False
    parameters.offline = True
    parameters.use_jinja = True
    parameters.n_ctx = order.context
    parameters.n_parallel = 1
    parameters.n_batch = parameters.n_ubatch = BATCH
    parameters.cache_ram_mib = order.kept // (1024 * 1024)
    parameters.verbosity = _VERBOSITY
    parameters.warmup = False  # the first request does the same work
    parameters.fit_params = any("CPU" not in device["name"] for device in package.get_device_info())
    for threads, count in ((parameters.cpuparams, order.writers), (parameters.cpuparams_batch, order.readers)):
        threads.n_threads = count
        threads.poll = 0  # a thread that waits leaves its core to others
    return parameters


def _command(order: Order, socket: str) -> list[str]:
    """The same for a llama-server: here what every version of it knows."""
    numbers = {
        "--ctx-size": order.context,
        "--parallel": 1,
        "--batch-size": BATCH,
        "--ubatch-size": BATCH,
        "--threads": order.writers,
        "--threads-batch": order.readers,
        "--poll": 0,
        "--poll-batch": 0,
    }
    options = [word for name, number in numbers.items() for word in (name, str(number))]
    return [order.program, "--model", order.weights, "--host", socket, "--no-warmup", *options]


def _settings(order: Order, key: str) -> dict[str, str]:
    """And here the key, which is on no command line, and what a version that does not know it passes over.

    Some of it has had several names.
    """
    return {
        "LLAMA_API_KEY": key,
        "LLAMA_ARG_ALIAS": order.model,
        "LLAMA_ARG_CORS_ORIGINS": "",
        "LLAMA_ARG_CACHE_RAM": str(order.kept // (1024 * 1024)),
        "LLAMA_ARG_FIT": "on" if has_devices(order.program) else "off",
        **dict.fromkeys(("LLAMA_ARG_UI", "LLAMA_ARG_WEBUI"), "0"),
        **dict.fromkeys(("LLAMA_ARG_NO_WEBUI", "LLAMA_ARG_JINJA", "LLAMA_ARG_OFFLINE", "LLAMA_OFFLINE"), "1"),
        **dict.fromkeys(("LLAMA_ARG_LOG_PREFIX", "LLAMA_LOG_PREFIX"), "1"),
        **dict.fromkeys(("LLAMA_ARG_LOG_TIMESTAMPS", "LLAMA_LOG_TIMESTAMPS"), "1"),
    }


async def _stay(place: Place, state: State, idle_seconds: float, program: Program | None = None) -> bool:
    """Let requests in until it is time to go; an answer that has begun is finished first. Whether all is well.

    Who looks for the engine meanwhile does not find it any more, and waits for its lock. It leaves nothing behind,
    but for its log where something went wrong.
    """
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, asked.set)
    front = Front(place.socket, key=state.key, on_broken=asked.set)
    await front.open()
    if program:
        program.when_ended(lambda: loop.call_soon_threadsafe(front.break_off))
    place.write(msgspec.structs.replace(state, port=front.port))
    while not (asked.is_set() or front.idle_seconds > idle_seconds or _is_forgotten(place, state)):
        with suppress(TimeoutError):
            await asyncio.wait_for(asked.wait(), min(_GLANCE, idle_seconds / 4))
        _shorten_log()
    front.shut()
    if is_mine := not _is_forgotten(place, state):
        place.forget()
    await front.emptied()
    is_well = not front.is_broken
    if program:
        program.end()
    if is_mine and is_well:
        place.clear()
    return is_well


def _is_forgotten(place: Place, state: State) -> bool:
    """Whether nobody can find this engine any more, since its directory was cleared."""
    found = place.state()
    return found is None or found.pid != state.pid


def _shorten_log() -> None:
    """Keep the end of a log that grew too long; it is written at its end, wherever that is."""
    with suppress(OSError):
        if os.fstat(2).st_size > LARGEST_LOG:
            descriptor = os.open("/dev/fd/2", os.O_RDONLY)
            kept = os.pread(descriptor, _LOG_KEPT, os.fstat(2).st_size - _LOG_KEPT)
            os.close(descriptor)
            os.ftruncate(2, 0)
            os.write(2, kept)


if __name__ == "__main__":
    main(sys.argv[1])
