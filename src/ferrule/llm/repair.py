r"""Tool arguments that are not quite JSON: the syntax is repaired where one reading is certain, or refused.

Nothing is invented and nothing is dropped. Repaired are: commas at the end of a list or an object; a comma that
is missing between a number, a word or a bracket and the next key; single and typographic quotes; bare keys;
`True`, `False`, `None`; numbers such as `+5`, `.5` and `5.`; comments; a Markdown fence; a byte order mark; a
semicolon at the end; raw newlines and tabs in strings; arguments that are a string of JSON. Nothing at all and
`null` are no arguments. Brackets that are missing at the very end are added, if the last value shows its own end
(a string or a bracket; of `12` nobody knows whether it was `120`).

A backslash that starts no escape of JSON (`\d`, `\.`) is kept as a backslash, as the writer of a pattern or a
command means it; but not beside an escape that might be meant the same way (`\b`, `\n`), nor where other
languages know an escape (`\x41`, `\0`, `\$`). There the reading is not certain.

Refused is everything else: a string that is cut, objects glued together, a key that stands twice, `NaN`, lists
and single values, words around the object.
"""

import re
from typing import Any, NamedTuple

import msgspec

from ferrule.core.messages import Value
from ferrule.core.regex import lazy

MOST_CHARACTERS = 10_000_000
MOST_NESTING = 100
MOST_PARTS = 100_000
"""Keys, values and brackets; half a second's work. What is strict JSON already may have any number."""
MOST_WRAPPINGS = 3
"""How often arguments may have been made a string of JSON by mistake."""


class Arguments(Value, frozen=True, kw_only=True):
    """Arguments that could be read."""

    input: dict[str, Any]
    text: str
    """Strict JSON that says the same; the very text that was given, where that was strict."""


class Refusal(Value, frozen=True):
    """Why arguments cannot be taken, in words for the model."""

    why: str


class UnreadableError(ValueError):
    """The text has no certain reading; says why."""


class CutError(UnreadableError):
    """The text ends too early; with more of it, it might have one."""


class Reading(NamedTuple):
    """A value that was read from a text."""

    json: str
    end: int
    """Where in the text the value ends."""


def repair(text: str, *, cut: bool = False) -> Arguments | Refusal:
    """Read the arguments of a call. Where the answer was `cut`, no bracket is taken as merely forgotten."""
    if len(text) > MOST_CHARACTERS:
        return Refusal(f"they are longer than {MOST_CHARACTERS:,} characters")
    try:
        return _strict(text) or _lenient(text, cut=cut, wrappings=0)
    except UnreadableError as problem:
        return Refusal(str(problem))


def read_value(text: str, at: int = 0, *, may_close: bool = True) -> Reading:
    """Read any one value that is not quite JSON, and say where it ends.

    Raises:
        UnreadableError: it has no certain reading.
    """
    return _Reader(text, may_close=may_close).read(at)


def decode_object(text: str) -> dict[str, Any] | None:
    """The object that strict JSON says, duplicate keys and all; nothing where it is no strict JSON."""
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except (ValueError, RecursionError):
        return None


def _strict(text: str) -> Arguments | None:
    """The quick way for what is right already, which is nearly everything."""
    value = decode_object(text)
    if value is None:
        return None
    keys, depth = _measure(value)
    written = _STRINGS.findall(text)
    if depth > MOST_NESTING or len(written) - written.count("") != keys:  # a key that stands twice is kept once
        return None
    return Arguments(input=value, text=text)


def _measure(value: dict[str, Any]) -> tuple[int, int]:
    """How many keys a value has in all, and how deep it is nested."""
    keys = depth = 0
    level: list[Any] = [value]
    while level:
        depth += 1
        inner: list[Any] = []
        for one in level:
            if type(one) is dict:
                keys += len(one)
                one = one.values()  # noqa: PLW2901
            inner.extend(child for child in one if type(child) in _CONTAINERS)
        level = inner
    return keys, depth


def _lenient(text: str, *, cut: bool, wrappings: int) -> Arguments:
    fence = _FENCE.match(text)
    start = fence.end() if fence else 0
    if _REST.fullmatch(text, start) and not cut:
        return Arguments(input={}, text="{}")
    json, end = read_value(text, start, may_close=not cut)
    if _REST.fullmatch(text, _skip(text, end)) is None:
        raise UnreadableError(f"there is more behind the first value: {_glimpse(text, _skip(text, end))}")
    match json[0]:
        case "{":
            value = decode_object(json)
            if value is None:
                raise UnreadableError("a number or a character in them is out of range")
            return Arguments(input=value, text=json)
        case '"' if wrappings < MOST_WRAPPINGS:
            inner = _decoded(json)
            return _strict(inner) or _lenient(inner, cut=cut, wrappings=wrappings + 1)
        case "n":
            return Arguments(input={}, text="{}")
    raise UnreadableError("they are not an object")


class _Reader:
    """Reads a value and writes it down again as strict JSON, token by token, so that numbers stay as they are."""

    def __init__(self, text: str, *, may_close: bool) -> None:
        self._text, self._may_close = text, may_close
        self._written: list[str] = []
        self._at = 0
        self._shows_its_end = False
        """Whether the last value would look otherwise if something were missing from it."""

    def read(self, at: int) -> Reading:
        self._at = at
        self._value(depth=0)
        return Reading("".join(self._written), self._at)

    def _value(self, depth: int) -> None:
        if depth > MOST_NESTING:
            raise UnreadableError(f"they are nested deeper than {MOST_NESTING} levels")
        if len(self._written) > MOST_PARTS:
            raise UnreadableError("they are no strict JSON, and too large to be repaired")
        kind, part = self._token()
        self._shows_its_end = kind in _QUOTES
        if part == "{":
            self._object(depth)
        elif part == "[":
            self._array(depth)
        elif kind in _QUOTES:
            self._write(_quoted(part))
        elif kind == "number":
            self._write(_number(part))
        elif kind == "word" and part in _WORDS:
            self._write(_WORDS[part])
        else:
            raise self._wrong("a value", part)

    def _object(self, depth: int) -> None:
        self._write("{")
        keys: set[str] = set()
        while not self._closes("}"):
            if keys:
                self._comma(may_lack=self._text[self._at - 1] not in "\"'”")
                if self._closes("}"):
                    return
            key = self._key()
            if (name := _decoded(key)) in keys:
                raise UnreadableError(f"the key {key[:80]} stands twice")
            self._write(", " * bool(keys) + key + ": ")
            keys.add(name)
            if self._token()[1] != ":":
                raise UnreadableError(f"the key {key[:80]} is not followed by a colon")
            self._value(depth + 1)

    def _array(self, depth: int) -> None:
        self._write("[")
        is_first = True
        while not self._closes("]"):
            if not is_first:
                self._comma(may_lack=False)
                if self._closes("]"):
                    return
                self._write(", ")
            self._value(depth + 1)
            is_first = False

    def _key(self) -> str:
        if bare := _KEY.match(self._text, _skip(self._text, self._at)):
            self._at = bare.end()
            return f'"{bare[0]}"'
        kind, token = self._token()
        if kind not in _QUOTES:
            raise self._wrong("a key", token)
        return _quoted(token)

    def _comma(self, *, may_lack: bool) -> None:
        """Go over a comma. Behind a string it may not lack: the string might hold quotes that are not escaped."""
        at = _skip(self._text, self._at)
        if self._text.startswith(",", at):
            self._at = at + 1
            self._shows_its_end = False
        elif not may_lack:
            self._at = at
            raise self._wrong("a comma", "")

    def _closes(self, bracket: str) -> bool:
        """Whether the object or list ends here: with its bracket, or because the text does."""
        at = _skip(self._text, self._at)
        if self._text.startswith(bracket, at):
            self._at = at + 1
        elif at < len(self._text):
            return False
        elif not (self._may_close and self._shows_its_end) or _COMMENT.search(self._text, self._at):
            raise CutError("they end before they are complete")
        self._shows_its_end = True
        self._write(bracket)
        return True

    def _token(self) -> tuple[str, str]:
        self._at = at = _skip(self._text, self._at)
        token = _TOKEN.match(self._text, at)
        if token is None:
            if at == len(self._text):
                raise CutError("they end before they are complete")
            if self._text[at] in "\"'“":
                raise CutError(f"they end inside a string: {_glimpse(self._text, at)}")
            raise self._wrong("JSON", "")
        self._at = token.end()
        return token.lastgroup or "", token[0]

    def _write(self, json: str) -> None:
        self._written.append(json)

    def _wrong(self, wanted: str, token: str) -> UnreadableError:
        if token.lstrip("-") in {"NaN", "Infinity"}:
            return UnreadableError(f"{token} is no value of JSON")
        error = CutError if self._at >= len(self._text) - 1 else UnreadableError
        return error(f"{wanted} was expected at: {_glimpse(self._text, self._at - len(token))}")


def _quoted(token: str) -> str:
    """A string in double quotes, as JSON escapes it."""
    body = token[1:-1]
    if _PROPER.fullmatch(body):
        return f'"{body}"'
    if "\\" in body:
        _check(_ESCAPE.findall(body))
    return f'"{_CONTROL.sub(_control, _ESCAPE_OR_QUOTE.sub(_escaped, body))}"'


def _check(escapes: list[str]) -> None:
    """See that each backslash which starts no escape of JSON can only be meant as it stands."""
    odd = [one for one in escapes if len(one) == 1 and one not in _ESCAPES and one != "'"]
    bad = [one for one in odd if one in _ESCAPES_ELSEWHERE or not one.isascii()]
    if bad or (odd and not _ESCAPES_OF_LETTERS.isdisjoint(escapes)):
        raise UnreadableError(f"a backslash is not escaped: \\{(bad or odd)[0]}")


def _escaped(match: re.Match[str]) -> str:
    what = match[1]
    if what is None:
        return '\\"'
    if what == "'":
        return what
    return match[0] if what[0] in _ESCAPES or len(what) > 1 else "\\" + match[0]


def _control(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _number(token: str) -> str:
    sign, digits = ("-" if token[0] == "-" else ""), token.lstrip("+-")
    if digits[0] == ".":
        digits = "0" + digits
    digits = re.sub(r"\.(?!\d)", ".0", digits)
    if re.match(r"0\d", digits):
        raise UnreadableError(f"the number {token[:40]} begins with a zero")
    return sign + digits


def _skip(text: str, at: int) -> int:
    """The place behind blanks and comments."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _decoded(string: str) -> str:
    try:
        return msgspec.json.decode(string.encode(), type=str)
    except ValueError:
        raise UnreadableError("a character in them is half a character") from None


def _glimpse(text: str, at: int) -> str:
    return text[at : at + 40] + ("…" if len(text) > at + 40 else "")


_CONTAINERS = frozenset({dict, list})
_QUOTES = frozenset({"double", "single", "curly"})
_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_ESCAPES = frozenset('"\\/bfnrt')
_ESCAPES_OF_LETTERS = frozenset("bfnrt")
_ESCAPES_ELSEWHERE = frozenset("aevxuUNo0123456789$`\n\r")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_BLANK = lazy(
    r"(?:[\s\ufeff\u200b]++|//[^\n]*+|\#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+",
)
_COMMENT = lazy(r"//|#|/\*")
_TOKEN = lazy(
    r"""
      (?P<double> "(?:[^"\\]++|\\.)*+" )
    | (?P<single> '(?:[^'\\]++|\\.)*+' )
    | (?P<curly>  “[^“”"\\]*+” )
    | (?P<number> [+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?(?![\w.]) )
    | (?P<word>   -?[A-Za-z_]\w*+ )
    | (?P<mark>   [][{}:,] )
    """,
    re.VERBOSE | re.DOTALL,
)
_KEY = lazy(r"-?[A-Za-z_$][\w$-]*+(?=\s*+:)")
_STRINGS = lazy(r'"(?:[^"\\]++|\\.)*+"(\s*+:)?', re.DOTALL)
_FENCE = lazy(r"[\s\ufeff]*+`++(?:[A-Za-z_][\w+-]*+)?[ \t]*+(?=[\s{\[\"'])")
_REST = lazy(r"[\s\ufeff\u200b;]*+`*+\s*+")
_ESCAPE = lazy(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPE_OR_QUOTE = lazy(r'\\(u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_PROPER = lazy(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_CONTROL = lazy(r"[\x00-\x1f]")
