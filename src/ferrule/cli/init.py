"""`ferrule init`: three questions become the user's configuration; `--project` begins a project's AGENTS.md."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ferrule.cli.sessions import add_directory, directory_of
from ferrule.commands.models import MODES
from ferrule.commands.starter import write_starter
from ferrule.config.edit import user_file
from ferrule.config.files import locked, replace
from ferrule.config.keys import KEYS
from ferrule.config.schema import Config
from ferrule.config.words import in_json, plain
from ferrule.core.errors import UsageError
from ferrule.survey import Offer, offers

_MOST = 12
_OFFERED = [name for name in MODES if name != "yolo"]
_NO_MODEL = """\
No model is ready yet. Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY in your environment, or start Ollama;
Ferrule then finds it by itself. `ferrule models` lists what there is and what is missing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--project", action="store_true", help="write a first AGENTS.md for this project instead")
    parser.add_argument("--yes", action="store_true", help="ask nothing, and take what is usual")
    add_directory(parser, default=None)


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code: 1 where the person left the questions.

    Raises:
        UsageError: there is something already that would be written over, or nobody can be asked.
        FerruleError: it cannot be written.
    """
    if args.project:
        path = write_starter(directory_of(args))
        _print(f"{plain(str(path))} is begun. Read it over; /init in a session lets the model write more of it.")
        return 0
    path = user_file()
    _refuse_if_there(path)
    if not args.yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Nobody can be asked here, since this is no terminal; --yes takes what is usual.")
    ready = [one for one in offers(Config()) if one.state.startswith("ready")]
    values = _usual(ready) if args.yes else _asked(ready)
    if values is None:
        _print("\nNothing was written.")
        return 1
    _write(path, values)
    return 0


def _usual(ready: Sequence[Offer]) -> dict[str, Any]:
    """What is written without being asked; which model is used is found anew each time."""
    if not ready:
        _print(_NO_MODEL)
    return {"safety.mode": KEYS["safety.mode"].default, "session.auto_save": KEYS["session.auto_save"].default}


def _asked(ready: Sequence[Offer]) -> dict[str, Any] | None:
    """What the person says; None where they leave."""
    try:
        return {**_model(ready[:_MOST]), "safety.mode": _mode(), "session.auto_save": _keeps()}
    except EOFError:
        return None


def _model(ready: Sequence[Offer]) -> dict[str, Any]:
    if not ready:
        _print(_NO_MODEL)
        return {}
    _print("Which model is to answer?")
    found = "whichever is found at the time"
    choice = _choose([*(f"{one.provider}/{one.model}" for one in ready), found])
    if choice == len(ready):
        return {}
    return {"llm.provider": ready[choice].provider, "llm.model": ready[choice].model}


def _mode() -> str:
    _print("\nWhat may it do without asking?")
    width = max(map(len, _OFFERED))
    usual = _OFFERED.index(KEYS["safety.mode"].default)
    return _OFFERED[_choose([f"{name:<{width}}  {MODES[name]}" for name in _OFFERED], usual=usual)]


def _keeps() -> bool:
    while True:
        answer = _line("\nAre conversations to be kept on disk, so that you can go on with them? [Y/n] ").lower()
        if answer in {"", "y", "yes", "n", "no"}:
            return answer in {"", "y", "yes"}


def _choose(choices: Sequence[str], *, usual: int = 0) -> int:
    """Let the person choose by number; Enter takes the usual one."""
    for number, choice in enumerate(choices, 1):
        _print(f"  {number}. {plain(choice)}")
    while True:
        answer = _line(f"[{usual + 1}] ")
        if not answer:
            return usual
        if answer.isascii() and answer.isdecimal() and len(answer) < 4 and 0 < int(answer) <= len(choices):
            return int(answer) - 1
        _print(f"A number from 1 to {len(choices)}, or just Enter.")


def _line(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    return answer.strip()


def _write(path: Path, values: dict[str, Any]) -> None:
    """Write a file with the values, each with a word about it."""
    with locked(path.parent):
        _refuse_if_there(path)
        replace(path, _text(values).encode())
    _print(f"{plain(str(path))} is written. `ferrule config` shows all that can be set.")


def _text(values: dict[str, Any]) -> str:
    sections: dict[str, list[str]] = {}
    for name, value in values.items():
        section, _, key = name.rpartition(".")
        line = f"    // {KEYS[name].description}\n    {in_json(key)}: {in_json(value)}"
        sections.setdefault(section, []).append(line)
    between = ",\n"
    inner = (f"  {in_json(section)}: {{\n{between.join(lines)}\n  }}" for section, lines in sections.items())
    return f"{{\n{between.join(inner)}\n}}\n"


def _refuse_if_there(path: Path) -> None:
    if os.path.lexists(path):
        raise UsageError(f"{plain(str(path))} is there already; `ferrule config set KEY VALUE` changes a value in it.")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
