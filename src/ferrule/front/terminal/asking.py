"""What is asked of the person: leave for a call, a model's question, trust in a folder, where to go back to."""

from functools import lru_cache, partial
from pathlib import Path

from ferrule.assemble import Question
from ferrule.config import projects
from ferrule.config.trust import Fingerprint, fingerprint, standing, trust
from ferrule.core.errors import FerruleError
from ferrule.core.events import PermissionAsked
from ferrule.core.messages import User
from ferrule.core.permission import Answer, Scope
from ferrule.front.terminal.ask import Choice, Questions
from ferrule.front.terminal.shell import without_told
from ferrule.front.terminal.show.fit import wrap
from ferrule.front.terminal.show.lines import Line, line
from ferrule.front.terminal.show.question import question
from ferrule.front.terminal.show.safe import exact, one_line, seen_lines
from ferrule.session.changes import Restored
from ferrule.session.session import Session

_SCOPES: dict[str, tuple[Scope, str]] = {
    "s": ("session", "in this session"),
    "p": ("project", "in this project"),
    "u": ("user", "everywhere"),
}


async def permission(asked: PermissionAsked, questions: Questions) -> Answer:
    """Ask whether a call may run, with all that will happen."""
    choices = [Choice("y", "Yes, once"), Choice("n", "No, and say why")]
    if asked.always:
        choices.insert(1, Choice("a", "Always", ", ".join(map(one_line, asked.always))))
    shown, whole = (lru_cache(maxsize=1)(partial(_question, asked, whole=one)) for one in (False, True))
    while True:
        key = await questions.choose(shown, choices, escape="stops the run", whole=whole)
        if key == "y":
            return Answer(verdict="once")
        if key is None:
            return Answer(verdict="abort")
        answer = await (_always(asked, questions) if key == "a" else _no(asked, questions))
        if answer:
            return answer


def _question(asked: PermissionAsked, width: int, *, whole: bool) -> list[Line]:
    return question(asked, width=width, whole=whole)


async def _always(asked: PermissionAsked, questions: Questions) -> Answer | None:
    def head(width: int) -> list[Line]:
        rules = [row for rule in asked.always for row in wrap(line(f"  {exact(rule)}"), width)]
        return [line("Always allow", "strong"), *rules]

    choices = [Choice(key, words.capitalize()) for key, (_, words) in _SCOPES.items()]
    key = await questions.choose(head, choices, escape="goes back", next_up=True)
    return Answer(verdict="always", scope=_SCOPES[key][0]) if key else None


async def _no(asked: PermissionAsked, questions: Questions) -> Answer | None:
    def head(width: int) -> list[Line]:
        return wrap(line(f"No: {one_line(asked.call.name)} will not run.", "strong"), width)

    hint = "A word to the model, or just Enter"
    word = await questions.words(head, hint=hint, next_up=True)
    return None if word is None else Answer(verdict="no", word=word.strip())


async def from_model(asked: Question, questions: Questions) -> str | None:
    """Put the model's question; gives the label of an answer, or words of the person's own."""

    def head(width: int) -> list[Line]:
        return [row for text in seen_lines(asked.question) for row in wrap(line(text, "strong"), width)]

    labels = [one_line(option.label) for option in asked.options]
    notes = [one_line(option.description) for option in asked.options]
    choices = [Choice(str(n), label, note) for n, (label, note) in enumerate(zip(labels, notes, strict=True), 1)]
    other = Choice(str(len(choices) + 1), "In words of my own")
    key = await questions.choose(head, [*choices, other], escape="gives no answer")
    if key == other.key:
        return await questions.words(head, hint="Your answer", next_up=True)
    return asked.options[int(key) - 1].label if key else None


def distrusted(directory: Path) -> Fingerprint | None:
    """What in a folder could run on its own, where the user has not yet agreed to it; None where there is nothing."""
    if projects.holds_home(directory):
        return None
    seen = fingerprint(directory)
    return seen if seen.files and not seen.problem and not standing(directory).trusted else None


async def trusting(directory: Path, seen: Fingerprint, questions: Questions) -> bool:
    """Ask whether to trust a folder; without a yes it is not."""

    def head(width: int) -> list[Line]:
        title = wrap(
            line("This folder brings settings of its own that could steer Ferrule or run code:", "strong"), width
        )
        items = [
            f"  {exact(item.name)}  {exact(first)}" for item in seen.files for first in item.effect.split("\n")[:6]
        ]
        return [*title, *(row for item in items for row in wrap(line(item, "warning"), width))]

    choices = [Choice("n", "Not now", "they are ignored"), Choice("t", "Trust it", "until one of them changes")]
    if await questions.choose(head, choices, escape="ignores them too") != "t":
        return False
    trust(directory, seen)
    return True


async def going_back(session: Session, questions: Questions) -> str | None:
    """Let the person choose a message to go back to; gives its text, to be said anew.

    Raises:
        FerruleError: it cannot be gone back to.
    """
    messages = session.history.messages
    said = {place: one for place, one in enumerate(messages) if isinstance(one, User) and one.by == "person"}
    if not said:
        return None
    choices = [Choice(str(place), _beginning(one)) for place, one in said.items()]
    title: list[Line] = [line("Go back to before which message?", "strong")]
    numbered = [_numbered(one) for one in choices]
    key = await questions.choose(lambda _width: title, numbered, at=len(choices) - 1, escape="stays here")
    if key is None:
        return None
    place = int(key.removeprefix("#"))
    preview = await _previewed(session, place)
    what = [Choice("c", "The conversation alone"), Choice("f", "The files alone")]
    if preview and preview.changed:
        what.insert(0, Choice("b", "The conversation and the files"))
    else:
        del what[1]
    choice = await questions.choose(lambda width: _told(preview, width), what, escape="stays here", next_up=True)
    if choice is None:
        return None
    await session.rewind(place, files=choice in "bf", chat=choice in "bc")
    return without_told(said[place]) if choice in "bc" else ""


async def _previewed(session: Session, place: int) -> Restored | None:
    try:
        return await session.changes.preview(place)
    except FerruleError:  # nothing is recorded; the conversation can be gone back in all the same
        return None


def _numbered(choice: Choice) -> Choice:
    """Numbers of many digits are no keys to be pressed."""
    return Choice(f"#{choice.key}", choice.label)


def _beginning(message: User) -> str:
    return one_line(without_told(message), 100)


def _told(preview: Restored | None, width: int) -> list[Line]:
    if preview is None or not preview.changed:
        return [line("No files would change.", "dim")]
    rows = [line("Files that would change:", "strong")]
    rows += [
        row for change in preview.changed[:10] for row in wrap(line(f"  {one_line(str(change.path))}", "path"), width)
    ]
    rows += [line(f"  … {len(preview.changed) - 10} more", "dim")] if len(preview.changed) > 10 else []
    kept = [line(f"  {one_line(one.path)} stays: it was changed since", "warning") for one in preview.conflicts]
    return [*rows, *kept]
