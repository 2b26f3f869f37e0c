"""From a name to a model: which provider, which endpoint, which key; imports only the one wire format that it needs."""

import difflib
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import msgspec

from ferrule.config.schema import Embedded, Llm, OwnModel
from ferrule.core.errors import UsageError
from ferrule.core.model import Model
from ferrule.llm.catalog import Known, look_up
from ferrule.llm.detect import Found, local_servers
from ferrule.llm.endpoint import Endpoint, Secret, Settings, Transport
from ferrule.llm.providers import OTHER_NAMES, PROVIDERS, Provider, quirks_of

NO_MODEL = """No model is set, no key is in the environment,
and no model server runs on this machine. The shortest ways to one:

  export ANTHROPIC_API_KEY=…
      or OPENAI_API_KEY, OPENROUTER_API_KEY, GEMINI_API_KEY …; then start again
  pip install '.[local]' && ferrule models pull
      in a clone of Ferrule: a small model that it runs itself, without a key
  ollama pull qwen3 && ollama serve
      a model on your own machine; it is found by itself
  ferrule -P openai-compatible --endpoint http://HOST:PORT/v1 -m NAME
      any other server

`ferrule models` lists what there is and what is missing."""

_CLASSES = {
    "anthropic": ("ferrule.llm.anthropic", "Anthropic"),
    "openai_chat": ("ferrule.llm.openai_chat", "OpenAIChat"),
    "openai_responses": ("ferrule.llm.openai_responses", "OpenAIResponses"),
    "ollama": ("ferrule.llm.ollama", "Ollama"),
}
_LONG_ANSWER = 32_000
_MOST_OTHERS = 40
HELD: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "openai_chat": lambda schema: {
        "response_format": {"type": "json_schema", "json_schema": {"name": "step", "schema": schema, "strict": False}}
    },
    "openai_responses": lambda schema: {
        "text": {"format": {"type": "json_schema", "name": "step", "schema": schema, "strict": False}}
    },
    "ollama": lambda schema: {"format": schema},
}
"""How each wire format says that an answer is to be held to a schema."""
COPIED: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "openai_chat": lambda text: {
        "grammar": f"root ::= {msgspec.json.encode(text).decode()}",
        "logprobs": True,
        "top_logprobs": _MOST_OTHERS,
    },
}
"""How llama.cpp's server is told to let a model write just this text, and to say what else it would have written."""
NOT_IN_THE_TABLE = ("local", "replay", "apple")
"""Providers that are no servers of somebody else's."""
_OLDER_ANSWER = 8_192
_OLLAMA_WINDOW = 32_768
"""What Ollama is told where nobody says more: its own default would cut off the tools."""


Say = Callable[[str], None]
"""Tells the person what an answer waits for."""


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """A model that is ready, and what is known of it."""

    model: Model
    provider: str
    known: Known = Known()
    note: str = ""
    """What was chosen where nobody had said, in one line."""
    sees: bool = False
    """Whether pictures make sense to it."""
    answer: int = 0
    """How many tokens an answer may take; 0 where nobody said."""
    tool_mode: Literal["native", "text", "schema", "guided"] = "native"
    """How it is given its tools, where nobody says otherwise."""
    at: Callable[[float], Model] | None = None
    """Makes the same model at another temperature."""
    constrain: Callable[[dict[str, Any]], Model] | None = None
    """Makes the same model with its answers held to a JSON schema, where its server can do that."""
    copying: Callable[[str], Model] | None = None
    """Makes the same model copy a text, each piece with what else it could have been, where its server can do that."""


class _Choice(msgspec.Struct, frozen=True, kw_only=True):
    provider: str
    model: str = ""
    base_url: str = ""
    note: str = ""


def connect(
    llm: Llm,
    *,
    directory: Path,
    local: Embedded = Embedded(),  # noqa: B008 - it is frozen
    say: Say = lambda _: None,
    environ: Mapping[str, str] = os.environ,
) -> Connection:
    """Make the model that was asked for, or find one; `say` is told what its first answer waits for.

    Raises:
        UsageError: there is no such provider, or it needs something that is not set.
        MissingWeightsError: it is an embedded model that is not here yet.
        ConfigError: the user's own list of embedded models cannot be read.
    """
    choice = _chosen(llm, local, environ)
    if choice.provider == "local":
        link: Any = import_module("ferrule.llm.local.link")
        patience = transport_of(llm.timeout_seconds, is_local=True)
        embedded: Connection = link.connection(
            choice.model, llm, local, transport=patience, say=say, note=choice.note, environ=environ
        )
        return embedded
    if choice.provider == "replay":
        return _replay(choice.model, directory)
    if choice.provider == "apple":
        module: Any = import_module("ferrule.llm.apple")
        return Connection(model=module.Apple(), provider="apple", known=Known(window=module.WINDOW), tool_mode="text")
    provider = provider_named(choice.provider, llm)
    base_url = llm.endpoint or choice.base_url or _moved(provider, environ) or provider.base_url
    if not base_url:
        raise UsageError(f"The provider {choice.provider} needs an address: --endpoint http://HOST:PORT/v1.")
    endpoint = Endpoint(
        provider=choice.provider,
        base_url=base_url,
        wire=llm.wire or provider.wire,
        api_key=_key(choice.provider, provider, base_url, environ),
        key_variable=provider.key_variable,
        headers=provider.headers,
        quirks=quirks_of(provider, choice.model or provider.model),
        transport=transport_of(llm.timeout_seconds, is_local=provider.local),
    )
    name = choice.model or provider.model or _only_model(endpoint)
    known = look_up(provider.catalogue or choice.provider, name, own_models(llm.models))
    settings = Settings(
        model=name,
        max_tokens=llm.max_tokens or _longest_answer(endpoint, known.window),
        temperature=llm.temperature,
        effort=llm.effort,
        context=known.window or (_OLLAMA_WINDOW if endpoint.wire == "ollama" else None),
    )
    module_name, class_name = _CLASSES[endpoint.wire]
    wire: Any = getattr(import_module(module_name), class_name)
    if settings.context and not known.window:
        known = msgspec.structs.replace(known, window=settings.context)
    sees = endpoint.wire != "ollama" and not provider.local

    def constrain(schema: dict[str, Any]) -> Model:
        extra = settings.extra | HELD[endpoint.wire](schema)
        held: Model = wire(endpoint, msgspec.structs.replace(settings, extra=extra))
        return held

    def copying(text: str) -> Model:
        extra = settings.extra | COPIED[endpoint.wire](text)
        copied: Model = wire(endpoint, msgspec.structs.replace(settings, temperature=0.0, extra=extra))
        return copied

    def at(temperature: float) -> Model:
        warmed: Model = wire(endpoint, msgspec.structs.replace(settings, temperature=temperature))
        return warmed

    return Connection(
        model=wire(endpoint, settings),
        at=at,
        provider=choice.provider,
        known=known,
        note=choice.note,
        sees=sees,
        answer=settings.max_tokens or 0,
        constrain=constrain if endpoint.wire in HELD else None,
        copying=copying if endpoint.wire in COPIED else None,
    )


def provider_named(name: str, llm: Llm) -> Provider:
    """A provider by its name: the user's own endpoints first.

    Raises:
        UsageError: there is none.
    """
    for own in llm.endpoints:
        if own.name == name:
            headers = dict(line.split(":", 1) for line in own.headers if ":" in line)
            return Provider(
                base_url=own.base_url,
                wire=own.wire,
                key_variable=own.key_variable,
                model=own.model,
                headers={key.strip(): value.strip() for key, value in headers.items()},
                local=not own.key_variable,
            )
    if name in PROVIDERS:
        return PROVIDERS[name]
    names = [*PROVIDERS, *NOT_IN_THE_TABLE, *(own.name for own in llm.endpoints)]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
    raise UsageError(f"There is no provider {name}; there {'is ' + near[0] if near else 'are ' + ', '.join(names)}.")


def own_models(entries: tuple[OwnModel, ...]) -> dict[str, Known]:
    """What the user knows of models, as the catalogue would say it."""
    return {
        one.name: Known(window=one.window, rates=((0, one.input, one.output, one.cache_read, one.cache_write),))
        for one in entries
    }


def _chosen(llm: Llm, local: Embedded, environ: Mapping[str, str]) -> _Choice:
    """What the configuration says; else a key in the environment, a server on this machine, the embedded model."""
    names = {*PROVIDERS, *OTHER_NAMES, *NOT_IN_THE_TABLE, *(own.name for own in llm.endpoints)}
    if llm.provider:
        return _Choice(provider=OTHER_NAMES.get(llm.provider, llm.provider), model=llm.model or "")
    if llm.model:
        first, _, rest = llm.model.partition("/")
        if rest and first in names:
            return _Choice(provider=OTHER_NAMES.get(first, first), model=rest)
        if llm.endpoint:
            return _Choice(provider="openai-compatible", model=llm.model)
        return _maker_of(llm.model, environ)
    for name, provider in PROVIDERS.items():
        if provider.key_variable and environ.get(provider.key_variable) and provider.model:
            note = f"Using {name}/{provider.model}, since {provider.key_variable} is set."
            return _Choice(provider=name, note=note)
    for found in local_servers():
        if found.models:
            return _found(found)
    link: Any = import_module("ferrule.llm.local.link")
    if name := link.at_hand(local, environ):
        note = f"Using the embedded model {name}, since no key is set and no model server runs here."
        return _Choice(provider="local", model=name, note=note)
    raise UsageError(NO_MODEL)


def _found(found: Found) -> _Choice:
    note = f"Using {found.models[0]} of {found.server} at {found.base_url}."
    return _Choice(provider=found.provider, model=found.models[0], base_url=found.base_url, note=note)


def _maker_of(model: str, environ: Mapping[str, str]) -> _Choice:
    """Who makes a model that was named without its provider: whoever has it and a key first."""
    makers = [name for name, one in PROVIDERS.items() if look_up(one.catalogue or name, model) != Known()]
    for name in makers:
        if environ.get(PROVIDERS[name].key_variable):
            return _Choice(provider=name, model=model)
    if makers:
        return _Choice(provider=makers[0], model=model)
    for found in local_servers():
        if model in found.models:
            return _Choice(provider=found.provider, model=model, base_url=found.base_url)
    link: Any = import_module("ferrule.llm.local.link")
    if link.is_embedded(model, environ):
        return _Choice(provider="local", model=model)
    raise UsageError(f"It is not known who has the model {model}: say it with -P PROVIDER.")


def transport_of(seconds: float, *, is_local: bool) -> Transport:
    """How long to wait; a model on one's own machine may read a long prompt for minutes before it says anything."""
    return Transport(first_byte=seconds * 5 if is_local else seconds, stall=seconds)


def _longest_answer(endpoint: Endpoint, window: int | None) -> int | None:
    """How long an answer may be, where that must be said; it shares the window with the conversation."""
    if endpoint.wire != "anthropic":
        return None
    most = _LONG_ANSWER if endpoint.quirks.adaptive_thinking else _OLDER_ANSWER
    return min(most, window // 4) if window else most


def _moved(provider: Provider, environ: Mapping[str, str]) -> str:
    """Where an environment variable moves the base URL to."""
    url = environ.get(provider.url_variable, "") if provider.url_variable else ""
    if not url or "://" in url:
        return url
    host, _, port = url.partition(":")
    return f"http://{host.replace('0.0.0.0', '127.0.0.1') or '127.0.0.1'}:{port or 11434}"  # noqa: S104


def _key(name: str, provider: Provider, base_url: str, environ: Mapping[str, str]) -> Secret | None:
    value = environ.get(provider.key_variable, "") if provider.key_variable else ""
    if value.strip():
        return Secret(value.strip())
    if provider.local or not provider.key_variable or base_url != provider.base_url:
        return None
    raise UsageError(f"The provider {name} needs a key: set {provider.key_variable} in your environment.")


def _only_model(endpoint: Endpoint) -> str:
    """The model of a server on this machine, where none was named."""
    for found in local_servers():
        if endpoint.base_url.rstrip("/").removesuffix("/v1") == found.base_url and found.models:
            return found.models[0]
    raise UsageError(f"Which model of {endpoint.provider}? Name it: -m NAME.")


def _replay(model: str, directory: Path) -> Connection:
    if not model:
        raise UsageError("The provider replay needs the file with the replies: -m FILE.")
    script: Any = import_module("ferrule.llm.script")
    path = directory / Path(model).expanduser()
    replies = script.load_script(path)
    return Connection(model=script.Scripted(replies, name=f"replay/{path.name}", remember=False), provider="replay")
