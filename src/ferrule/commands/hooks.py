"""The command about hooks: which programs are run when something happens, and which file says so."""

from collections.abc import Iterator

from ferrule.commands.desk import Desk, Reply, configuration, refuse_words
from ferrule.commands.markdown import bullets, code, table, words
from ferrule.config.keys import KEYS, Key
from ferrule.config.layers import Loaded
from ferrule.config.schema import NO_HOOKS, HookCommand
from ferrule.config.words import plain
from ferrule.session.secrets import mask

_LONGEST = 70
_SECTION = "hooks."


async def hooks(desk: Desk, given: str) -> Reply:
    """List the hooks by their events, each with what it is for and where it is set."""
    refuse_words(given)
    loaded = configuration(desk)
    warnings = [words(one) for one in loaded.warnings if _SECTION in one]
    if loaded.config.hooks == NO_HOOKS:
        events = "\n".join(f"- {code(key.name)}: {words(key.description)}" for key in _keys())
        return Reply(text="\n\n".join(filter(None, ["There are no hooks. They can be set for:", events, *warnings])))
    listing = table(("event", "for", "runs", "from"), _rows(loaded))
    counts = "What is set now counts from the next session on (`/clear` begins one)."
    return Reply(text="\n\n".join(filter(None, [listing, bullets(warnings), counts])))


def _keys() -> Iterator[Key]:
    return (key for key in KEYS.values() if key.name.startswith(_SECTION))


def _rows(loaded: Loaded) -> Iterator[tuple[str, str, str, str]]:
    for key in _keys():
        event = key.name.removeprefix(_SECTION)
        for group in getattr(loaded.config.hooks, event):
            origin = words(loaded.items.get(key.name, {}).get(group, ""))
            for one in group.hooks:
                yield event, code(group.matcher) if group.matcher else "all", _line(one), origin


def _line(command: HookCommand) -> str:
    """What is run, with what is unusual about it."""
    if command.type != "command":
        return f"of type {words(command.type)}, not run here"
    text = plain(" ".join(" ".join((command.command, *command.args)).split()))
    text = mask(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
    notes = [
        f"if {command.condition}" if command.condition else "",
        "once" if command.once else "",
        "in the background" if command.in_background else "",
        "confined" if command.confined else "",
        f"{command.timeout:g} s" if command.timeout else "",
    ]
    told = ", ".join(filter(None, notes))
    return f"{code(text)} ({words(told)})" if told else code(text)
