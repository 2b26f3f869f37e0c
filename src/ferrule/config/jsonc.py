"""JSON with comments and trailing commas, read so that every key and value knows where it stands.

Comments are `// …`, `# …` and `/* … */`. Everything else is strict JSON: what one reader would take and another
refuse (a key given twice, half a surrogate pair, NaN) is refused here, with its place.
"""

from typing import Any, NoReturn

import msgspec

from ferrule.config.words import plain, shown
from ferrule.core.errors import ConfigError
from ferrule.core.regex import lazy

DEEPEST = 100
MOST_PROBLEMS = 20
"""How many problems of one file are told; to find the place of each takes time."""


class Node(msgspec.Struct, frozen=True):
    """A value and the piece of text that it stands for. An object holds members, a list holds nodes."""

    value: Any
    start: int
    end: int

    @property
    def plain(self) -> Any:
        """The value as it would come from any JSON reader."""
        if isinstance(self.value, dict):
            return {name: member.node.plain for name, member in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain for node in self.value]
        return self.value


class Member(msgspec.Struct, frozen=True):
    """A key of an object, where the key stands, and its value."""

    start: int
    node: Node


class Document(msgspec.Struct, frozen=True):
    """A file that was read. Its root is nothing where the file holds only blanks and comments."""

    name: str
    text: str
    root: Node | None
    problems: tuple[str, ...]
    """What is wrong but did not stop the reading: keys given twice."""

    def line(self, offset: int) -> int:
        """The line of a place in the text, counted from 1."""
        return self.text.count("\n", 0, offset) + 1

    def place(self, offset: int) -> str:
        """A place in the text as `file:line:column`."""
        return _place(self.name, self.text, offset)


def parse(data: bytes, name: str) -> Document:
    """Read a file's bytes; `name` is what errors call the file.

    Raises:
        ConfigError: it is not JSON with comments, with line and column.
    """
    parser = _Parser(_decoded(data, name), name)
    root = parser.document()
    return Document(name, parser.text, root, tuple(parser.problems))


def skip(text: str, offset: int) -> int:
    """The place of the next thing that is neither blank nor comment."""
    match = _BLANK.match(text, offset)
    return match.end() if match else offset


class _Parser:
    """Goes through the text once, from left to right; `at` is where it stands."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.at = text, name, 0
        self.problems: list[str] = []

    def document(self) -> Node | None:
        root = None if self.next() == "" else self.value(0)
        if self.next() != "":
            self.fail(f"The configuration ends here, but {self.here()} follows.")
        return root

    def next(self) -> str:
        """Go to the next thing and look at its first character; nothing at the end of the text."""
        char = self.text[self.at : self.at + 1]
        if char not in _MAY_BE_BLANK:
            return char
        self.at = skip(self.text, self.at)
        if self.text.startswith("/*", self.at):
            self.fail('This comment does not end: "*/" is missing.')
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Node:
        char, start = self.next(), self.at
        if depth > DEEPEST:
            self.fail(f"This is nested more than {DEEPEST} deep.")
        value: Any
        match char:
            case "{":
                value = self.members(depth)
            case "[":
                value = self.items(depth)
            case '"':
                value = self.string()
            case _:
                value = self.word()
        return Node(value, start, self.at)

    def members(self, depth: int) -> dict[str, Member]:
        start, members = self.at, dict[str, Member]()
        self.at += 1
        while self.next() != "}":
            key_at = self.at
            key = self.key(start)
            if self.next() != ":":
                self.fail(f"A colon must follow the key {shown(key)}, not {self.here()}.")
            self.at += 1
            node = self.value(depth + 1)
            if key in members:
                self.note_twice(key, members[key].start, key_at)
            else:
                members[key] = Member(key_at, node)
            self.separator(start, "}")
        self.at += 1
        return members

    def items(self, depth: int) -> list[Node]:
        start, items = self.at, list[Node]()
        self.at += 1
        while self.next() != "]":
            if self.at == len(self.text):
                self.fail('This list does not end: "]" is missing.', start)
            items.append(self.value(depth + 1))
            self.separator(start, "]")
        self.at += 1
        return items

    def key(self, start: int) -> str:
        if self.text.startswith('"', self.at):
            return self.string()
        if self.at == len(self.text):
            self.fail('This object does not end: "}" is missing.', start)
        if (match := _WORD.match(self.text, self.at)) is not None:
            self.fail(f"A key stands in double quotes: {shown(match[0])}.")
        return self.fail(f"A key in double quotes must stand here, not {self.here()}.")

    def separator(self, start: int, close: str) -> None:
        """Pass the comma after an item; none is needed before the end."""
        char = self.next()
        if char == ",":
            self.at += 1
        elif char == "":
            kind = "object" if close == "}" else "list"
            self.fail(f'This {kind} does not end: "{close}" is missing.', start)
        elif char != close:
            self.fail(f'A comma or "{close}" must stand before {self.here()}.')

    def string(self) -> str:
        if (whole := _PLAIN_STRING.match(self.text, self.at)) is not None:
            self.at = whole.end()
            return whole[1]
        start, pieces = self.at, list[str]()
        self.at += 1
        while not self.text.startswith('"', self.at):
            if (piece := _STRETCH.match(self.text, self.at)) is not None:
                self.at = piece.end()
                pieces.append(piece[0])
            elif self.text.startswith("\\", self.at):
                pieces.append(self.escape())
            elif self.text[self.at : self.at + 1] in {"", "\n", "\r"}:
                self.fail("This string does not end on its line: a double quote is missing.", start)
            else:
                code = ord(self.text[self.at])
                self.fail(f"A control character stands in this string; write it as \\u{code:04x}.")
        self.at += 1
        return "".join(pieces)

    def escape(self) -> str:
        """Read what begins with a backslash."""
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in _SIMPLE_ESCAPES:
            self.at += 2
            return _SIMPLE_ESCAPES[letter]
        if letter != "u":
            self.fail(f"\\{plain(letter)} is no escape that JSON knows; a backslash itself is \\\\.")
        start, code = self.at, self.unit()
        if 0xD800 <= code <= 0xDBFF and self.text.startswith("\\u", self.at):
            low = self.unit()
            if 0xDC00 <= low <= 0xDFFF:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= code <= 0xDFFF:
            self.fail(f"{self.text[start : start + 6]} is half of a character; the other half is missing.", start)
        return chr(code)

    def unit(self) -> int:
        """Read one code unit: the letter u and its four digits."""
        digits = self.text[self.at + 2 : self.at + 6]
        if len(digits) < 4 or not _HEXADECIMAL.issuperset(digits):
            self.fail("Four hexadecimal digits must follow \\u.")
        self.at += 6
        return int(digits, 16)

    def word(self) -> Any:
        """Read a number, or one of the three words that JSON knows."""
        match = _WORD.match(self.text, self.at)
        if match is None:
            self.fail(f"A value must stand here, not {self.here()}.")
        try:
            value = msgspec.json.decode(match[0])
        except msgspec.ValidationError:
            self.fail("This number is too large.")
        except msgspec.DecodeError:
            self.fail(f"{shown(match[0])[1:-1]} is no value that JSON knows; {_meant(match[0])}.")
        self.at = match.end()
        return value

    def here(self) -> str:
        """What stands at this place, in words."""
        char = self.text[self.at : self.at + 1]
        if not char:
            return "the end of the file"
        if char == "'":
            return "a single quote"
        if not char.isprintable():
            return f"the invisible character U+{ord(char):04X}"
        if (string := _PLAIN_STRING.match(self.text, self.at)) is not None:
            return shown(string[1])
        match = _WORD.match(self.text, self.at)
        return shown(match[0] if match else char)

    def note_twice(self, key: str, first: int, second: int) -> None:
        """Remember a key that stands twice; that is no reason to stop reading."""
        if len(self.problems) < MOST_PROBLEMS:
            line = self.text.count("\n", 0, first) + 1
            words = f"The key {shown(key)} stands here a second time; the first is in line {line}."
            self.problems.append(f"{_place(self.name, self.text, second)}: {words}")

    def fail(self, words: str, offset: int | None = None) -> NoReturn:
        raise ConfigError(f"{_place(self.name, self.text, self.at if offset is None else offset)}: {words}")


def _decoded(data: bytes, name: str) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise ConfigError(f"{plain(name)}:1:1: The file begins with a byte order mark; save it without one.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(f"{plain(name)}:1:1: The file is in UTF-16; save it as UTF-8.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        place = _place(name, before, len(before))
        raise ConfigError(f"{place}: The byte 0x{data[error.start]:02x} is not UTF-8.") from None


def _place(name: str, text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"{plain(name)}:{line}:{offset - text.rfind(chr(10), 0, offset)}"


def _meant(word: str) -> str:
    small = word.lower()
    if small in {"true", "false", "null", "none"}:
        return f"{small.replace('none', 'null')} was meant"
    if word[0] in "+-.0123456789" or small in {"nan", "infinity"}:
        return "a number looks like 12, -0.5 or 1e6"
    return "a string stands in double quotes"


_MAY_BE_BLANK = frozenset(("", " ", "\t", "\r", "\n", "/", "#"))
_BLANK = lazy(r"(?:[ \t\r\n]++|//[^\r\n]*+|#[^\r\n]*+|/\*(?s:.*?)\*/)*+")
_PLAIN_STRING = lazy(r'"([^"\\\x00-\x1f]*+)"')
_STRETCH = lazy(r'[^"\\\x00-\x1f]++')
_WORD = lazy(r"[A-Za-z0-9_$.+\-]++")
_SIMPLE_ESCAPES = dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
