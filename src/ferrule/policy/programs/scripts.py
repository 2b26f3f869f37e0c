"""Code that is handed to an interpreter: looked through for the worst, and for the commands that it runs itself.

Nobody can tell what a program does by looking at it; that is why code asks. This finds the plain attempts.

The code may be long and written to make this slow: what repeats gives nothing back (`*+`), so no blank is tried twice.
"""

from collections.abc import Iterator
from itertools import islice
from re import Pattern

from ferrule.core.regex import lazy
from ferrule.policy.command import Level, Word
from ferrule.policy.programs.options import literal
from ferrule.policy.programs.places import doomed, is_disk, is_vital


def _any(alternatives: str) -> str:
    """A pattern for any of these patterns, which hold no blanks."""
    return f"(?:{'|'.join(alternatives.split())})"


_DOUBLE = r'''"((?:[^"\\]|\\[\s\S])*+)"'''
_SINGLE = r"""'((?:[^'\\]|\\[\s\S])*+)'"""
_STRING = rf"(?i:[rbfut]{{0,2}})(?:{_DOUBLE}|{_SINGLE})"
_REMOVES = _any(
    "rmtree removedirs remove_tree rm_rf rm_r rmSync rmdirSync rmdir rimraf unlinkSync unlink remove move rename rm "
    r"chmod chown truncate removeSync emptyDirSync File\.delete deleteDir"
)
_PATH_MAKERS = _any(
    r"(?:pathlib\.)?Path\( (?:os\.)?(?:path\.)?(?:expanduser|abspath|realpath|resolve|normalize)\( File\.expand_path\( "
    r"glob\(?"
)
_REMOVAL = lazy(rf"{_REMOVES}\s*+\(?+\s*+(?:\[\s*+)?+{_PATH_MAKERS}*+\s*+{_STRING}(?=[,)\];}}\s]|$)")
_LISTS = _any(
    "walk listdir scandir iterdir glob rglob readdirSync readdir Dir find Path opendir foreach chdir each_child "
    "children"
)
_WALKS = lazy(rf"{_LISTS}\s*+[\[(.]?+\s*+\(?+{_STRING}")
_REMOVES_NAME = lazy(rf"\b{_REMOVES}\b")
_HOMES = _any(
    r"Path\.home\(\) pathlib\.Path\.home\(\) os\.homedir\(\) require\(.os.\)\.homedir\(\) process\.env\.HOME "
    r"os\.environ\[.HOME.\] os\.getenv\(.HOME.\) os\.path\.expanduser\(.~.\) Dir\.home ENV\[.HOME.\] "
    r"\$ENV\{.?HOME.?\} os\.sep"
)
_HOME = lazy(rf"{_REMOVES}\s*+\(?+\s*+{_HOMES}\s*+(?:[,);\]]|$)")
_FORKS = lazy(r"\bfork\b")
_LOOPS = lazy(r"\b(?:while|loop|redo|until|goto|map)\b|\bfor\s*\(\s*;|\b(?:range|count|repeat|iter)\b|\b1\.\.")
_SOCKET = lazy(
    _any(
        r"\bsocket\b \bSocket\b TCPSocket fsockopen net\.connect net\.Socket createConnection IO::Socket /inet/ "
        "/dev/tcp WebSocket"
    )
)
_SHELLED = lazy(
    _any(
        r"dup2 pty\.spawn /bin/(?:ba|z|da|k)?sh \bcmd\.exe \bpowershell STDIN\s*,\s*['\"]?[<>]& "
        r"\bopen\s*+\(?+\s*+STD(?:IN|OUT) \$stdin\.reopen exec\s*[({\"'] spawn\( "
        r"popen\s*\("
    )
)
_KILLS_ALL = lazy(r"\bkill\s*+\(?+\s*+(?:-1\s*,|9\s*,\s*-1|['\"]?(?:SIG)?KILL['\"]?\s*,\s*-1|1\s*,)")
_OPENERS = _any(
    r"open openSync writeFileSync writeFile createWriteStream File\.write write_bytes write_text fopen Path copyfile "
    "copy"
)
_OPENS = lazy(rf"{_OPENERS}\s*+\(?+\s*+{_STRING}")
_WRITES_WORD = lazy(
    r"\bwrite|['\"]r?[wa]b?\+?['\"]|['\"]>>?['\"]|copy|>\s*/dev|open\s*+\(?+\s*+\w{1,99}+\s*+,\s*+['\"]>"
)
_HIDES = lazy(
    "(?i)"
    + _any(
        r"b64decode base64 fromhex decode\( unhexlify pack\s*\( atob Buffer\.from marshal chr\s*\( \\x[0-9a-f]{2}",
    )
)
_EVALUATES = lazy(
    _any(
        r"\bexec\b \beval\b \bsystem\b \bFunction\s*\( \b__import__\b \bcompile\b popen spawn subprocess instance_eval",
    )
)
_RUNNERS = _any(
    r"os\.system os\.popen\d? commands\.getoutput subprocess\.\w+ \bsystem \bexec(?:File)?(?:Sync)? \bexec[lv][pe]* "
    r"\bspawn(?:Sync)? \bspawn[lv][pe]* \bpopen\d? \bshell_exec \bpassthru \bproc_open check_output check_call \bPopen "
    r"\bgetoutput \bgetstatusoutput \bqx os\.spawn\w+ Open3\.\w+ IO\.popen \brun \bcall os\.execute "
    r"do\sshell\sscript"
)
_CALL = lazy(rf"{_RUNNERS}\s*+(?:\(\s*+)?[frb]?(?=[\[\"'`{{(/])")
_NAMED = _any(
    r"system popen\d? Popen run call check_call check_output getoutput getstatusoutput exec[lv]\w* (?:posix_)?spawn\w*"
)
_BY_NAME = rf"[\"']{_NAMED}[\"']\s*+(?:,\s*+\w++\s*+)?+[\])]"
"""What is looked up by its name: `getattr(os, "system")`, `vars(os)["system"]`."""
_ARGUMENT = r"\(\s*+(?:\*|(?:args|command|cmd)\s*+=)?+\s*+"
_CALL_IN_PYTHON = lazy(rf"(?:{_RUNNERS}\s*+\)?+|{_BY_NAME})\s*+{_ARGUMENT}(?i:[rbfut]{{0,2}})(?=[\[\"'{{(])")
_TRIPLE = lazy(r"(?i:[rbfut]{0,2})(?:\"{3}([\s\S]*?)\"{3}|'{3}([\s\S]*?)'{3})")
_ONE = lazy(_STRING)
_ONE_OR_OPEN = lazy(rf"{_STRING}|([\"'])")
_OTHERS = {'"': lazy(f"{_SINGLE}|'"), "'": lazy(f'{_DOUBLE}|"')}
"""Behind a quote that nothing closes no other of its kind is closed either: what is left are texts in the other."""
_NO_PATH = lazy(r"[\s*?<>|]|^/+$")
_SEPARATOR = lazy(r"[\s,\[\]()]+")
_TICKS = lazy(r"`([^`]{1,2000})`|\bqx\s*[{(\[/|!]([^}\])/|!]{1,2000})|%x[{(\[]([^}\])]{1,2000})")


def verdict_on_code(code: str, *, directory: str | None, home: str) -> tuple[Level, str]:
    """How bad the code is, as far as one can see, and why: at least `changes`."""

    def lost(pattern: Pattern[str]) -> bool:
        return any(_lost(text, directory=directory, home=home) for text in _literals(pattern, code))

    if _KILLS_ALL.search(code):
        return "catastrophe", "would end every process"
    if _FORKS.search(code) and _LOOPS.search(code):
        return "catastrophe", "makes processes without end"
    if _SOCKET.search(code) and _SHELLED.search(code):
        return "catastrophe", "opens a shell to another machine"
    if _HOME.search(code) or lost(_REMOVAL):
        return "catastrophe", "would remove the disk, the system or a home directory"
    if _REMOVES_NAME.search(code) and lost(_WALKS):
        return "catastrophe", "would remove the disk, the system or a home directory"
    targets = [literal(text) for text in _literals(_OPENS, code)] if _WRITES_WORD.search(code) else []
    if any(is_disk(word, directory) or is_vital(word, directory) for word in targets):
        return "catastrophe", "would overwrite a device or a file of the system"
    if _HIDES.search(code) and _EVALUATES.search(code):
        return "danger", "runs code that is hidden"
    return "changes", ""


def _literals(pattern: Pattern[str], code: str) -> list[str]:
    found = pattern.finditer(code)
    return [next((group for group in match.groups() if group is not None), "") for match in found]


def _lost(text: str, *, directory: str | None, home: str) -> bool:
    word = Word(text, text, glob=any(mark in text for mark in "*?["))
    if text in {"~", "~/", "/", "C:\\\\", "C:/"}:
        return True
    return (
        bool(text)
        and text.startswith(("/", "~", ".."))
        and bool(doomed(word, directory, home) or is_vital(word, directory))
    )


def named_files(code: str, home: str) -> list[Word]:
    """Paths from the root or the home directory that stand in the code, which it may read."""
    found = [text for _, text in _texts(code) if text.startswith(("/", "~/"))]
    paths = [text for text in found if len(text) < 200 and not _NO_PATH.search(text)]
    return [literal(home + text[1:] if text.startswith("~") else text) for text in paths[:20]]


def inner_commands(code: str, *, is_python: bool = False) -> list[Word | tuple[Word, ...]]:
    """The commands that the code runs, where they stand in it as plain text: a script, or a list of words.

    In Python nothing is called without parentheses, so a text that ends in "run" runs nothing; nor do backticks.
    """
    found: list[Word | tuple[Word, ...]] = []
    for match in (_CALL_IN_PYTHON if is_python else _CALL).finditer(code):
        words = _following(code, match.end())
        if len(words) == 1:
            found.append(literal(words[0]))
        elif words:
            found += [tuple(literal(word) for word in words), literal(words[0])]
    for match in () if is_python else _TICKS.finditer(code):
        found.append(literal(next(group for group in match.groups() if group is not None)))
    return found[:20]


def strings(code: str) -> list[Word]:
    """The texts in double quotes, each of which may be a command."""
    found = (text for quote, text in _texts(code) if quote == '"' and text)
    return [literal(text.replace('\\"', '"')) for text in islice(found, 20)]


def _texts(code: str) -> Iterator[tuple[str, str]]:
    """All texts in quotes, each with its quote."""
    for match in _ONE_OR_OPEN.finditer(code):
        if match[3] is not None:
            yield from _texts_behind(code, match.end(), unclosed=match[3])
            return
        yield ('"', match[1]) if match[1] is not None else ("'", match[2])


def _texts_behind(code: str, at: int, *, unclosed: str) -> Iterator[tuple[str, str]]:
    for match in _OTHERS[unclosed].finditer(code, at):
        if match[1] is None:
            return
        yield "'" if unclosed == '"' else '"', match[1]


def _following(code: str, at: int) -> list[str]:
    """The string literals that follow one another from here on."""
    words: list[str] = []
    while len(words) < 30:
        gap = _SEPARATOR.match(code, at)
        at = gap.end() if gap else at
        match = _TRIPLE.match(code, at) or _ONE.match(code, at)
        if not match or (words and not gap):
            return words
        text = match[1] if match[1] is not None else match[2]
        words.append(text.replace('\\"', '"').replace("\\'", "'").replace("\\\\", "\\"))
        at = match.end()
    return words
