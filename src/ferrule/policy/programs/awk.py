"""What an `awk` program does: harmless unless it writes files, runs commands, or reads what it was not given."""

import msgspec

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested
from ferrule.policy.programs.answers import Call, Handler, changes, judged, objection, serves
from ferrule.policy.programs.brackets import closed
from ferrule.policy.programs.options import parse, spec_of
from ferrule.policy.programs.scripts import strings

AWK = (
    "words; -F= -v= -f= -b -c -C -h -k -M -n -N -O -P -r -s -S -t -V --assign= --bignum --characters-as-bytes --csv "
    "--field-separator= --file= --posix --re-interval --sandbox --traditional --use-lc-numeric"
)
FORBIDDEN = {"system", "getline", "ARGV", "ARGC", "close", "fflush", "include", "load", "namespace"}
BEFORE_A_REGEX = {"print", "printf", "return", "in", "else", "do", "case", "BEGIN", "END", "exit", "delete"}
_TOKEN = lazy(
    r"""(?P<space>[ \t\r]+|\\\r?\n|\#[^\n]*)|(?P<line>\n)|(?P<string>"(?:[^"\\\n]|\\[\s\S])*")|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<number>\d[\d.eExXa-fA-F]*|\.\d+)|(?P<sign>\|\||&&|>=|>>|\+\+|--|\|&|[-+*/%^!=<>~?:,;|&(){}\[\]$@])"""
)
_REGEX = lazy(r"/((?:[^/\\\n]|\\[^\n])+)/")
_ASSIGNMENT = lazy(r"[A-Za-z_]\w*=")
_HIDDEN = lazy(r"\b(?:system|getline|ARGV|ARGC)\b|[|>@]")


class Program:
    """The tokens of a program, looked at one after another."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last, self._last_kind = "", ""
        self._printing: int | None = None
        self._depth = 0
        self._unsure = False

    def objection(self) -> str:
        """Why the program is not known to only print; empty where it is."""
        at = 0
        while at < len(self._text):
            is_regex = self._text[at] == "/" and self._regex_may_start()
            match = (_REGEX if is_regex else _TOKEN).match(self._text, at)
            if not match or (is_regex and not closed(match[1])):
                return f"awk: `{self._text[at : at + 20]}` is not understood"
            at = match.end()
            kind = "regex" if is_regex else str(match.lastgroup)
            if kind != "space" and (reason := self._token(match[0], kind)):
                return reason
        if self._unsure and _HIDDEN.search(self._text):
            return "awk: the program is not understood"
        return ""

    def _regex_may_start(self) -> bool:
        if self._last_kind == "name":
            return self._last in BEFORE_A_REGEX
        if self._last == ")":  # `if (x) /y/` or `(x) / y`: only awk's own grammar knows
            self._unsure = True
        return self._last_kind not in {"number", "string", "regex"} and self._last not in {")", "]", "$", "++", "--"}

    def _token(self, text: str, kind: str) -> str:
        if kind == "name" and text in FORBIDDEN:
            return f"awk: {text} can do more than read"
        if text in {"|", "|&", "@"}:
            return f"awk: {text} can run commands"
        if text in {">", ">>"} and self._printing is not None and self._depth <= self._printing:
            return "awk: the program writes to a file"
        self._follow(text, kind)
        self._last, self._last_kind = text, kind
        return ""

    def _follow(self, text: str, kind: str) -> None:
        if text in {"print", "printf"}:
            self._printing = self._depth
        elif text in {"(", "["}:
            self._depth += 1
        elif text in {")", "]"}:
            self._depth -= 1
        elif text in {";", "}"} or (
            kind == "line" and (self._last_kind not in {"sign", "line"} or self._last in {")", "]", "}"})
        ):  # after a comma or an operator the statement goes on
            self._printing = None


def awk(call: Call) -> Knowledge:
    """Judge `awk` by its program."""
    uses = parse(call.words, spec_of(AWK))
    operands = list(uses.operands)
    if uses.has("-f", "--file"):
        return changes(f"{call.name} runs a program from a file", reads=operands)
    program = operands.pop(0) if operands else None
    uses.reads = [word for word in operands if not _ASSIGNMENT.match(word.text or "")]
    reason = objection(call.name, uses)
    if program is None or program.text is None or program.glob:
        return judged("changes", uses, reason or f"{call.name}: the program is not known")
    if doubt := Program(program.text).objection():
        runs = tuple(Nested(script=text, wrapper=call.name) for text in strings(program.text) if " " in text.raw)
        return msgspec.structs.replace(judged("changes", uses, reason or doubt), runs=runs)
    return judged("changes", uses, reason) if reason else judged("reads", uses)


HANDLERS: dict[str, Handler] = serves("awk gawk mawk nawk original-awk", awk)
