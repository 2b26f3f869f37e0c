"""What a rule's pattern says of a command line, a path or an address: whether it hits it, whether it covers it.

To hit is to forbid, and is read widely; to cover is to allow, and is read narrowly. `rules.py` says why.
"""

from collections.abc import Iterator
from functools import lru_cache

from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.policy.globs import UNKNOWN, CommandGlob, command_glob, fold, joined, quoted, text_matches


class Command(Value, frozen=True, kw_only=True):
    """One simple command of a line, as far as it is known before it runs."""

    words: tuple[str | None, ...]
    """Quotes and escapes removed; None where only running it would tell."""
    expands: tuple[int, ...] = ()
    """Which of the words are globs of the shell, and so may become any names."""
    raw: str = ""
    """As it was written, for people."""
    reads: bool = False
    """Whether it is known to change nothing, so that it needs no rule."""
    variables: tuple[str | None, ...] = ()
    """Assignments before it that matter, as `NAME=value`."""
    redirects: tuple[str | None, ...] = ()
    """The files into which its output goes."""
    connects: bool = False
    """Whether one of its redirects reaches the network, which no pattern covers."""


class Line(Value, frozen=True, kw_only=True):
    """A command line: the simple commands in it, those in substitutions and wrappers included."""

    raw: str
    commands: tuple[Command, ...]
    opaque: bool = False
    """Whether something in it could not be understood."""


class File(Value, frozen=True):
    """A path that a tool would touch: absolute, as it was asked for, and what it leads to."""

    asked: str
    resolved: str


class Text(Value, frozen=True):
    """Anything else that a tool is about: an address, the name of an agent."""

    text: str


Subject = Line | File | Text


class Hit(Value, frozen=True):
    """That a rule which forbids is met, and by what."""

    about: str
    certain: bool = True
    """False where it depends on what is not known before the command runs."""


def line_hit(pattern: str, line: Line) -> Hit | None:
    """What of a line a pattern hits: any of its commands, or the line as it was written."""
    doubt: Hit | None = None
    for command in line.commands:
        found = _command_hit(pattern, command)
        if found and found.certain:
            return found
        doubt = doubt or found
    raw = _on_one_line(line.raw)
    if any(text_matches(one, raw) for one in _as_text(pattern)):
        return Hit(raw)
    return doubt or (Hit(raw, certain=False) if line.opaque else None)


def covers_line(pattern: str, line: Line) -> bool:
    """Whether a pattern is this very line, word for word."""
    connects = any(command.connects for command in line.commands)
    return not connects and "*" not in pattern and pattern == line.raw.strip()


def covers_command(pattern: str, command: Command, *, home: str) -> bool:
    """Whether a pattern allows a command with everything about it."""
    if command.connects:
        return False
    glob = command_glob(_TILDE.sub(lambda _: quoted(home), pattern))
    if command.redirects and not all(map(glob.matches_redirect, command.redirects)):
        return False
    if glob.redirects is not None and not command.redirects:
        return False
    return glob.matches(joined((*command.variables, *command.words)))


def text_hit(pattern: str, text: str) -> Hit | None:
    """Whether a pattern hits an address or any other text."""
    domain = pattern.removeprefix("domain:")
    if domain == pattern:
        return Hit(text) if text_matches(fold(pattern), fold(text)) else None
    host = host_of(text)
    if host is None:
        return Hit(text, certain=False)
    domain = domain.strip().lower().rstrip(".").removeprefix("*.")
    return Hit(host) if text_matches(domain, host) or text_matches(f"*.{domain}", host) else None


def covers_text(pattern: str, text: str) -> bool:
    """Whether a pattern allows an address or any other text."""
    domain = pattern.removeprefix("domain:")
    _, scheme, place = pattern.partition("://")
    if domain == pattern and not scheme:
        return text_matches(pattern, text)
    host = host_of(text)
    if host is None:
        return False
    if domain != pattern:
        return _names_host(domain.strip(), host)
    named = place.partition("/")[0].partition(":")[0]
    return _names_host(named, host) and text_matches(pattern, text)


def host_of(address: str) -> str | None:
    """The host of an address, in small letters; None where two readers could disagree about it."""
    found = _ADDRESS.fullmatch(address)
    return found[1].lower().rstrip(".") if found else None


def _names_host(pattern: str, host: str) -> bool:
    """Whether a host is meant: itself, those below it with `*.`, or any with `*`; no star stands for half a label."""
    rest = pattern.lower().removeprefix("*")
    below = rest != pattern.lower()
    if "*" in rest or (below and rest and not rest.startswith(".")):
        return False
    return host.endswith(rest) if below else host == rest


def _command_hit(pattern: str, command: Command) -> Hit | None:
    globs = [glob for glob in _forbidding(pattern) if _redirect_hit(glob, command)]
    certain, possible = _appearances(command) if globs else ((), ())
    if any(glob.matches(text) for glob in globs for text in certain):
        return Hit(_shown(command))
    might = any(glob.might_match(text) for text in possible for glob in globs)
    return Hit(_shown(command), certain=False) if might else None


def _redirect_hit(glob: CommandGlob, command: Command) -> bool:
    """Whether a command sends its output where the pattern says, if it says so."""
    if glob.redirects is None:
        return True
    return any(target is None or glob.matches_redirect(target) for target in command.redirects)


@lru_cache(4096)
def _forbidding(pattern: str) -> tuple[CommandGlob, ...]:
    """A pattern with its program's name in small letters, and the same without the path before it."""
    program, blank, rest = pattern.partition(" ")
    _, slash, name = program.rpartition("/")
    programs = (program, name) if slash and name and "*" not in name else (program,)
    return tuple(command_glob(f"{one.lower()}{blank}{rest}") for one in programs)


@lru_cache(256)
def _appearances(command: Command) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All that a command is by other names, as texts to match; and those that it may turn out to be.

    The names are those without the path of its program, without its variables, without its first options.
    """
    program, *rest = command.words or ("",)
    names = [program] if program is None else [program.lower(), program.lower().rpartition("/")[2]]
    expanded = [None if at in command.expands else word for at, word in enumerate(rest, start=1)]
    certain, possible = dict[str, None](), dict[str, None]()
    for name in names:
        for tail in (*_without_options(name or "", rest), *_without_options(name or "", expanded)):
            texts = (joined((name, *tail)), joined((*command.variables, name, *tail)))
            certain |= dict.fromkeys(texts)
            if any(UNKNOWN in text for text in texts):  # each unknown word may also turn out to be none
                possible |= dict.fromkeys((*texts, joined((name, *(word for word in tail if word is not None)))))
    return tuple(certain), tuple(possible)


def _without_options(program: str, rest: list[str | None]) -> Iterator[list[str | None]]:
    """The words behind a program, and again from its sub-command on: `git -C x push` is `git push`."""
    yield rest
    valued, at = _VALUED.get(program, frozenset()), 0
    while at < len(rest) and (rest[at] or "").startswith("-"):
        at += 2 if rest[at] in valued else 1
    if 0 < at < len(rest):
        yield rest[at:]


def _shown(command: Command) -> str:
    return command.raw or " ".join(word or "…" for word in command.words)


@lru_cache(4096)
def _as_text(pattern: str) -> tuple[str, ...]:
    """A pattern for commands as one for a whole line of text."""
    plain = _on_one_line(f"{pattern[:-2]} *" if pattern.endswith(":*") else pattern)
    return (plain, plain[:-2]) if plain.endswith(" *") else (plain,)


@lru_cache(64)
def _on_one_line(text: str) -> str:
    return " ".join(text.replace("\\\n", "").split())


_TILDE = lazy(r"(?<!\S)~(?=/|\s|$)")
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_ADDRESS = lazy(rf"(?:[A-Za-z][A-Za-z0-9+.-]*://)?({_LABEL}(?:\.{_LABEL})*\.?)(?::\d{{1,5}})?(?:[/?#][!-~]*)?")
_VALUED = {
    "cargo": frozenset({"--color", "--config", "-C", "-Z"}),
    "docker": frozenset({"--config", "--context", "--host", "--log-level", "-H", "-c", "-l"}),
    "gh": frozenset({"--repo", "-R"}),
    "git": frozenset({"--exec-path", "--git-dir", "--namespace", "--work-tree", "-C", "-c"}),
    "helm": frozenset({"--kube-context", "--kubeconfig", "--namespace", "-n"}),
    "kubectl": frozenset({"--cluster", "--context", "--kubeconfig", "--namespace", "--server", "--user", "-n", "-s"}),
    "npm": frozenset({"--prefix", "--workspace", "-C", "-w"}),
    "pnpm": frozenset({"--dir", "--filter", "-C", "-F"}),
    "sudo": frozenset({"--group", "--user", "-g", "-u"}),
    "yarn": frozenset({"--cwd"}),
}
"""Options that take the next word with them and may stand before a sub-command."""
