"""The words of a command line, as far as they are known before it runs, and what is known of a program's use.

`shell.py` finds the simple commands of a line and describes each with these; `programs/` says what one would do.
"""

from typing import Literal

from ferrule.core.messages import Value

Level = Literal["reads", "changes", "network", "danger", "catastrophe"]
"""How much a command may do: nothing but read; change things; reach the network; do harm; end everything.

What reads runs unasked. What changes runs unasked where it is confined (mode auto). Network and danger ask there
as well. A catastrophe never runs.
"""
LEVELS: tuple[Level, ...] = ("reads", "changes", "network", "danger", "catastrophe")


class Word(Value, frozen=True):
    """One word of a command, before the shell expands it."""

    raw: str
    """As it was written."""
    text: str | None = None
    """What it will be, quotes and escapes removed; None where only running it would tell."""
    glob: bool = False
    """Whether `text` is a pattern that the shell will expand into any number of file names."""
    many: bool = False
    """Whether it may become no word, or several: an unquoted `$x`, `"$@"`, `$(…)`."""
    prefix: str = ""
    """Where `text` is None: what it begins with for certain (`--out=$x` begins with `--out=`)."""
    below: tuple[str, ...] = ()
    """Where `text` is None: the places in which it names something, if they are known (what `find src` prints)."""


class Redirect(Value, frozen=True):
    """Where a command's output goes, or its input comes from."""

    operator: str
    """`>`, `>>`, `>|`, `&>`, `&>>`, `<`, `<>`, `<<<`, `>&` …, without its descriptor."""
    target: Word


class Simple(Value, frozen=True, kw_only=True):
    """One command that would be run: a program and its words."""

    words: tuple[Word, ...]
    raw: str
    """As it was written, for people."""
    variables: tuple[tuple[str, Word], ...] = ()
    """Assignments before it: `LD_PRELOAD=x ls`."""
    redirects: tuple[Redirect, ...] = ()
    directory: str | None = None
    """The absolute directory in which it would run; None where that is not known."""
    piped: bool = False
    """Whether its input comes from another command."""
    within: tuple[str, ...] = ()
    """The wrappers around it, outermost first: `("sudo", "bash -c")`."""


class Nested(Value, frozen=True, kw_only=True):
    """What a wrapper would run: words of a command, or a script as text."""

    words: tuple[Word, ...] = ()
    script: Word | None = None
    directory: Word | None = None
    """Where it would run, if the wrapper changes that (`env -C`, `git -C`, `make -C`, `find -execdir`)."""
    variables: tuple[tuple[str, Word], ...] = ()
    wrapper: str = ""
    """How the wrapper is called in `within`: `sudo`, `bash -c`, `xargs`."""
    more: bool = False
    """Whether further words that nobody knows are added (`xargs`, `find -exec … {} +`)."""


def beginning(script: Word) -> str:
    """The words that a script has for certain: all of it, or those before the first one that is not known."""
    return script.prefix.rpartition(" ")[0] if script.text is None else script.text


class Knowledge(Value, frozen=True, kw_only=True):
    """What is known of one use of a program."""

    level: Level
    reason: str = ""
    """Why, in a few words for a person: `curl reaches the network`. Empty for what only reads."""
    reads: tuple[Word, ...] = ()
    """Paths whose content it would read (files, or directories whole)."""
    lists: tuple[Word, ...] = ()
    """Paths of which it would see names, sizes and dates only."""
    writes: tuple[Word, ...] = ()
    """Paths that it would make, change or remove."""
    runs: tuple[Nested, ...] = ()
    """Other commands that it would run; the level is that of the wrapper itself."""
    git: bool = False
    """Whether it is a git command that only reads, unless the repository's own settings make git run programs."""
