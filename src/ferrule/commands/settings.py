"""Commands about the configuration: its values with their origins, the rules, trust."""

import asyncio
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import msgspec

from ferrule.commands.desk import Desk, Reply, configuration
from ferrule.commands.markdown import bullets, code, table, words
from ferrule.config import projects
from ferrule.config.edit import store, user_file
from ferrule.config.keys import KEYS, SECTIONS, Key, unknown
from ferrule.config.layers import Loaded
from ferrule.config.schema import OwnEndpoint
from ferrule.config.trust import Fingerprint, fingerprint, standing
from ferrule.config.trust import trust as trust_as_seen
from ferrule.config.words import bare_type, in_json, plain, words_for
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.regex import lazy
from ferrule.lab import Judgement, Lab, RuleSet
from ferrule.session.secrets import mask

_PASSWORD = lazy(r"(?<=://)[^/@\s]*@")
_LONGEST = 60
_LISTS = {"deny": "never runs", "ask": "always asks", "allow": "runs unasked"}


async def config(desk: Desk, given: str) -> Reply:
    """Show the configuration, one section or key of it, or set a key in the user's own file."""
    name, _, value = given.strip().partition(" ")
    if name and name not in KEYS and name not in SECTIONS:
        raise UsageError(unknown(name))
    if not value.strip():
        loaded = configuration(desk)
        return Reply(text=_one(KEYS[name], loaded) if name in KEYS else _listing(name, loaded))
    if name not in KEYS:
        raise UsageError(unknown(name))
    return _set(desk, KEYS[name], value.strip())


def config_words(desk: Desk, given: str) -> list[str]:
    """The keys and sections, or the values that a key takes."""
    name, blank, _ = given.lstrip().partition(" ")
    if not blank:
        return [*SECTIONS, *KEYS]
    return list(_values_of(KEYS[name], desk)) if name in KEYS else []


def _values_of(key: Key, desk: Desk) -> Iterator[str]:
    kinds = [bare_type(one) for one in (key.type, *get_args(bare_type(key.type)))]
    for kind in kinds:
        if get_origin(kind) is Literal:
            yield from get_args(kind)
    if bool in kinds:
        yield from ("true", "false")
    if type(None) in kinds:
        yield "null"
    try:
        now = value_of(configuration(desk), key)
    except FerruleError:
        return
    if isinstance(now, int | float) and not isinstance(now, bool):
        yield in_json(now)


def _listing(section: str, loaded: Loaded) -> str:
    keys = [key for key in KEYS.values() if not section or key.name.startswith(f"{section}.")]
    rows = [(code(key.name), code(_short(_shown(loaded, key))), _origin(loaded, key)) for key in keys]
    warnings = bullets(words(one) for one in loaded.warnings)
    return "\n\n".join(filter(None, [table(("key", "value", "from"), rows), warnings]))


def _one(key: Key, loaded: Loaded) -> str:
    facts = [f"now {code(_shown(loaded, key))}, from {_origin(loaded, key)}", f"takes {words(words_for(key.type))}"]
    facts.append(f"by default {code(in_json(key.default))}")
    return f"{code(key.name)}: {words(key.description)}\n\n{bullets(facts)}"


def _set(desk: Desk, key: Key, value: str) -> Reply:
    fitting = key.fit(key.read(value))
    path = user_file()
    line = store(path, key.name, fitting)
    place = f"{plain(str(path))}:{line}"
    text = f"{code(key.name)} is now {code(_discreet_text(fitting))} in {code(place)}."
    if hint := _NOW.get(key.name):
        return Reply(text=f"{text} It holds from the next session on; {hint} changes it now.")
    origin = configuration(desk).origins[key.name]
    if key.item is None and origin != place:
        return Reply(text=f"{text} Here it still comes from elsewhere: {words(origin)}.")
    if key.name.startswith("ui."):
        return Reply(text=f"{text} It holds when Ferrule is started again.")
    return Reply(text=f"{text} It holds from the next session on (`/clear` begins one).")


_NOW = {"safety.mode": "`/mode`", "llm.model": "`/model`", "llm.provider": "`/provider`"}


def value_of(loaded: Loaded, key: Key) -> Any:
    """The value of a key, without what a server of the user's own is told in confidence."""
    value: Any = loaded.config
    for part in key.name.split("."):
        value = getattr(value, part)
    if key.name == "llm.endpoints":
        return tuple(_discreet(one) for one in value)
    return value


def _discreet(endpoint: OwnEndpoint) -> OwnEndpoint:
    headers = tuple(f"{header.partition(':')[0]}: [masked]" for header in endpoint.headers)
    return msgspec.structs.replace(endpoint, headers=headers)


def _discreet_text(value: Any) -> str:
    if isinstance(value, tuple) and any(isinstance(one, OwnEndpoint) for one in value):
        value = tuple(_discreet(one) if isinstance(one, OwnEndpoint) else one for one in value)
    return _PASSWORD.sub("[masked]@", mask(in_json(value)))


def _shown(loaded: Loaded, key: Key) -> str:
    return _discreet_text(value_of(loaded, key))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _origin(loaded: Loaded, key: Key) -> str:
    origin = loaded.origins[key.name]
    return origin if origin == "default" else words(origin)


async def permissions(desk: Desk, given: str) -> Reply:
    """Show the mode and the rules with their origins, or say what would happen with a command."""
    action, _, rest = given.strip().partition(" ")
    if not action:
        return Reply(text=await asyncio.to_thread(_rules, desk))
    if action != "explain" or not rest.strip():
        raise UsageError("It is /permissions, or /permissions explain COMMAND.")
    judged = await asyncio.to_thread(_judged, desk, rest.strip())
    return Reply(text=_explained(judged))


def permission_words(_desk: Desk, given: str) -> list[str]:
    """What can be asked of it."""
    return [] if " " in given.lstrip() else ["explain"]


def _rules(desk: Desk) -> str:
    loaded = configuration(desk)
    rows = [
        (name, code(rule), words(loaded.items.get(f"safety.{name}", {}).get(rule, "")))
        for name in _LISTS
        for rule in getattr(loaded.config.safety, name)
    ]
    kept = {rule for _, rule, _ in rows}
    said = [rule for rule in desk.session.said_always if code(rule) not in kept]
    rows += [("allow", code(rule), "you, in this session") for rule in said]
    rows += [("allow", code(rule), "command line") for rule in desk.options.allowed]
    rows += [("off", code(rule), "command line") for rule in desk.options.disabled]
    meaning = "; ".join(f"*{name}*: {told}" for name, told in _LISTS.items())
    rules = table(("list", "rule", "from"), rows) + f"\n\n{meaning}. A denial wins over all else."
    sandbox = desk.session.sandbox
    confined = "nothing confines commands" if sandbox == "off" else f"commands are confined by {code(sandbox)}"
    head = f"The mode is {code(desk.session.mode)}; {confined}."
    return f"{head}\n\n{rules if rows else 'There are no rules of your own.'}"


def _judged(desk: Desk, command: str) -> Judgement:
    rules = RuleSet(allow=(*desk.options.allowed, *desk.session.said_always))
    return Lab(desk.options.directory, mode=desk.session.mode, rules=rules).judge_command(command)


def _explained(judged: Judgement) -> str:
    facts = [f"decided by: {words(judged.rule)}"]
    facts += [f"runs {code(part)}" for part in judged.parts]
    facts += [f"“always” would add {code(rule)}" for rule in judged.always]
    facts += ["it would have the network"] if judged.network else []
    facts += [f"writes outside the project: {code(str(path))}" for path in judged.outside]
    return f"**{judged.decision}**: {words(judged.reason or 'it only reads')}\n\n{bullets(facts)}"


async def trust(desk: Desk, given: str) -> Reply:
    """Show what the project brings along that could steer Ferrule, trust it as it is, or trust it no longer."""
    directory, asked = desk.session.directory, given.strip()
    if asked not in {"", *TRUST_OPTIONS}:
        raise UsageError("It is /trust, /trust --yes or /trust --revoke.")
    if asked == "--revoke":
        was = projects.revoke(directory)
        return Reply(text=f"It {'is trusted no longer' if was else 'was not trusted'}.")
    seen = await asyncio.to_thread(fingerprint, directory)
    stands = await asyncio.to_thread(standing, directory)
    if asked and not stands.trusted:
        trust_as_seen(directory, seen)
        return Reply(text="It is trusted now; its settings count from the next session on (`/clear` begins one).")
    return Reply(text=_brought(seen, trusted=stands.trusted, changed=stands.changed))


TRUST_OPTIONS = ("--yes", "--revoke")


def trust_words(_desk: Desk, _given: str) -> list[str]:
    """What can be asked of it."""
    return list(TRUST_OPTIONS)


def _brought(seen: Fingerprint, *, trusted: bool, changed: tuple[str, ...]) -> str:
    state = "trusted" if trusted else "changed since you trusted it" if changed else "not trusted"
    if not seen.files:
        return f"This project is {state}. Nothing in it could steer Ferrule or be run by it unasked."
    rows = [
        ("changed" if item.name in changed else "", code(item.name), words(first))
        for item in seen.files
        for first in item.effect.split("\n")
    ]
    how = "" if trusted else "\n\n`/trust --yes` trusts it, until one of these changes."
    return f"This project is {state}.\n\n{table(('', 'file', 'what it could do'), rows)}{how}"
