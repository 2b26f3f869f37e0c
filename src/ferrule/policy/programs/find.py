"""What `find` and `fd` do with the files they find: show them, remove them, write lists, run commands."""

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Level, Nested, Word
from ferrule.policy.programs.answers import Call, Handler, by_table, catastrophe, raised
from ferrule.policy.programs.danger import at_risk
from ferrule.policy.programs.options import literal, may_be_option, names, rest_of
from ferrule.policy.programs.places import everything_here
from ferrule.policy.programs.tables import SEARCH

ALONE = names(
    "-a -and -o -or -not ! , ( ) -true -false -print -print0 -ls -prune -quit -depth -d -mount -xdev -daystart "
    "-empty -executable -readable -writable -nouser -nogroup -noleaf -ignore_readdir_race "
    "-noignore_readdir_race -warn -nowarn -H -P -E -X -x -s -help --help -version --version -O0 -O1 -O2 -O3"
)
VALUED = names(
    "-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype -size "
    "-mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group -uid -gid "
    "-links -inum -samefile -fstype -used -printf -context -D -flags -Bmin -Btime"
)
LEADING = names("-H -L -P -E -X -x -s -O3 -O2 -O1 -f --")
NAMING = {"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname"}
RUNS = {"-exec", "-execdir", "-ok", "-okdir"}
WRITES = {"-fprint", "-fprint0", "-fls", "-fprintf"}
REMOVERS = names("rm rmdir unlink shred mv chmod chown chgrp dd truncate srm")
HARMING = REMOVERS | names("cp tee sh bash zsh dash")
MOST = 50
"""Actions and starting points that are looked at; a person writes fewer."""
_ANYTHING = lazy(r"[*.?/]*$")


def find(call: Call) -> Knowledge:
    """Judge `find` by its starting points and its expression."""
    starts, rest = _starts(call.words)
    search = _Search(starts=starts, call=call)
    if any(word.text in {"-L", "-follow"} for word in call.words):
        search.doubt("find follows links to wherever they lead")
    search.walk(rest)
    return search.knowledge()


def _starts(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    index = 0
    while index < len(words) and words[index].text in LEADING:
        index += 1
    begin = index
    while index < len(words):
        word = words[index]
        start = word.prefix if word.text is None else word.text
        if start.startswith(("-", "(", "!", ")", ",")) or may_be_option(word):
            break
        index += 1
    return words[begin:index] or (literal("."),), words[index:]


class _Search:
    """One expression of `find`, read from left to right."""

    def __init__(self, *, starts: tuple[Word, ...], call: Call) -> None:
        self._starts, self._call = starts, call
        self._runs: list[Nested] = []
        self._reads: list[Word] = []
        self._writes: list[Word] = []
        self._reason = ""
        self._level: Level = "changes"
        self._deletes = self._narrowed = False

    def walk(self, words: tuple[Word, ...]) -> None:
        """Take the expression apart."""
        at = 0
        while at < len(words):
            text = words[at].text
            if text is None or words[at].glob:
                self.doubt(f"find: {words[at].raw} may become an action")
            elif text in RUNS:
                at = self._exec(words, at)
                continue
            elif text in WRITES:
                self.doubt(f"find {text} writes a file")
                self._writes += words[at + 1 : at + 2]
                at += 2 if text == "-fprintf" else 1
            elif text == "-delete":
                self._deletes = True
            elif text in VALUED or text.startswith("-newer"):
                self._test(text, words[at + 1 : at + 2])
                at += 1
            elif text == "-files0-from":
                self._reads += words[at + 1 : at + 2]
                self.doubt("find takes its starting points from a file")
            elif text not in ALONE:
                self.doubt(f"find: {text} is not known to only read")
            at += 1

    def _test(self, name: str, value: tuple[Word, ...]) -> None:
        if name in NAMING and value and value[0].text is not None and not _ANYTHING.match(value[0].text):
            self._narrowed = True
        if any(word.many or word.glob for word in value):
            self.doubt(f"find: {value[0].raw} may become several words")

    def doubt(self, reason: str) -> None:
        """Take note of the first thing that may do more than read."""
        self._reason = self._reason or reason

    def _exec(self, words: tuple[Word, ...], at: int) -> int:
        action, end = words[at].text or "", at + 1
        while end < len(words) and words[end].text != ";" and not _ends_several(words, end):
            end += 1
        if end == len(words):
            self.doubt(f"find {action} has no end")
        in_place = action in {"-execdir", "-okdir"}
        inner = words[at + 1 : end]
        if in_place and any(".." in (word.text or "..").split("/") for word in inner):
            self.doubt(f"find {action} runs in many directories, and names one above")
        several = _ends_several(words, end)
        room = max(MOST - len(self._runs), 0)
        if len(self._starts) > room:
            self._level = "danger"
            self.doubt("find has more actions and starting points than can be looked at")
        for start in self._starts[:room] if inner else ():
            filled = tuple(_fill(word, start, in_place=in_place, several=several) for word in inner)
            where = (start if _is_here(start) else Word(start.raw)) if in_place else None
            self._runs.append(Nested(words=filled, directory=where, wrapper=f"find {action}"))
        if action in {"-ok", "-okdir"}:
            self.doubt(f"find {action} waits for an answer")
        return end + 1

    def knowledge(self) -> Knowledge:
        """All of it together."""
        found = Knowledge(
            level=self._level if self._reason else "reads",
            reason=self._reason,
            reads=(*self._reads, *self._starts),  # to go through everything below a place is more than a look
            writes=(*self._writes, *(self._starts if self._deletes else ())),
            runs=tuple(self._runs),
        )
        harms = self._deletes or any(_program(nested) in HARMING for nested in self._runs)
        lost = at_risk(self._starts, self._call) if harms else ""
        if lost and (self._deletes or any(_program(nested) in REMOVERS for nested in self._runs)):
            if lost.startswith("the home") and self._narrowed:
                return raised(found, "danger", f"find changes files all over {lost}")
            return catastrophe(f"find would change or remove {lost}")
        if self._deletes:
            found = raised(found, "changes", "find removes files")
        unknown = any(start.text is None for start in self._starts)
        if harms and not self._narrowed and (unknown or self._everything()):
            return raised(found, "danger", "find changes or removes everything that it finds")
        return found

    def _everything(self) -> bool:
        return any(everything_here(start, self._call.directory) for start in self._starts)


def _program(nested: Nested) -> str:
    """The program that is run, through the simplest of wrappers."""
    for word in nested.words:
        name = (word.text or "").rpartition("/")[2]
        if name not in {"sudo", "env", "nice", "command", "busybox", "xargs", "-n"}:
            return name
    return ""


def _ends_several(words: tuple[Word, ...], at: int) -> bool:
    """Whether a `+` ends the command here, which is then given many names at once."""
    return at < len(words) and words[at].text == "+" and words[at - 1].text == "{}"


def _is_here(start: Word) -> bool:
    """Whether all that is found lies in the present directory or below; of another, its parent has a part too."""
    return start.text is not None and start.text.rstrip("/") == "."


def _fill(word: Word, start: Word, *, in_place: bool, several: bool) -> Word:
    """Put a found file's name where `{}` stands: somewhere below the starting point."""
    if word.text is None or "{}" not in word.text:
        return word
    before, _, behind = word.text.partition("{}")
    if before or start.text is None:
        return Word(word.raw, prefix=before)
    below = "./" if in_place else start.text.rstrip("/") + "/"
    if behind:  # `{}/../x` leads anywhere
        return Word(word.raw, prefix=below)
    return Word(word.raw, f"{below}{{}}", glob=several)


def fd(call: Call) -> Knowledge:
    """`fd -x` and `fd -X` run commands with what they find."""
    for index, text in enumerate(call.texts):
        name = (text or "").partition("=")[0]
        if name in {"-x", "-X", "--exec", "--exec-batch"}:
            attached = (rest_of(call.words[index], len(name) + 1),) if "=" in (text or "") else ()
            words = tuple(word for word in (*attached, *call.words[index + 1 :]) if word.text != ";")
            nested = Nested(words=tuple(_unknown(word) for word in words), wrapper=f"fd {name}", more=True)
            return Knowledge(level="changes", reason=f"fd {name} runs a command", runs=(nested,))
    return by_table(call, SEARCH["fd"])


def _unknown(word: Word) -> Word:
    braces = word.text is not None and any(mark in word.text for mark in ("{}", "{/}", "{//}", "{.}", "{/.}"))
    return Word(word.raw) if braces else word


HANDLERS: dict[str, Handler] = {"find": find, "gfind": find, "fd": fd, "fdfind": fd}
