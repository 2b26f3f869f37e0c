"""What a `sed` script does: its commands are read one by one, since some write files and one runs programs."""

from re import Pattern

import msgspec

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested, Word
from ferrule.policy.programs.answers import Call, Handler, changes, judged, objection
from ferrule.policy.programs.brackets import closed
from ferrule.policy.programs.options import Uses, literal, parse, spec_of

SED = (
    "words; -# -n -E -r -e= -f= -s -u -z -l= -i=? -I=? --debug --posix --quiet --silent --regexp-extended "
    "--expression= --file= --separate --unbuffered --null-data --zero-terminated --line-length= --in-place=? --sandbox "
    "--follow-symlinks"
)
PLAIN = "=dDgGhHnNpPxzF"
_NUMBERED = lazy(r"[lLqQ][ \t]*\d*")
_LABELLED = lazy(r"(?:[btT][ \t]*|:[ \t]*)[^\s;}]*")
_FLAGS = lazy(r"[gpiImM\d]*")
_COUNT = lazy(r"\d+(?:~\d+)?|\$|[+~]\d+")
_TEXT = lazy(r"[aic](?:[^\n\\]|\\[\s\S])*\\?")
_BLANK = lazy(r"[ \t\r\n;]*")
_RUNS = lazy(r"(?:^|[;{}\n\d$/!])[ \t]*e[ \t]+([^\n]+)")
_ENDS = lazy(r"[ \t]*(?:$|[;\n}#])")
_VERSION = lazy(r"v[ \t]*[\d.]*")
_COMMENT = lazy(r"[^\n]*")


class Script:
    """A script that is read from its beginning to its end, or to the first thing that is not known to be harmless."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.reads: list[Word] = []

    def objection(self) -> str:
        """Why the script is not known to only print; empty where it is."""
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return ""
            start = self._at
            if not (self._address() and self._command()):
                return f"sed: the script's `{self._text[start : start + 20]}` is not known to only read"

    def _skip(self, pattern: Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            return ""
        self._at = match.end()
        return match[0]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _address(self) -> bool:
        for _ in range(2):
            if self._peek() in {"/", "\\"} and self._peek():
                if self._peek() == "\\":
                    self._at += 1
                if not self._delimited(1):
                    return False
                while self._peek() in {"I", "M"} and self._peek():
                    self._at += 1
            else:
                self._skip(_COUNT)
            self._blanks()
            if self._peek() != ",":
                break
            self._at += 1
            self._blanks()
        while self._peek() in {"!", " ", "\t"} and self._peek():
            self._at += 1
        return True

    def _blanks(self) -> None:
        while self._peek() in {" ", "\t"} and self._peek():
            self._at += 1

    def _delimited(self, parts: int) -> bool:
        """Pass over `/…/` (one part) or `/…/…/` (two); where a bracket holds the delimiter, seds disagree."""
        mark = self._peek()
        if mark in {"", "\n", "\\", " "}:
            return False
        self._at += 1
        for part in range(parts):
            start = self._at
            while self._peek() != mark:
                if self._peek() in {"", "\n"}:
                    return False
                self._at += 2 if self._peek() == "\\" else 1
            body = self._text[start : self._at]
            if part == 0 and not closed(body):
                return False
            self._at += 1
        return True

    def _command(self) -> bool:
        name = self._peek()
        if name == "":
            return False
        if name in "{}":
            self._at += 1
            return True
        if name == "#":
            self._skip(_COMMENT)
            return True
        if name in "aic":
            self._skip(_TEXT)
            return True
        if name in "sy":
            self._at += 1
            if not self._delimited(2):
                return False
            if name == "s":
                self._skip(_FLAGS)
            return self._ended()
        if name in "rR":
            self._at += 1
            self.reads.append(literal(self._skip(_COMMENT).strip()))
            return True
        for names, pattern in (("lLqQ", _NUMBERED), ("btT:", _LABELLED), ("v", _VERSION)):
            if name in names:
                self._skip(pattern)
                return self._ended()
        self._at += 1
        return name in PLAIN and self._ended()

    def _ended(self) -> bool:
        return bool(_ENDS.match(self._text, self._at))


def sed(call: Call) -> Knowledge:
    """Judge `sed`: printing is harmless, `-i` edits its files, and a script may do more."""
    uses = parse(call.words, spec_of(SED))
    scripts = [value for name, value in uses.values if name in {"-e", "--expression"}]
    operands = list(uses.operands)
    if not scripts and operands and not uses.has("-f", "--file"):
        scripts = [operands.pop(0)]
    if uses.has("-i", "-I", "--in-place"):
        return changes(f"{call.name} edits files in place", writes=operands)
    uses.reads = operands
    if uses.has("-f", "--file"):
        return judged("changes", uses, f"{call.name} runs a script from a file")
    if reason := objection(call.name, uses) or _inspect(scripts, uses):
        commands = [match[1] for script in scripts for match in _RUNS.finditer(script.text or "")]
        runs = tuple(Nested(script=literal(command), wrapper="sed e") for command in commands)
        return msgspec.structs.replace(judged("changes", uses, reason), runs=runs)
    return judged("reads", uses)


def _inspect(scripts: list[Word], uses: Uses) -> str:
    if any(script.text is None or script.glob for script in scripts):
        return "sed: the script is not known"
    script = Script("\n".join(script.text or "" for script in scripts))
    reason = script.objection()
    uses.reads = [*uses.reads, *script.reads]
    return reason


HANDLERS: dict[str, Handler] = {"sed": sed, "gsed": sed}
