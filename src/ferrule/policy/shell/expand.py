"""What words will be when the shell has expanded them, as far as that can be said without running anything."""

import pwd
from collections.abc import Callable

from ferrule.core.regex import lazy
from ferrule.policy.command import Word
from ferrule.policy.shell import braces, builtins, parameters
from ferrule.policy.shell.scope import NUMBER, UNKNOWN, Held, Scope
from ferrule.policy.shell.syntax import (
    Arithmetic,
    Array,
    Parameter,
    Piece,
    Plain,
    Process,
    Quoted,
    Sequence,
    Substitution,
    Written,
)

_SPECIAL = lazy(r"[{~*?\[]")
_GLOB = lazy(r"[*?]|\[.*\]")
_USER = lazy(r"~([A-Za-z0-9_.+-]*)(?=[/:]|$)")
_LIKE_ASSIGNMENT = lazy(r"[A-Za-z_]\w*\+?=")
_BLANKS = lazy(r"[ \t\n]+")
_BLANK = frozenset(" \t\n")
_NAME = lazy(r"[A-Za-z_]\w*")
_SAFE_NUMBER = lazy(r"[\s\d+*/%()<>=!&|^~?:,-]*")
_ASSIGNED = lazy(r"([A-Za-z_]\w*)\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)")

_A_WORD = 20
"""What a word costs beside its letters."""
PROCESS = "/dev/fd/63"
"""The file behind which a process substitution runs; the number is bash's own affair."""
Run = Callable[[Sequence, Scope], Held]
"""Looks at a script that is run inside a word, and says what it prints."""
Doubt = Callable[[str], None]
"""Takes note that something cannot be understood."""
Grow = Callable[[int], None]
"""Counts the letters that expansions have made, and ends it where they are too many."""


class Fragment(Held, frozen=True, kw_only=True):
    """A part of a word after its expansion."""

    quoted: bool = False
    """Whether it stands for itself: not split, no pattern."""
    written: bool = False
    """Whether it was written as it is: not split, but perhaps a pattern."""
    ends: bool = False
    """Whether the word ends here and another begins, as between the arguments of `"$@"`."""


class Expander:
    """Expands the words of one command in one scope."""

    def __init__(self, scope: Scope, *, home: str, run: Run, doubt: Doubt, grow: Grow) -> None:
        self.scope = scope
        self.home = home
        self.run = run
        self.doubt = doubt
        self.grow = grow

    def words(self, written: Written) -> list[Word]:
        """The words that a written one becomes: none, one or several."""
        plain = written.plain
        if plain is not None and not _SPECIAL.search(plain):
            return [Word(plain, plain)]
        if not braces.has_braces(written.pieces):
            return self._fields(written.pieces, written.raw)
        try:
            made = braces.expanded(written.pieces)
        except braces.UnclearError:
            self.doubt("braces whose words are not clear")
            return [Word(written.raw, many=True)]
        return [word for pieces in made for word in self._fields(pieces, written.raw)]

    def word(self, written: Written) -> Word:
        """The one word that a written one becomes where it is not split, as in `case` or behind `<<<`."""
        held = self.value(written)
        return Word(written.raw, held.text, glob=held.glob, prefix=held.text or "")

    def target(self, written: Written) -> Word:
        """The one word behind a redirection; bash refuses several."""
        words = self.words(written)
        return words[0] if len(words) == 1 else Word(written.raw, many=True)

    def value(self, written: Written, *, assigned: bool = False) -> Held:
        """What a variable holds after it was given this word."""
        if len(written.pieces) == 1 and isinstance(array := written.pieces[0], Array):
            words = [word for one in array.words for word in self.words(one)]
            if any(word.many for word in words):
                return UNKNOWN
            return Held(fields=tuple(Held(text=word.text, glob=word.glob) for word in words))
        fragments = self.fragments(self._with_home(written.pieces, assigned=assigned))
        if len(fragments) == 1:
            one = fragments[0]
            return Held(text=one.text, glob=one.glob, number=one.number, below=one.below)
        if any(fragment.text is None or fragment.ends for fragment in fragments):
            return UNKNOWN
        return Held(
            text="".join(fragment.text or "" for fragment in fragments),
            glob=any(fragment.glob for fragment in fragments),
        )

    def fragments(self, pieces: tuple[Piece, ...]) -> list[Fragment]:
        """Expand the pieces of a word, each on its own."""
        made: list[Fragment] = []
        for piece in pieces:
            match piece:
                case Plain():
                    made.append(Fragment(text=piece.text, written=True))
                case Quoted():
                    made.append(Fragment(text=piece.text, quoted=True))
                case Parameter():
                    expanded = self._parameter(piece)
                    self.grow(sum(_A_WORD + len(one.text or "") for one in expanded))
                    made.extend(expanded)
                case Substitution():
                    held = self.run(piece.script, self.scope)
                    self.grow(_A_WORD + len(held.text or ""))
                    made.append(Fragment(text=held.text, number=held.number, below=held.below, quoted=piece.quoted))
                case Arithmetic():
                    self.calculate(piece.pieces)
                    made.append(Fragment(number=True, quoted=True))
                case Process():
                    self.run(piece.script, self.scope)
                    made.append(Fragment(text=PROCESS, quoted=True))
                case Array():
                    made.append(Fragment(quoted=True))
                    self.value(Written("", (piece,)))
        return made

    def calculate(self, pieces: tuple[Piece, ...]) -> None:
        """Look at arithmetic: what it assigns, and whether a value in it could hide a command."""
        text = ""
        for fragment in self.fragments(pieces):
            if fragment.text is None and not fragment.number:
                self.doubt("arithmetic with a value that is not known")
            text += fragment.text or "0"
        if "[" in text or "`" in text or "$" in text:
            self.doubt("arithmetic with an array or a substitution")
        assigned = {name for found in _ASSIGNED.findall(text) for name in found if name}
        for name in set(_NAME.findall(text)):
            held = self.scope.variables.get(name)
            known = held is not None and (held.number or (held.text is not None and _SAFE_NUMBER.fullmatch(held.text)))
            if not known and name not in assigned and name not in parameters.NUMBERS:
                self.doubt(f"arithmetic with ${name}, whose value is not known")
        for name in assigned:
            if builtins.steers(name, Word(name)):
                self.doubt(f"arithmetic that sets {name}")
            self.scope = self.scope.holding(name, NUMBER)

    def _parameter(self, piece: Parameter) -> list[Fragment]:
        """Expand `$x` or `${x…}`; what stands behind its operator is looked at in any case."""
        argument = self._argument(piece)
        if piece.operator == "@" and argument.text not in {"Q", "U", "u", "L", "A", "a", "K", "k", "E"}:
            self.doubt("an expansion that could run a command")
        if piece.length:
            return [Fragment(number=True, quoted=True)]
        index = self._index(piece)
        if piece.name in {"@", "*"} or index in {"@", "*"}:
            return self._all(piece)
        held = self._indirect(piece) if piece.indirect else self._held(piece.name)
        if index is not None:
            held = (
                held.fields[int(index)]
                if held.fields and index.isdecimal() and int(index) < len(held.fields)
                else UNKNOWN
            )
        elif held.fields is not None:
            held = held.fields[0] if held.fields else Held(text="")
        if piece.operator:
            held = parameters.applied(piece.operator, held, argument)
        return [Fragment(text=held.text, glob=held.glob, number=held.number, below=held.below, quoted=piece.quoted)]

    def _argument(self, piece: Parameter) -> Held:
        if not piece.operator:
            return Held(text="")
        if piece.operator == ":":
            self.calculate(piece.argument)
        elif piece.operator in {"=", ":="}:
            if builtins.steers(piece.name, Word(piece.name)):
                self.doubt(f"an expansion that sets {piece.name}")
            self.scope = self.scope.holding(piece.name, UNKNOWN)
        return self.value(Written("", piece.argument))

    def _index(self, piece: Parameter) -> str | None:
        """The index of `${x[…]}`, or a word for one that is not known."""
        if piece.subscript is None:
            return None
        plain = Written("", piece.subscript).plain
        if plain not in {"@", "*"}:
            self.calculate(piece.subscript)
        return plain or "?"

    def _all(self, piece: Parameter) -> list[Fragment]:
        """All arguments, or all fields of an array."""
        held = self.scope.arguments if piece.name in {"@", "*"} else self._held(piece.name).fields
        if held is None or piece.operator or piece.indirect:
            return [Fragment()]
        star = piece.name == "*" or Written("", piece.subscript or ()).plain == "*"
        if piece.quoted and star:
            whole = None if any(one.text is None for one in held) else " ".join(one.text or "" for one in held)
            return [Fragment(text=whole, quoted=True)]
        return [
            Fragment(text=one.text, glob=one.glob, number=one.number, quoted=piece.quoted, ends=place > 0)
            for place, one in enumerate(held)
        ]

    def _indirect(self, piece: Parameter) -> Held:
        name = self._held(piece.name).text
        if name is None or not _NAME.fullmatch(name):
            self.doubt("a variable whose name is in another")
            return UNKNOWN
        return self._held(name)

    def _held(self, name: str) -> Held:
        """What a variable holds."""
        if (held := self.scope.variables.get(name)) is not None:
            return held
        if name in parameters.NUMBERS:
            return NUMBER
        if name.isdecimal() and name != "0" and self.scope.arguments is not None:
            place = int(name) - 1
            return self.scope.arguments[place] if place < len(self.scope.arguments) else Held(text="")
        match name:
            case "HOME" if self.home:
                return Held(text=self.home)
            case "PWD" if len(self.scope.directories) == 1:
                return Held(text=self.scope.directories[0])
            case "IFS":
                return Held(text=" \t\n")
        return UNKNOWN

    def _fields(self, pieces: tuple[Piece, ...], raw: str) -> list[Word]:
        """Put fragments together into words, splitting where the shell would."""
        fields = Fields(raw, splits="IFS" not in self.scope.variables)
        for fragment in self.fragments(self._with_home(pieces)):
            fields.add(fragment)
        return fields.finished()

    def _with_home(self, pieces: tuple[Piece, ...], *, assigned: bool = False) -> tuple[Piece, ...]:
        """Expand the tilde that a word begins with."""
        first = pieces[0] if pieces else None
        if not isinstance(first, Plain) or "~" not in first.text:
            return pieces
        name = _LIKE_ASSIGNMENT.match(first.text)
        start = name.end() if name else 0
        if (assigned or name) and ":~" in first.text:
            return (Parameter(name="_"), *pieces[1:])
        found = _USER.match(first.text, start)
        if found is None or (found.end() == len(first.text) and len(pieces) > 1):
            return pieces
        before = (Plain(first.text[:start]),) if start else ()
        return (*before, self._home_of(found[1]), Plain(first.text[found.end() :]), *pieces[1:])

    def _home_of(self, user: str) -> Piece:
        if user == "":
            return Parameter(name="HOME", quoted=True)
        if user == "+":
            return Parameter(name="PWD", quoted=True)
        try:
            return Quoted(pwd.getpwnam(user).pw_dir)
        except KeyError:
            return Parameter(name="OLDPWD", quoted=True) if user == "-" else Plain("~" + user)


class Fields:
    """Puts the words together that one written word becomes."""

    def __init__(self, raw: str, *, splits: bool) -> None:
        self.raw = raw
        self.splits = splits
        self._made: list[Word] = []
        self._begin()

    def _begin(self) -> None:
        self._text, self._prefix = "", ""
        self._below: tuple[str, ...] = ()
        self._known, self._glob, self._many, self._present = True, False, False, False

    def add(self, fragment: Fragment) -> None:
        """Add a fragment to the word that is being made."""
        if fragment.ends:
            self._end()
        if fragment.text is None or (not self.splits and not (fragment.quoted or fragment.written)):
            self._unknown(fragment)
        elif fragment.quoted or fragment.written:
            self._append(fragment.text, glob=fragment.glob or (fragment.written and _is_glob(fragment.text)))
            self._present |= fragment.quoted or bool(fragment.text)
        else:
            self._split(fragment.text, glob=fragment.glob)

    def finished(self) -> list[Word]:
        """All words that were made."""
        self._end()
        return self._made

    def _append(self, text: str, *, glob: bool) -> None:
        self._text += text
        self._glob |= glob
        if text:
            self._below = ()
        if self._known:
            self._prefix = self._text

    def _unknown(self, fragment: Fragment) -> None:
        self._below = fragment.below if self._known and not self._text else ()
        self._known = False
        self._present = True
        self._many |= not (fragment.quoted or fragment.written or fragment.number)

    def _split(self, text: str, *, glob: bool) -> None:
        parts = [part for part in _BLANKS.split(text) if part]
        if text[:1] in _BLANK:
            self._end()
        for place, part in enumerate(parts):
            if place:
                self._end()
            self._append(part, glob=glob or _is_glob(part))
            self._present = True
        if parts and text[-1] in _BLANK:
            self._end()

    def _end(self) -> None:
        if self._present:
            text = self._text if self._known else None
            prefix = "" if self._known else self._prefix
            self._made.append(Word(self.raw, text, glob=self._glob, many=self._many, prefix=prefix, below=self._below))
        self._begin()


def _is_glob(text: str) -> bool:
    return _GLOB.search(text) is not None
