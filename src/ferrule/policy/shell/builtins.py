"""What the shell's own commands do to the shell: where it is, its variables, its arguments."""

import os
import posixpath

from ferrule.core.regex import lazy
from ferrule.policy.command import Word
from ferrule.policy.shell.scope import UNKNOWN, Held, Scope

DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
OWN = DECLARING | {
    *("cd", "pushd", "popd", "set", "shift", "eval", "trap", "command", "builtin", "alias", "shopt", "test", "["),
    *("exit", "return", "break", "continue", "logout"),
    *("read", "readarray", "mapfile", "getopts", "wait", "unset", "let"),
}
"""The shell's own commands that change the shell, or could."""
_SETTING = frozenset({"read", "readarray", "mapfile", "getopts", "printf", "wait", "unset"})
_ASSIGNED = lazy(r"(?s)([A-Za-z_]\w*)(\+?)=(.*)")
_NAME = lazy(r"[A-Za-z_]\w*")
_HARMLESS = frozenset(
    {
        "CI",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "DEBUG",
        "FORCE_COLOR",
        "GREP_COLORS",
        "LANG",
        "LANGUAGE",
        "LINES",
        "LS_COLORS",
        "NO_COLOR",
        "TERM",
        "TIMEFORMAT",
        "TZ",
    }
)
"""Variables that change how a program prints, not what it does."""
_QUIET = {
    "PAGER": {"cat", ""},
    "GIT_PAGER": {"cat", ""},
    "MANPAGER": {"cat", ""},
    "SYSTEMD_PAGER": {"cat", ""},
    "GIT_OPTIONAL_LOCKS": {"0"},
    "GIT_TERMINAL_PROMPT": {"0"},
    "PYTHONDONTWRITEBYTECODE": {"1"},
    "PYTHONUNBUFFERED": {"1"},
    "POSIXLY_CORRECT": {"1"},
}
"""Variables that are harmless with these values."""
_PLAIN_LETTERS = frozenset("euxvoCfETmb")
_PLAIN_OPTIONS = frozenset(
    {
        *("errexit", "nounset", "pipefail", "xtrace", "verbose", "noclobber", "noglob", "errtrace", "functrace"),
        *("nullglob", "failglob", "globstar", "inherit_errexit", "checkwinsize", "histappend"),
    }
)
"""Options of the shell that change nothing of how a line is understood."""
_STEERING = lazy(
    r"PATH|IFS|ENV|HOME|PWD|CDPATH|SHELL|EDITOR|VISUAL|[A-Z]*PAGER|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|GLOBIGNORE|TMPDIR"
    r"|BASH.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*|NPM_.*|npm_.*|JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*"
    r"|GO.*|CARGO.*|RUST.*|CC|CXX|CFLAGS|LDFLAGS|MAKEFLAGS|MAKEFILES|LESS.*|MANOPT|.*PROXY|.*_proxy|FERRULE.*|XDG_.*"
    r"|GCONV_PATH|LOCPATH|NLSPATH|RIPGREP_CONFIG_PATH|FZF_.*|GREP_OPTIONS|TAR_OPTIONS|GZIP|AWKPATH|AWKLIBPATH"
    r"|JQ_.*|DOCKER_.*|KUBECONFIG|AWS_.*|PG.*|MYSQL_.*|CURL_.*|WGETRC|TERMINFO.*|HOSTALIASES|RES_OPTIONS|MALLOC_.*"
)


def harmless(name: str, value: Word) -> bool:
    """Whether a variable before a command changes nothing of what it does."""
    if name in _HARMLESS or name.startswith("LC_"):
        return value.text is not None
    return value.text is not None and value.text in _QUIET.get(name, ())


def steers(name: str, value: Word) -> bool:
    """Whether a variable of the shell, once set, changes what later commands do."""
    return _STEERING.fullmatch(name) is not None and not harmless(name, value)


def moved(words: tuple[Word, ...], scope: Scope, home: str) -> tuple[str | None, ...]:
    """Where the shell is after `cd`."""
    physical, operands = False, list(words[1:])
    while operands and (text := operands[0].text) is not None and text.startswith("-") and text != "-":
        operands.pop(0)
        if text == "--":
            break
        physical |= "P" in text
    if any(word.many or word.glob for word in operands) or len(operands) > 1:
        return (None,)
    target = operands[0].text if operands else scope.variables.get("HOME", Held(text=home or None)).text
    if target is None or target == "-" or ("CDPATH" in scope.variables and not target.startswith(("/", "./", "../"))):
        return (None,)
    reached = (_join(directory, target, physical=physical) for directory in scope.directories)
    return tuple(dict.fromkeys(reached))


def _join(directory: str | None, target: str, *, physical: bool) -> str | None:
    """Follow a path as `cd` does: by its letters, unless it is told to follow links first."""
    if directory is None and not target.startswith("/"):
        return None
    path = posixpath.join(directory or "/", target)
    return os.path.realpath(path) if physical else posixpath.normpath(path)


def is_plain_set(words: tuple[Word, ...]) -> bool:
    """Whether `set` changes nothing of how the rest of a line is understood."""
    place = 1
    while place < len(words) and (text := words[place].text) is not None and text.startswith(("-", "+")):
        if text in {"--", "-"}:
            return True
        if not set(text[1:]) <= _PLAIN_LETTERS:
            return False
        if text.endswith("o"):
            place += 1
            if place < len(words) and words[place].text not in _PLAIN_OPTIONS:
                return False
        place += 1
    return place >= len(words) or words[place].text is not None


def is_plain_shopt(words: tuple[Word, ...]) -> bool:
    """Whether `shopt` changes nothing of how the rest of a line is understood."""
    return all(word.text is not None and (word.text[:1] == "-" or word.text in _PLAIN_OPTIONS) for word in words[1:])


def arguments_set(words: tuple[Word, ...], before: tuple[Held, ...] | None) -> tuple[Held, ...] | None:
    """The shell's arguments after `set`."""
    left = list(words[1:])
    while left:
        word = left[0]
        if word.text is None or word.glob:
            return None
        if word.text in {"--", "-"}:
            return _arguments(left[1:]) if word.text == "--" or left[1:] else before
        if not word.text.startswith(("-", "+")):
            return _arguments(left)
        left = left[2 if word.text in {"-o", "+o"} else 1 :]
    return before


def arguments(words: tuple[Word, ...]) -> tuple[Held, ...] | None:
    """Words as the arguments of a function or a script; None if their number is not known."""
    return _arguments(list(words))


def _arguments(words: list[Word]) -> tuple[Held, ...] | None:
    if any(word.many or (word.glob and word.text is not None) for word in words):
        return None
    return tuple(Held(text=word.text) for word in words)


def shifted(words: tuple[Word, ...], before: tuple[Held, ...] | None) -> tuple[Held, ...] | None:
    """The shell's arguments after `shift`."""
    count = words[1].text if len(words) > 1 else "1"
    if before is None or count is None or not count.isdecimal() or int(count) > len(before):
        return None
    return before[int(count) :]


def declared(words: tuple[Word, ...]) -> list[tuple[str, bool, Word]]:
    """The assignments among the words of `export` and the like: name, whether it adds, and the value."""
    found = []
    for word in words[1:]:
        match = _ASSIGNED.fullmatch(word.text if word.text is not None else word.prefix)
        if match:
            value = Word(word.raw, match[3] if word.text is not None else None)
            found.append((match[1], bool(match[2]), value))
    return found


def set_by(words: tuple[Word, ...]) -> tuple[str, ...] | None:
    """The variables to which a command such as `read` may assign; None if nobody knows."""
    name = words[0].text
    if name not in _SETTING:
        return ()
    if name in {"printf", "wait"}:
        options = [place for place, word in enumerate(words) if (word.text or "").startswith(("-v", "-p"))]
        if not options:
            return () if all(word.text is not None or word.prefix for word in words[1:2]) else None
        words = words[options[0] :]
    if any(word.text is None for word in words[1:]):
        return None
    return tuple(found for word in words[1:] for found in _NAME.findall(word.text or ""))


def as_held(word: Word) -> Held:
    """A word as the value of a variable."""
    return Held(text=word.text, glob=word.glob) if word.text is not None else UNKNOWN
