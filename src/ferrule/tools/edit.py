"""Replace a piece of a file; every other byte of it stays as it is."""

import asyncio
from typing import Annotated

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import digest, missing, resolve
from ferrule.host.machine import Host
from ferrule.host.text import decode
from ferrule.tools.diff import Change, splice, unified
from ferrule.tools.display import count, shown
from ferrule.tools.fit import fitted
from ferrule.tools.match import Match, Page, locate
from ferrule.tools.nearest import nearest
from ferrule.tools.schema import Parameters, TypedTool

_LISTED = 20
_TELLING = 8
"""A new string shorter than this stands in many a file."""


class EditParameters(Parameters, frozen=True, kw_only=True):
    """What to replace, by what, and where."""

    file_path: str
    old_string: Annotated[str, msgspec.Meta(description="exact text, occurring once")]
    new_string: str
    replace_all: bool = False


class Edit(TypedTool[EditParameters]):
    """The `edit` tool."""

    name = "edit"
    parameters = EditParameters

    def effects(self, args: EditParameters) -> tuple[Effect, ...]:
        """It writes the file."""
        return (Effect("write", args.file_path),)

    async def run(self, args: EditParameters, context: ToolContext[Host]) -> Output:
        """Edit the file, off the event loop: disks can be slow."""
        return Output(await asyncio.to_thread(_edit, args, context))


def _edit(args: EditParameters, context: ToolContext[Host]) -> str:
    _require_a_change(args)
    files, path = context.host.files, resolve(context.directory, args.file_path)
    name = shown(path, context.directory)
    before = files.current(path)
    if before is None:
        raise missing(path)
    decoded = decode(before)
    if decoded is None:
        raise ToolError(f"{name} is binary, not text. Nothing was changed.")
    page = Page(decoded.text)
    match = _locate(page, _unmarked(args) if decoded.bom else args, name)
    changes = _changes(page, match)
    after = splice(page.text, changes)
    if after == page.text:
        raise ToolError(
            f"{name} would stay as it is: old_string and new_string differ only in what edit takes from the file, "
            "such as line endings. Use bash to change those."
        )
    files.write(path, decoded.encode(after), expected=digest(before))
    return f"{_report(name, match, len(changes))}\n{unified(name, page.text, changes)}"


def _require_a_change(args: EditParameters) -> None:
    if not args.old_string:
        raise ToolError(
            "old_string is empty. To create a file or to replace all of it, use write; "
            "to insert text, give the line next to it as old_string, and again in new_string."
        )
    if args.old_string == args.new_string:
        raise ToolError("old_string and new_string are identical, so there is nothing to change.")


def _unmarked(args: EditParameters) -> EditParameters:
    """A byte order mark is no part of the text, also where it was copied with it."""
    old, new = (text.removeprefix("\ufeff") for text in (args.old_string, args.new_string))
    args = msgspec.structs.replace(args, old_string=old, new_string=new)
    _require_a_change(args)
    return args


def _locate(page: Page, args: EditParameters, name: str) -> Match:
    """The places to change: exactly one, or all of them if all were asked for.

    With tolerance there is never more than one, except where nothing but line endings differs: then the text is
    what was asked for, and no guess.
    """
    match = locate(page, args.old_string, args.new_string, every=args.replace_all)
    if match is None:
        raise ToolError(_not_found(page, args, name))
    certain = not match.ignoring or match.ignoring == ["line endings"]
    if match.more or (len(match.places) > 1 and not (args.replace_all and certain)):
        raise ToolError(_ambiguous(page, match, name))
    return match


def _changes(page: Page, match: Match) -> list[Change]:
    """What each place becomes, from left to right; one that begins inside the one before it is left out."""
    changes: list[Change] = []
    for place in match.places:
        if not changes or place.start >= changes[-1].end:
            changes.append(Change(place.start, place.end, fitted(page, place, match.reading)))
    return changes


def _report(name: str, match: Match, replaced: int) -> str:
    words = f"Edited {name}" + (f" in {count(replaced, 'place')}" if replaced > 1 else "")
    if match.ignoring:
        words += f"; old_string matched after ignoring {_listed(match.ignoring)}"
    if moved := match.places[0].shift.words:
        words += f"; new text {moved}"
    return f"{words}."


def _not_found(page: Page, args: EditParameters, name: str) -> str:
    if not page.text.strip():
        return f"{name} is empty, so old_string is not in it. Use write to fill it."
    words = f"old_string was not found in {name}. Nothing was changed."
    if len(args.new_string.strip()) >= _TELLING and (position := page.text.find(args.new_string)) >= 0:
        words += f" new_string is there already, at line {page.line_of(position) + 1}."
    if lines := nearest(page, args.old_string):
        return f"{words} The nearest text in the file is:\n{lines}"
    return f"{words} Nothing in the file is like it; read the file to see what it holds."


def _ambiguous(page: Page, match: Match, name: str) -> str:
    total = len(match.places)
    lines = [str(page.line_of(place.start) + 1) for place in match.places[:_LISTED]]
    rest = ", …" if total > _LISTED else ""
    times = f"{total:,} or more" if match.more else f"{total:,}"
    where = f"lines {', '.join(lines)}{rest}"
    if match.ignoring:
        return (
            f"old_string is not in {name} as written; after ignoring {_listed(match.ignoring)} it fits {times} places "
            f"({where}). Nothing was changed. Copy the text exactly, with enough around it to fit one place."
        )
    return (
        f"old_string occurs {times} times in {name} ({where}). Nothing was changed. "
        "Give more of the text around it so that it occurs once, or set replace_all to change every one."
    )


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
