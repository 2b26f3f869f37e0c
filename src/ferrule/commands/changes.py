"""Commands about what was done to the files: shown, undone, done again, gone back from."""

from collections.abc import Iterator

from ferrule.commands.desk import Desk, Reply, number_in, refuse_words
from ferrule.commands.markdown import bullets, code, fenced, table, words
from ferrule.core.errors import UsageError
from ferrule.core.messages import User, text_of
from ferrule.session.changes import Restored

_SHOWN = 20
_LONGEST = 70
OPTIONS = ("--files", "--chat", "--preview")


async def undo(desk: Desk, given: str) -> Reply:
    """Take the last steps back."""
    restored = await desk.session.changes.undo(number_in(given, otherwise=1))
    return Reply(text=_told("Undid", restored))


async def redo(desk: Desk, given: str) -> Reply:
    """Make the steps again that were undone last."""
    restored = await desk.session.changes.redo(number_in(given, otherwise=1))
    return Reply(text=_told("Redid", restored))


async def diff(desk: Desk, given: str) -> Reply:
    """Show all that the session changed and that still stands."""
    refuse_words(given)
    text = await desk.session.diff()
    return Reply(text=fenced(text, "diff") if text else "This session changed nothing that still stands.")


async def rewind(desk: Desk, given: str) -> Reply:
    """Go back to before a message of the person's, or to right behind another; or list where one can go."""
    asked = given.split()
    options = {word for word in asked if word.startswith("--")}
    if strange := options - set(OPTIONS):
        raise UsageError(f"There is no option {min(strange)}; there are {', '.join(OPTIONS)}.")
    numbers = [word for word in asked if word not in options]
    if not numbers:
        return _places(desk)
    number = number_in(" ".join(numbers), otherwise=0)
    both = ("--files" in options) == ("--chat" in options)
    files, chat = both or "--files" in options, both or "--chat" in options
    to, draft = _place(desk, number)
    if "--preview" in options:
        restored = await desk.session.changes.preview(to)
        return Reply(text=_told("Would undo", restored, files=files, chat=chat) + "\n\nNothing has changed.")
    restored = await desk.session.rewind(to, files=files, chat=chat)
    return Reply(text=_told("Undid", restored, files=files, chat=chat), draft=draft if chat else "")


def message_numbers(desk: Desk, _given: str) -> list[str]:
    """The numbers of the person's own messages, the last first, and the options."""
    return [*(str(number) for number, _ in reversed(_own(desk))), *OPTIONS]


def _places(desk: Desk) -> Reply:
    own = _own(desk)
    if not own:
        return Reply(text="There is no message to go back to yet.")
    rows = [(str(number), words(text, _LONGEST)) for number, text in own[-_SHOWN:]]
    listing = table(("#", "your message"), rows, right=(0,))
    return Reply(text=f"{listing}\n\n`/rewind NUMBER` goes back to before one; `--preview` only shows what that does.")


def _own(desk: Desk) -> list[tuple[int, str]]:
    messages = enumerate(desk.session.history.messages, 1)
    return [(n, text_of(one.content)) for n, one in messages if isinstance(one, User) and one.by == "person"]


def _place(desk: Desk, number: int) -> tuple[int, str]:
    """How many messages are to be left, and the one that is to be said anew."""
    text = dict(_own(desk)).get(number)
    return (number, "") if text is None else (number - 1, text)


def _told(did: str, restored: Restored, *, files: bool = True, chat: bool = False) -> str:
    parts: list[str] = []
    if files:
        steps = ", ".join(map(str, restored.steps))
        many = "s" * (len(restored.steps) > 1)
        parts.append(f"{did} step{many} {steps}." if steps else "The files stay as they are.")
        parts.append(bullets(_files(restored)))
    if chat and restored.messages is not None:
        goes = "would go" if did.startswith("Would") else "goes"
        where = f"on after message {restored.messages}" if restored.messages else "back to its beginning"
        parts.append(f"The conversation {goes} {where}.")
    return "\n\n".join(filter(None, parts))


def _files(restored: Restored) -> Iterator[str]:
    for change in restored.changed:
        if change.path not in restored.merged:
            yield f"{change.kind} {code(change.path)}" + (f" (was {code(change.was)})" if change.was else "")
    yield from (f"merged {code(path)}: it was changed meanwhile, and both changes are in" for path in restored.merged)
    yield from (f"**conflict** {code(one.path)}: {words(one.why)}; left as it is" for one in restored.conflicts)
    yield from (f"left out {code(one.path)}: {words(one.why)}" for one in restored.left_out)
