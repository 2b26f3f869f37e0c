"""Write the generated parts of the documentation anew: `python scripts/reference.py`, or `--check` whether they are.

A page holds them between `<!-- begin NAME -->` and `<!-- end NAME -->`; all else in it is written by hand.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ferrule.cli.main import COMMANDS, command_parser, request_parser
from ferrule.commands.markdown import code, table
from ferrule.commands.table import reference
from ferrule.config.keys import KEYS, Key
from ferrule.config.layers import PREFIX, SHORT_VARIABLES
from ferrule.config.schema import Config, Section, is_section
from ferrule.config.words import in_json, words_for
from ferrule.front.terminal.keys import Actions, bindings_of

PAGES = Path(__file__).parent.parent / "docs"
_PART = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
_WHOSE = {
    True: "You set it, and so may a project.",
    "trusted": "You set it, and so may a project that you trust.",
    False: "Only you set it.",
}
PRESSED: Mapping[str, tuple[tuple[tuple[str, ...], ...], str]] = {
    "Enter": ((("c-m",),), "sends; while completions are shown, takes the chosen one"),
    "Alt+Enter, Ctrl+J": ((("escape", "c-m"), ("c-j",)), "begins a new line; so does Enter behind a `\\`"),
    "Tab": ((("c-i",),), "completes a command, an `@file` or a path"),
    "Up, Down": (
        (("up",), ("down",)),
        "go through the completions, the lines, what waits to be sent, and what was sent before",
    ),
    "Ctrl+R": ((("c-r",),), "searches in what was sent before, in all sessions; again goes on to an older one"),
    "Ctrl+G, Ctrl+X Ctrl+E": ((("c-g",), ("c-x", "c-e")), "opens what is typed in `$VISUAL` or `$EDITOR`"),
    "Esc": ((("escape",),), "closes the completions, leaves a question without a yes, or interrupts what runs"),
    "Esc Esc": (
        (("escape", "escape"),),
        "clears what is typed; with nothing typed, goes back to an earlier message",
    ),
    "Shift+Tab": ((("s-tab",),), "goes on to the next mode: `plan`, `normal`, `auto-edit`, `auto`"),
    "Ctrl+O": ((("c-o",),), "shows the last outputs, or the whole of a question, in `$PAGER`"),
    "Ctrl+T": ((("c-t",),), "shows thoughts whole from now on, or folds them again"),
    "Ctrl+C": ((("c-c",),), "interrupts what runs, or clears what is typed; twice quits"),
    "Ctrl+D": ((("c-d",),), "quits, where nothing is typed"),
    "Ctrl+L": ((("c-l",),), "draws the screen again"),
    "Ctrl+Z": ((("c-z",),), "goes to the background; `fg` comes back"),
    "Backspace": ((("c-h",),), "rubs out a character, or a folded paste as a whole"),
}
"""The keys as a person calls them, as the terminal binds them, and what they do."""
UNNAMED = {("<bracketed-paste>",), ("<any>",)}
"""What is bound and is no key: a paste, and the answers to a question, which the question shows."""


def main() -> None:
    """Write all pages, or complain about those that would change."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="change nothing; fail where a page is not current")
    check = parser.parse_args().check
    stale = []
    for page in sorted(PAGES.glob("*.md")):
        before = page.read_text("utf-8")
        after = _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[3]}", before)
        if after != before:
            stale.append(page.name)
            if not check:
                page.write_text(after, "utf-8")
    if check and stale:
        sys.exit(f"Not current: {', '.join(stale)}; `make docs` writes them anew.")


def configuration() -> str:
    """Every key, section by section."""
    return "\n".join(_section(Config, ""))


def _section(section: type[Section], prefix: str) -> Iterator[str]:
    for name, annotation in section.__annotations__.items():
        dotted = f"{prefix}{name}"
        if is_section(annotation):
            yield f"## {dotted}\n\n{annotation.__doc__}\n"
            yield from _section(annotation, f"{dotted}.")
        else:
            yield _key(KEYS[dotted])


def _key(key: Key) -> str:
    each = f"a list; each item {words_for(key.item)}" if key.item is not None else words_for(key.type)
    others = [f"{code(other)} for {code(value)}" for other, value in key.aliases.items()]
    facts = [
        f"Takes {each}.{f' Also understood: {_listed(others)}.' if others else ''}",
        f"By default {code(in_json(key.default))}.",
        f"In the environment {_listed(map(code, variables(key.name)))}.",
        _WHOSE[key.project],
    ]
    return "\n".join([f"### `{key.name}`\n", f"{key.description}\n", *(f"- {fact}" for fact in facts), ""])


def variables(name: str) -> list[str]:
    """The variables of the environment that set a key."""
    short = [variable for variable, key in SHORT_VARIABLES.items() if key == name]
    return [PREFIX + name.upper().replace(".", "_"), *short]


def command_line() -> str:
    """What `ferrule` takes, and what each of its commands does."""
    parts = [table(("Option", "What it does"), _rows(request_parser())), "\n## The commands\n"]
    for name in COMMANDS:
        parser, _ = command_parser(name)
        rows = list(_rows(parser))
        parts.append(f"### `ferrule {name}`\n\n{parser.description}\n")
        parts.append(f"{table((f'ferrule {name} …', 'What it does'), rows)}\n" if rows else "")
    return "\n".join(parts).rstrip() + "\n"


def _rows(parser: argparse.ArgumentParser, known: Iterable[str] = (), before: str = "") -> Iterator[tuple[str, str]]:
    """What a parser takes, row by row; of its actions only the options that are not known from above."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {one.dest: one.help for one in action._choices_actions}  # noqa: SLF001
            above = [name for one in parser._actions for name in one.option_strings]  # noqa: SLF001
            for name, inner in action.choices.items():
                if name not in helps:  # another name of one that was told
                    continue
                words = [one for one in inner._actions if not one.option_strings]  # noqa: SLF001
                told = "; ".join(f"{_names(one)[0]}: {one.help}" for one in words if one.help)
                yield code(" ".join([name, *(_names(one)[0] for one in words)])), f"{helps[name]}; {told}".rstrip("; ")
                yield from _rows(inner, above, f"{name} ")
        elif (action.option_strings or not before) and not {*action.option_strings} & {*known, "--help"}:
            yield ", ".join(code(f"{before}{name}") for name in _names(action)), str(action.help)


def _names(action: argparse.Action) -> list[str]:
    """How an option or a word is written, with what it takes."""
    taken = str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper())
    if not action.option_strings:
        return [f"[{taken}]" if action.nargs in {"?", "*"} else f"{taken}…" if action.nargs == "+" else taken]
    value = "" if action.nargs == 0 else f" [{taken}]" if action.nargs == "?" else f" {taken}"
    return [f"{name}{value}" for name in action.option_strings]


def keyboard() -> str:
    """What each key does at the terminal.

    Raises:
        ValueError: a key is bound and not described, or described and not bound.
    """
    bound = {tuple(_spelt(key) for key in one.keys) for one in bindings_of(_nobody()).bindings} - UNNAMED
    told = {sequence for sequences, _ in PRESSED.values() for sequence in sequences}
    if bound != told:
        raise ValueError(f"PRESSED does not fit the keys of the terminal: {sorted(bound ^ told)}")
    return table(("Key", "What it does"), ((key, does) for key, (_, does) in PRESSED.items())) + "\n"


def _nobody() -> Any:
    """Actions that nothing is done with: the keys are only looked at."""
    return SimpleNamespace(**{name: lambda *_: None for name in vars(Actions) if not name.startswith("_")})


def _spelt(key: object) -> str:
    return str(getattr(key, "value", key)).lower()


def _listed(words: Iterable[str]) -> str:
    return " or ".join(words)


PARTS: Mapping[str, Callable[[], str]] = {
    "keys": configuration,
    "slash": reference,
    "options": command_line,
    "keyboard": keyboard,
}
"""What the pages can hold, by its name."""

if __name__ == "__main__":
    main()
