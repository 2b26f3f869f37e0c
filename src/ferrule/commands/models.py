"""Commands about what answers and what it may use: model, provider, mode, tools."""

import asyncio
from contextlib import suppress

from ferrule.commands.desk import Desk, Reply, configuration, refuse_words
from ferrule.commands.markdown import bullets, code, table, words
from ferrule.config.schema import MODE_ALIASES, UNASKED, Llm
from ferrule.config.words import nearest
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.messages import Assistant
from ferrule.llm.local.library import library
from ferrule.llm.providers import PROVIDERS
from ferrule.session.session import Session
from ferrule.survey import Offer, offers

MODES = {
    "plan": "only reads; ends with a plan",
    "normal": "edits and commands ask, reading does not",
    "auto-edit": "edits in the project run, commands ask",
    "auto": "edits run, and commands run inside the sandbox",
    "yolo": "nothing asks; what is denied stays denied",
}
_LONGEST = 90


async def model(desk: Desk, given: str) -> Reply:
    """Go on with another model of the same provider, or say which one it is."""
    if not given.strip():
        ways = "`/model NAME` takes another, `/provider list` shows what there is."
        return Reply(text=f"The model is {code(desk.session.model)}. {ways}")
    return Reply(text=words(desk.session.switch(model=given.strip())))


async def provider(desk: Desk, given: str) -> Reply:
    """Go on with another provider, list them, or say which one it is."""
    name, _, rest = given.strip().partition(" ")
    if name in {"", "current"}:
        return Reply(text=f"The model is {code(desk.session.model)}.")
    if name == "list":
        return Reply(text=await asyncio.to_thread(_offered, desk))
    return Reply(text=words(desk.session.switch(name, rest.strip() or None)))


def _offered(desk: Desk) -> str:
    rows = [_cells(one) for one in offers(configuration(desk).config)]
    return table(("provider", "model", "window", "$ a million", "state"), rows, right=(2,))


def _cells(offer: Offer) -> tuple[str, ...]:
    window = f"{offer.window:,}" if offer.window else ""
    return (code(offer.provider), code(offer.model) if offer.model else "", window, offer.price, words(offer.state))


def provider_names(desk: Desk, given: str) -> list[str]:
    """The providers that are known by name, or the models that the named one has."""
    endpoints = {one.name: one.model for one in _llm(desk).endpoints}
    usual = {**{name: one.model for name, one in PROVIDERS.items()}, **endpoints}
    name, blank, _ = given.lstrip().partition(" ")
    if blank and name == "local":
        return _embedded()
    if blank:
        return [usual[name]] if usual.get(name) else []
    return [*endpoints, *PROVIDERS, "local", "list", "current"]


def model_names(desk: Desk, _given: str) -> list[str]:
    """The models that were used, that the user has told of, and the usual one of the provider."""
    used = [one.model for one in desk.session.history.messages if isinstance(one, Assistant)]
    here = desk.session.model.partition("/")[0]
    usual = PROVIDERS[here].model if here in PROVIDERS else ""
    named = [name.removeprefix(f"{here}/") for name in (desk.session.model, *used) if name.startswith(f"{here}/")]
    llm = _llm(desk)
    own = [one.model for one in llm.endpoints if one.name == here]
    own += _embedded() if here == "local" else []
    return [name for name in dict.fromkeys([*named, usual, *own, *(one.name for one in llm.models)]) if name]


def _embedded() -> list[str]:
    """The embedded models; none where the user's own list has errors, which are told elsewhere."""
    try:
        return [*library()]
    except FerruleError:
        return []


def _llm(desk: Desk) -> Llm:
    """What is configured; nothing where that has errors, which are told elsewhere."""
    try:
        return configuration(desk).config.llm
    except FerruleError:
        return Llm()


async def mode(desk: Desk, given: str) -> Reply:
    """Judge calls by another mode, or say which one it is."""
    name = given.strip()
    if not name:
        rows = [("→" if one == desk.session.mode else "", code(one), told) for one, told in MODES.items()]
        return Reply(text=table(("", "mode", "what it means"), rows))
    wanted = MODE_ALIASES.get(name, name)
    if wanted not in MODES:
        near = nearest(name, (*MODES, *MODE_ALIASES))
        raise UsageError(f"There is no mode {name[:40]}; there is {near or ', '.join(MODES)}.")
    desk.session.change_mode(wanted)
    free = wanted in UNASKED and desk.session.sandbox == "off"
    warning = " Nothing confines commands here, since the sandbox is off." if free else ""
    return Reply(text=f"The mode is {code(wanted)} now: {MODES[wanted]}.{warning}")


def keep_mode(session: Session, mode: str) -> None:
    """Go on in the mode that the person had chosen before, where it can be had."""
    with suppress(FerruleError):
        if session.mode != mode:
            session.change_mode(mode)


def mode_names(_desk: Desk, _given: str) -> list[str]:
    """The modes."""
    return list(MODES)


async def tools(desk: Desk, given: str) -> Reply:
    """List what the model can call."""
    refuse_words(given)
    told = {name: _first_sentence(tool.spec.description) for name, tool in desk.session.agent.tools.items()}
    rows = [(code(name), words(what, _LONGEST)) for name, what in told.items()]
    return Reply(text=table(("tool", "what it does"), rows) if rows else "The model has no tools.")


async def reload_tools(desk: Desk, given: str) -> Reply:
    """Look for the external tools anew, and say what came, went, changed or does not work."""
    refuse_words(given)
    found = await desk.session.reload_tools()
    told = [("came", found.came), ("went", found.went), ("changed", found.changed)]
    facts = [f"{what}: {', '.join(map(code, names))}" for what, names in told if names]
    lines = [bullets([*facts, *map(words, found.problems)])] if facts or found.problems else []
    if facts:
        return Reply(text="\n\n".join([*lines, _COST]))
    return Reply(text="\n\n".join(["The tools are the same as before.", *lines]))


_COST = "The model reads its tools before all else, so the next request finds nothing in its cache and costs the whole."


def _first_sentence(text: str) -> str:
    return text.strip().split("\n\n")[0].split(". ")[0].rstrip(".")
