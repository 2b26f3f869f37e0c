"""From the name of an embedded model to one that is ready to be asked: its weights, its engine, how it is spoken to."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from ferrule.config.schema import Embedded, Llm
from ferrule.config.words import plain
from ferrule.core.errors import MissingWeightsError, UsageError
from ferrule.core.model import Model
from ferrule.llm.catalog import look_up
from ferrule.llm.connect import COPIED, HELD, Connection, Say, own_models
from ferrule.llm.endpoint import Endpoint, Settings, Transport, Wire
from ferrule.llm.local.engine import Wanted, window
from ferrule.llm.local.installed import is_installed, program_for
from ferrule.llm.local.library import DEFAULT, library, named
from ferrule.llm.local.model import Local, Make
from ferrule.llm.local.store import find, is_path, own_store

SMALL = 4_000_000_000
"""Bytes of weights under which a model is led: with tools of its own it would not get far."""
_USABLE = 300_000_000
"""Bytes of weights under which no work can be expected of a model, so that it is taken only where it is named."""
_READING_SECONDS = 86_400.0
"""How long a prompt may be read: an old machine does it for many minutes, and an engine that hangs is noticed by
itself."""
_WIRE: Wire = "openai_chat"
_CLASS = ("ferrule.llm.openai_chat", "OpenAIChat")
"""What speaks it. It is imported once there are weights: the HTTP library takes it ill if the thread in which it was
imported ends before it is used, and where weights are missing, that thread does."""


def connection(
    name: str,
    llm: Llm,
    local: Embedded,
    *,
    transport: Transport,
    say: Say = lambda _: None,
    note: str = "",
    environ: Mapping[str, str] = os.environ,
) -> Connection:
    """Make an embedded model ready, by its name in the library or by the path of a GGUF file.

    Without a name it is the usual one. `note` says why it was chosen, where nobody asked for it. Its engine is
    started by the first request.

    Raises:
        UsageError: its engine is not installed, there is no such model or file, or memory is short.
        MissingWeightsError: it is not here yet.
        ConfigError: the user's own list of models cannot be read.
    """
    program = program_for(local.server, environ)
    name = name or usual(local, environ)
    try:
        weights = find(name, environ)
    except MissingWeightsError as missing:
        raise MissingWeightsError(str(missing), name=missing.name, chosen=not note) from None
    called = str(weights) if is_path(name) else named(name, environ).name
    wanted = Wanted(
        weights=weights,
        model=plain(weights.name) if is_path(name) else called,
        context=local.context,
        idle_seconds=local.idle_minutes * 60,
        program=program,
    )
    room = window(wanted, environ=environ)
    patient = msgspec.structs.replace(transport, first_byte=_READING_SECONDS)
    endpoint = Endpoint(provider="local", base_url="", wire=_WIRE, transport=patient)
    settings = Settings(model=called, max_tokens=llm.max_tokens or room // 4, temperature=llm.temperature)
    wire: Make = getattr(import_module(_CLASS[0]), _CLASS[1])

    def made(**changes: Any) -> Model:
        return Local(wanted, endpoint, msgspec.structs.replace(settings, **changes), make=wire, say=say)

    known = look_up("local", called, own_models(llm.models))
    return Connection(
        model=made(),
        provider="local",
        known=msgspec.structs.replace(known, window=room),
        note=note,
        answer=settings.max_tokens or 0,
        tool_mode="guided" if weights.stat().st_size < SMALL else "native",
        at=lambda temperature: made(temperature=temperature),
        constrain=lambda schema: made(extra=HELD[_WIRE](schema)),
        copying=lambda text: made(temperature=0.0, extra=COPIED[_WIRE](text)),
    )


def usual(local: Embedded, environ: Mapping[str, str] = os.environ) -> str:
    """The model that is meant where none is named: the configured one, the default, or what is here in its stead.

    Raises:
        ConfigError: the user's own list of models cannot be read.
    """
    models, store = library(environ), own_store(environ)
    here = [one.name for one in models.values() if one.size >= _USABLE and store.has(one)]
    return local.model or (DEFAULT if DEFAULT in here or not here else here[0])


def at_hand(local: Embedded, environ: Mapping[str, str] = os.environ) -> str:
    """The embedded model for someone who has no other; nothing where none can be had, or may be fetched.

    Raises:
        ConfigError: the user's own list of models cannot be read.
    """
    name = usual(local, environ)
    if not is_installed(local.server, environ):
        return name if local.server else ""  # what was configured is not there: that is said with the name
    try:
        find(name, environ)
    except MissingWeightsError:
        return "" if local.fetch == "no" else name
    except UsageError:  # the same
        return name
    return name


def is_embedded(name: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a name that was given without a provider is that of an embedded model, or of a file of weights.

    Raises:
        ConfigError: the user's own list of models cannot be read.
    """
    return name.lower().endswith(".gguf") or name.lower() in map(str.lower, library(environ))
