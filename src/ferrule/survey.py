"""What this machine and the user's configuration offer: models, and the programs that tools need."""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ferrule.config.layers import Loaded, load
from ferrule.config.paths import data_home, expand
from ferrule.config.schema import Config, Embedded
from ferrule.confine import Confinement
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import FerruleError, UsageError, describe
from ferrule.core.messages import Value, said
from ferrule.core.model import Request
from ferrule.llm.catalog import Known, look_up
from ferrule.llm.connect import connect, own_models, provider_named
from ferrule.llm.detect import local_servers
from ferrule.llm.local.installed import BY_PACKAGE, INSTALL, engine_named, is_installed, trouble
from ferrule.llm.local.library import amount, library
from ferrule.llm.local.store import own_store
from ferrule.llm.providers import PROVIDERS
from ferrule.llm.retry import retrying
from ferrule.policy.build import places_of
from ferrule.small.profile import Profile, profile_for
from ferrule.tools.ripgrep import BUILT_IN, find_program
from ferrule.version import __version__


class Offer(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A model, and whether it could be used now."""

    provider: str
    model: str
    window: int | None
    price: str
    """US dollars a million tokens: input / output."""
    state: str


class Finding(Value, frozen=True, kw_only=True):
    """What was found out about one thing that Ferrule needs."""

    about: str
    words: str
    works: bool = True


def offers(config: Config, environ: Mapping[str, str] = os.environ) -> Iterator[Offer]:
    """The user's own endpoints, the providers that are known by name, what runs on this machine, and what could.

    Raises:
        ConfigError: the user's own list of embedded models cannot be read.
    """
    llm, own = config.llm, own_models(config.llm.models)
    for name in [*(one.name for one in llm.endpoints), *PROVIDERS]:
        provider = provider_named(name, llm)
        if name in {"ollama", "openai-compatible"}:
            continue
        missing = provider.key_variable if provider.key_variable and not environ.get(provider.key_variable) else ""
        known = look_up(provider.catalogue or name, provider.model, own)
        yield _offer(name, provider.model, known, f"set {missing}" if missing else "ready")
    servers = local_servers()
    for server in servers:
        for model in server.models:
            known = look_up(server.provider, model, own)
            yield _offer(server.provider, model, known, f"ready: {server.server} at {server.base_url}")
    if not any(server.provider == "ollama" for server in servers):
        yield _offer("ollama", "", Known(), "does not run on this machine")
    yield from _embedded(config.local, environ)


def findings(directory: Path) -> Iterator[Finding]:
    """Look at everything that a session would need, in the order in which it would need it."""
    system, python = os.uname(), ".".join(map(str, sys.version_info[:3]))
    where = f"{__version__} on Python {python}, {system.sysname} {system.release} {system.machine}"
    yield Finding(about="ferrule", words=where)
    try:
        loaded = load(directory)
    except FerruleError as error:
        yield Finding(about="configuration", words=describe(error), works=False)
        return
    files = ", ".join(str(one.path) for one in loaded.files if one.exists) or "no file; the defaults hold"
    yield Finding(about="configuration", words="\n".join([files, *loaded.warnings]))
    yield _sessions(loaded.config)
    yield _model(loaded.config, directory)
    yield _engine(loaded.config.local)
    program = find_program(directory)
    words = "ripgrep is missing; our own search is slower" if program == BUILT_IN else program[0]
    yield Finding(about="search", words=words)
    yield _program("bash", "commands run in it")
    yield _sandbox(loaded, directory)
    yield _program("git", "it tells the state of a project")


async def ask_once(directory: Path) -> Finding:
    """Ask the model something, to see that it answers."""
    try:
        config = load(directory).config
        model = connect(config.llm, directory=directory, local=config.local).model
        draft, request = Draft(), Request(system="Answer in one word.", tools=(), messages=(said("Say: ready"),))
        await retrying(partial(ask_model, model), attempts=2)(request, draft, lambda _event: None)
    except FerruleError as error:
        return Finding(about="answer", words=describe(error), works=False)
    answer = draft.message()
    words = f"the model says: {answer.text.strip()[:60]}" if answer and answer.text else "the model says nothing"
    return Finding(about="answer", words=words, works=bool(answer))


def _sandbox(loaded: Loaded, directory: Path) -> Finding:
    """What confines commands here, and what was tried before it."""
    with TemporaryDirectory(prefix="ferrule-") as scratch:
        places = places_of(loaded, directory)
        confinement = Confinement(loaded.config.safety, places, outputs=Path(scratch))
        name, why = confinement.sandbox.name, confinement.found.why
    words = {
        "off": "off: commands are not confined",
        "external": "external: something outside confines all of Ferrule, you say",
    }.get(name, f"{name}: commands write to the project alone, and have no network")
    return Finding(about="sandbox", words="\n".join([words, *why]), works=name != "off" or not why)


def _offer(provider: str, model: str, known: Known, state: str) -> Offer:
    _, paid, answer, *_ = known.rates[0] if known.rates else (0, None, None)
    price = f"{paid:g} / {answer or 0:g}" if paid is not None else ""
    profile = profile_for(f"{provider}/{model}") if model else None
    told = f"{state}; {_measured(profile)}" if profile else state
    return Offer(provider=provider, model=model, window=known.window, price=price, state=told)


def _measured(profile: Profile) -> str:
    """What is known of how a model is best asked."""
    how = {"guided": "led by the hand", "unusable": "not usable"}.get(profile.mode, f"calls tools: {profile.mode}")
    return f"{how}, measured {profile.measured}" if profile.measured else how


def _sessions(config: Config) -> Finding:
    own = config.session.storage_path
    place = expand(own) if own else data_home() / "sessions"
    nearest = next(one for one in (place, *place.parents) if one.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return Finding(about="sessions", words=str(place))
    words = f"{place} cannot be written; set session.storage_path to a place that can, or session.auto_save to false."
    if not config.session.auto_save:
        return Finding(about="sessions", words="not kept (session.auto_save)")
    return Finding(about="sessions", words=words, works=False)


def _model(config: Config, directory: Path) -> Finding:
    try:
        connection = connect(config.llm, directory=directory, local=config.local)
    except FerruleError as error:
        return Finding(about="model", words=describe(error), works=False)
    window = f", a window of {connection.known.window:,} tokens" if connection.known.window else ""
    warnings: list[str] = []
    profile = profile_for(connection.model.name, warn=warnings.append)
    more = (connection.note, _measured(profile) if profile else "", *warnings)
    return Finding(about="model", words="\n".join([f"{connection.model.name}{window}", *filter(None, more)]))


def _embedded(local: Embedded, environ: Mapping[str, str]) -> Iterator[Offer]:
    """The embedded models, each with what it still needs, or with what runs it."""
    store, lack = own_store(environ), ""
    try:
        engine = engine_named(local.server, environ)
    except UsageError as error:
        lack = str(error) if local.server else INSTALL
    for one in library(environ).values():
        missing = "" if store.has(one) else f"ferrule models pull {one.name} ({amount(one.size - store.held(one))})"
        yield _offer("local", one.name, Known(), lack or missing or f"ready: {engine}")


def _engine(local: Embedded) -> Finding:
    """Whether embedded models can run, and in what; a machine that has another model needs none."""
    if local.server in {None, BY_PACKAGE} and not is_installed(local.server):
        return Finding(about="engine", words=f"no embedded model can run; if you want one, {INSTALL}")
    if flaw := trouble(local.server):
        return Finding(about="engine", words=flaw, works=False)
    return Finding(about="engine", words=f"embedded models can run, in {engine_named(local.server)}")


def _program(name: str, use: str) -> Finding:
    for place in os.get_exec_path():
        if os.access(path := Path(place) / name, os.X_OK):
            return Finding(about=name, words=str(path))
    return Finding(about=name, words=f"{name} is not installed; {use}.", works=False)
