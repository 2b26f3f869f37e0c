"""Commands about sessions: listed, loaded, named, described, written elsewhere."""

import asyncio
import os
import time
from pathlib import Path

import msgspec

from ferrule.commands.desk import Desk, Reply, refuse_words
from ferrule.commands.kept import record_of, store_of, summary_of
from ferrule.commands.markdown import bullets, code, table, words
from ferrule.commands.models import keep_mode
from ferrule.commands.spending import dollars
from ferrule.core.errors import FerruleError, UsageError
from ferrule.session.reading import read_log
from ferrule.session.secrets import Mask
from ferrule.session.summary import Summary

_SHOWN = 20
_LONGEST = 50
_ID = 13
"""Characters of an id that tell sessions apart."""


async def sessions(desk: Desk, given: str) -> Reply:
    """List the sessions of this directory."""
    refuse_words(given)
    found = await asyncio.to_thread(store_of(desk).list, desk.session.directory)
    if not found:
        return Reply(text="There are no sessions of this directory yet.")
    rows = [_cells(one, here=one.id == desk.session.id) for one in found[:_SHOWN]]
    listing = table(("#", "", "last used", "turns", "name", "first request"), rows, right=(0, 3))
    more = f"{len(found) - _SHOWN} more are not shown; `ferrule sessions` lists them all. "
    return Reply(text=f"{listing}\n\n{more if len(found) > _SHOWN else ''}`/load NUMBER` goes on with one.")


def _cells(one: Summary, *, here: bool) -> tuple[str, ...]:
    mark, request = "→" if here else "", words(Mask()(one.first_prompt), _LONGEST)
    return (str(one.number), mark, _moment(one.updated), str(one.turns), words(one.name), request)


async def load(desk: Desk, given: str) -> Reply:
    """Go on with another session."""
    if not given.strip():
        raise UsageError("Which one? /load NUMBER or /load NAME; /sessions lists them.")
    found = await asyncio.to_thread(store_of(desk).find, desk.session.directory, given.strip())
    if found.id == desk.session.id:
        return Reply(text="This is the session that is open.")
    mode, options = desk.session.mode, msgspec.structs.replace(desk.options, resume=found.id, fork=False)
    session = await desk.open(options, lambda other: keep_mode(other, mode))
    name = f" {words(found.name)}" if found.name else ""
    stays = "still" if session.mode == mode else "now"
    number = len(session.history.messages)
    told = f"{number:,} message{'s' * (number != 1)}. The mode is {stays} {code(session.mode)}."
    return Reply(text=f"Session{name} of {_moment(found.updated)}: {told}")


def session_names(desk: Desk, _given: str) -> list[str]:
    """The names of the sessions, and the numbers of the last ones."""
    try:
        found = store_of(desk).list(desk.session.directory)
    except FerruleError:
        return []
    return [*(one.name for one in found if one.name), *(str(one.number) for one in found[:_SHOWN])]


async def save(desk: Desk, given: str) -> Reply:
    """Give the session a name."""
    if not given.strip():
        raise UsageError("Under which name? /save NAME. It is kept in any case; a name makes it easy to find.")
    if desk.rename is None:
        raise UsageError("This session is not kept, so it can have no name (session.auto_save).")
    return Reply(text=f"The session is called {words(desk.rename(given.strip()))} now.")


async def session(desk: Desk, given: str) -> Reply:
    """Say what there is to know about the session."""
    refuse_words(given)
    open_, found = desk.session, await asyncio.to_thread(summary_of, desk)
    sandbox = await asyncio.to_thread(lambda: open_.sandbox)
    facts = {
        "id": code(open_.id),
        "name": words(found.name) if found else "",
        "file": code(str(found.path)) if found else "nothing is kept of it yet",
        "directory": code(str(open_.directory)),
        "model": code(open_.model),
        "mode": code(open_.mode),
        "sandbox": code(sandbox),
        "messages": f"{len(open_.history.messages):,}",
        **(_totals(found) if found else {}),
    }
    return Reply(text=bullets(f"{name}: {value}" for name, value in facts.items() if value))


def _totals(found: Summary) -> dict[str, str]:
    totals = read_log(found.path).totals
    cost = dollars(totals.cost) if totals.cost is not None else "not known"
    began, copied = _moment(found.started), code(found.forked_from) if found.forked_from else ""
    return {"began": began, "turns": f"{totals.turns:,}", "cost": cost, "copied from": copied}


async def export(desk: Desk, given: str) -> Reply:
    """Write the conversation to a file."""
    format_, path = _asked(desk, given)
    record = await asyncio.to_thread(record_of, desk)
    if not record.events:
        raise UsageError("There is nothing to write yet.")
    target = desk.session.directory / (path or Path(f"session-{desk.session.id[:_ID]}.{format_}"))
    text = await asyncio.to_thread(desk.exports[format_], record, Mask())
    try:
        with target.open("xb") as file:  # nothing of the person's is written over
            file.write(text.encode(errors="replace"))
    except FileExistsError:
        raise UsageError(f"{target} is there already; name another file.") from None
    except (OSError, ValueError) as error:
        raise FerruleError(f"{target} cannot be written: {getattr(error, 'strerror', None) or error}.") from None
    return Reply(text=f"Written to {code(str(target))}.")


def _asked(desk: Desk, given: str) -> tuple[str, Path | None]:
    """The format and the file that were asked for; the one may follow from the other.

    Raises:
        UsageError: there is no such format.
    """
    first, _, rest = given.strip().partition(" ")
    if first in desk.exports:
        return first, _path(rest)
    path = _path(given)
    suffix = path.suffix.lstrip(".").lower() if path else "md"
    if suffix not in desk.exports:
        raise UsageError(f"It can be written as {', '.join(desk.exports)}: /export {'|'.join(desk.exports)} FILE.")
    return suffix, path


def _path(given: str) -> Path | None:
    return Path(os.path.expanduser(given.strip())) if given.strip() else None  # noqa: PTH111 - Path's may raise


def export_formats(desk: Desk, given: str) -> list[str]:
    """The formats."""
    return [] if " " in given.lstrip() else list(desk.exports)


def _moment(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds > 0 else "unknown"
    except (OverflowError, ValueError, OSError):  # a damaged file
        return "unknown"
