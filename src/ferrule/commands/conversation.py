"""Commands about the conversation itself: begin anew, make room in it, keep a message, go on, leave."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from ferrule.commands.desk import Desk, Reply, number_in, refuse_words
from ferrule.commands.markdown import code, table, words
from ferrule.commands.models import keep_mode
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.events import Compacted
from ferrule.core.messages import Assistant, Message, ToolResult, User, text_of
from ferrule.session.session import Session

_SHOWN = 20
_LONGEST = 70
DRY_RUN = "--dry-run"

WRITE_INSTRUCTIONS = """\
Look around in this project and write AGENTS.md in its top directory: the instructions that a coding agent needs \
before it works here.

- What the project is and how it is laid out, in a few lines; name the directories that matter.
- The commands to build, run, test (also a single test), lint and format, as they really are in this project. Look \
them up in its own files (such as a Makefile, package.json, pyproject.toml or the continuous integration); do not guess.
- The conventions that its code follows and that are not obvious, and the traps that you came upon.

At most about 60 lines; nothing that any agent knows anyway. Take over what is still true of an existing CLAUDE.md, \
README or of rules for other agents. {existing}"""
_IS_THERE = "There is an AGENTS.md already: improve it, and keep what its authors wrote on purpose."


async def clear(desk: Desk, given: str) -> Reply:
    """Begin a new conversation with the same model and in the same mode; this one stays as it was kept."""
    refuse_words(given)
    model, mode, before = desk.session.model, desk.session.mode, desk.session.id
    had_messages = bool(desk.session.history.messages)
    old, desk.session.leaving = desk.session, "clear"
    options = msgspec.structs.replace(desk.options, resume=None, fork=False, after_clear=True)
    try:
        await desk.open(options, lambda fresh: _take_over(fresh, model, mode))
    except FerruleError:
        old.leaving = "other"
        raise
    desk.clear()
    kept = had_messages and desk.options.save
    return Reply(text=f"A new conversation. `/load {before[:13]}` goes back to the one before." if kept else "")


def _take_over(session: Session, model: str, mode: str) -> None:
    """Go on with what the person had chosen before, as far as it can be had."""
    with suppress(FerruleError):
        if session.model != model:
            provider, _, name = model.partition("/")
            session.switch(provider, name or None)
    keep_mode(session, mode)


async def compact(desk: Desk, given: str) -> Reply:
    """Make room in the window, or say what that would do."""
    if given.strip() == DRY_RUN:
        return _preview(desk)
    if given.strip().startswith("--"):
        raise UsageError(f"There is no option {given.split(maxsplit=1)[0]}; there is {DRY_RUN}.")
    done = await desk.session.compact(given.strip())
    if done is None:
        return Reply(text="There is nothing to make shorter yet.")
    return Reply(
        text=f"{_shorter(done)} The conversation itself is kept whole; only what the model is told is shorter."
    )


def _preview(desk: Desk) -> Reply:
    preview = desk.session.preview_compaction()
    if preview is None:
        return Reply(text="There is nothing to make shorter yet.")
    what = f"Messages {preview.first + 1} to {preview.upto} would be told as notes: about {preview.before:,} tokens"
    if preview.after >= preview.before:
        return Reply(text=f"{what} as they are, which long notes could even exceed. Nothing has changed.")
    return Reply(text=f"{what} would become {preview.after:,} at most. Nothing has changed.")


def _shorter(done: Compacted) -> str:
    return f"About {done.before:,} tokens became {done.after:,}."


async def pin(desk: Desk, given: str) -> Reply:
    """Keep a message word for word, or list the messages with their numbers."""
    if not given.strip():
        return _listed(desk)
    number = number_in(given.strip().removeprefix("#"), otherwise=0)
    desk.session.pin(number)
    message = desk.session.history.messages[number - 1]
    return Reply(text=f"Message {number} stays word for word: {words(_said(message), _LONGEST)}")


def _listed(desk: Desk) -> Reply:
    messages = list(enumerate(desk.session.history.messages, 1))
    if not messages:
        return Reply(text="There are no messages yet.")
    rows = [(str(number), _speaker(one), words(_said(one), _LONGEST)) for number, one in messages[-_SHOWN:]]
    listing = table(("#", "by", "message"), rows, right=(0,))
    return Reply(text=f"{listing}\n\n`/pin NUMBER` keeps one word for word whatever is summarised.")


def _speaker(message: Message) -> str:
    match message:
        case User(by=by):
            return "you" if by == "person" else by
        case Assistant():
            return "model"
        case ToolResult(tool=tool):
            return code(tool)


def _said(message: Message) -> str:
    if isinstance(message, Assistant) and not message.text.strip():
        return "calls " + ", ".join(call.name for call in message.calls)
    return text_of(message.content) or "a picture"


async def go_on(desk: Desk, given: str) -> Reply:
    """Go on where the last run stopped."""
    if not desk.session.history.messages:
        raise UsageError("There is nothing to go on with yet.")
    if desk.session.is_running:
        raise UsageError("It is still at work.")
    return Reply(prompt=given.strip() or "Go on where you stopped.")


async def init(desk: Desk, given: str) -> Reply:
    """Have the model write the project's instructions."""
    prompt = _instructions(desk.session.directory)
    return Reply(prompt=f"{prompt}\n\n{given.strip()}" if given.strip() else prompt)


def _instructions(directory: Path) -> str:
    existing = _IS_THERE if os.path.lexists(directory / "AGENTS.md") else ""
    return WRITE_INSTRUCTIONS.format(existing=existing).rstrip()


async def quit_(desk: Desk, given: str) -> Reply:
    """Have enough."""
    refuse_words(given)
    desk.session.leaving = "prompt_input_exit"
    desk.quit()
    return Reply()
