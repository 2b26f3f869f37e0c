"""What a front gives to a command, and what it gets back."""

from collections.abc import Awaitable, Callable, Mapping

import msgspec

from ferrule.assemble import Options
from ferrule.config.layers import Loaded, load
from ferrule.core.errors import UsageError
from ferrule.core.messages import Value
from ferrule.session.reading import LoadedLog
from ferrule.session.secrets import Mask
from ferrule.session.session import Session

Ready = Callable[[Session], None]
"""Makes a session ready that was just opened."""


class Reply(Value, frozen=True, kw_only=True):
    """What a command has to say, and what the front is to do next."""

    text: str = ""
    """Markdown; of an error plain words."""
    is_error: bool = False
    """Whether nothing was done, and the text says why."""
    prompt: str = ""
    """A request to be carried out now, as if the person had typed it."""
    draft: str = ""
    """Words to be put into the box, for the person to go on with."""


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """The session that a command works on, and what only a front can do."""

    session: Session
    options: Options
    """With which the session was opened."""
    open: Callable[[Options, Ready], Awaitable[Session]]
    """Puts another session in the place of this one, and says so once it is ready; where that fails, this one goes on.
    """
    quit: Callable[[], None]
    clear: Callable[[], None] = lambda: None
    """Clears the screen, where there is one."""
    rename: Callable[[str], str] | None = None
    """Names the session, where it is kept; gives the name as it came to be."""
    exports: Mapping[str, Callable[[LoadedLog, Mask], str]] = {}
    """What writes a session in a format, by the format's name."""
    window: int = 0
    """Of the model, in tokens; 0 where nobody knows."""


class Completion(Value, frozen=True, kw_only=True):
    """A word that could stand there, and something about it."""

    text: str
    note: str = ""


def no_completions(_desk: Desk, _words: str) -> list[str]:
    """A command that takes no words that could be known."""
    return []


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One slash command."""

    name: str
    usage: str = ""
    """What it takes, as a person would write it."""
    help: str
    run: Callable[[Desk, str], Awaitable[Reply]]
    complete: Callable[[Desk, str], list[str]] = no_completions
    """The words that could follow or end what was typed behind the name."""
    words: int = 1
    """How many words it takes that can be completed."""
    idle: bool = False
    """Whether it has the session to itself, and so has to wait for the end of a run."""
    only_reads: Callable[[str], bool] = lambda _given: False
    """Whether it need not wait with these words, since it changes nothing then."""

    def waits(self, given: str) -> bool:
        """Whether it has to wait for the end of a run with these words."""
        return self.idle and not self.only_reads(given.strip())


def configuration(desk: Desk) -> Loaded:
    """The configuration as it is now, for the directory and with the words of the command line.

    Raises:
        ConfigError: it has errors.
    """
    options = desk.options
    trusted = True if options.trust else None
    return load(options.directory, file=options.config_file, overrides=options.overrides, trusted=trusted)


def number_in(words: str, *, otherwise: int) -> int:
    """The number that was typed, if one was.

    Raises:
        UsageError: it is none, or less than 1.
    """
    text = words.strip()
    if not text:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0):
        raise UsageError(f"{text[:40]!r} is no number; 1 is the least.")
    return int(text)


def refuse_words(words: str) -> None:
    """Say so where a command takes no words and was given some.

    Raises:
        UsageError: it was.
    """
    if words.strip():
        raise UsageError(f"It takes no words, and was given {words.strip()[:40]!r}.")
