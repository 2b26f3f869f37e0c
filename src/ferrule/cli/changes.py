"""`ferrule undo`, `redo`, `rewind` and `diff`: what a session changed, taken back, made again, shown."""

import argparse
import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NamedTuple, TypeVar

from ferrule.cli.sessions import add_directory, directory_of, show
from ferrule.front.export.harmless import harmless
from ferrule.past import past_changes
from ferrule.session.changes import Changes, Restored

CONFLICT = 1
Result = TypeVar("Result")


class Command(NamedTuple):
    """A sub-command: what it takes, and what it does."""

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="by number, name or id; without it, the last of the directory")
    add_directory(parser, default=None)


def _add_steps(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--steps", type=_positive, default=1, metavar="N", help="how many; 1 by default")
    _add_common(parser)


def _add_rewind(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", type=int, required=True, metavar="MESSAGE_NUMBER", help="the message to go back to")
    parser.add_argument("--files", action="store_true", help="only the files")
    parser.add_argument("--chat", action="store_true", help="only the conversation")
    parser.add_argument("--preview", action="store_true", help="show what would change, and change nothing")
    _add_common(parser)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _undo(args: argparse.Namespace) -> int:
    return _report("Undid", _with_changes(args, lambda changes: changes.undo(args.steps)))


def _redo(args: argparse.Namespace) -> int:
    return _report("Redid", _with_changes(args, lambda changes: changes.redo(args.steps)))


def _rewind(args: argparse.Namespace) -> int:
    both = args.files == args.chat
    if args.preview:
        restored = _with_changes(args, lambda changes: changes.preview(args.to))
        return _report("Would undo", restored, files=both or args.files, chat=both or args.chat)
    files, chat = both or args.files, both or args.chat
    restored = _with_changes(args, lambda changes: changes.rewind(args.to, files=files, chat=chat))
    return _report("Undid", restored, files=files, chat=chat)


def _diff(args: argparse.Namespace) -> int:
    text = _with_changes(args, lambda changes: changes.diff())
    show(harmless(text) if text else "This session changed nothing that still stands.\n")
    return 0


def _with_changes(args: argparse.Namespace, do: Callable[[Changes], Coroutine[Any, Any, Result]]) -> Result:
    with past_changes(directory_of(args), args.session) as changes:
        return asyncio.run(do(changes))


def _report(did: str, restored: Restored, *, files: bool = True, chat: bool = False) -> int:
    """Say what happened, file by file; gives 1 where something could not be taken back."""
    show("".join(f"{harmless(line)}\n" for line in _lines(did, restored, files=files, chat=chat)))
    return CONFLICT if files and (restored.conflicts or restored.left_out) else 0


def _lines(did: str, restored: Restored, *, files: bool, chat: bool) -> Iterator[str]:
    if files:
        steps = ", ".join(map(str, restored.steps))
        yield f"{did} step{'s' * (len(restored.steps) > 1)} {steps}." if steps else "No step to undo."
        whole = (one for one in restored.changed if one.path not in restored.merged)
        yield from (f"  {one.kind:<9} {one.path}{f' (was {one.was})' if one.was else ''}" for one in whole)
        yield from (f"  merged    {path} (changed in the meantime; both changes are in)" for path in restored.merged)
        yield from (f"  conflict  {one.path}: {one.why}; it was left as it is" for one in restored.conflicts)
        yield from (f"  left out  {one.path}: {one.why}" for one in restored.left_out)
    if chat and restored.messages is not None:
        goes = "would go" if did.startswith("Would") else "goes"
        yield f"The conversation {goes} on after message {restored.messages}."


undo = Command(_add_steps, _undo)
redo = Command(_add_steps, _redo)
rewind = Command(_add_rewind, _rewind)
diff = Command(_add_common, _diff)
