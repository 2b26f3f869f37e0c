"""Reads a line as bash would: text in, commands out (`syntax.py`).

It is strict. What bash takes and this reader does not know is `NotUnderstoodError`, and so is what bash itself would
refuse: nothing is skipped, guessed or repaired. Time and depth are bounded, whatever the text. (Grammars for editors
are none of this: tree-sitter-bash finds no command in the backquotes of a here-document, takes `time { rm x; }` for a
command with arguments, and wants gigabytes for fifty thousand pipes in a row.)
"""

from ferrule.core.regex import lazy
from ferrule.policy.shell.lines import NotUnderstoodError
from ferrule.policy.shell.simple import SimpleReader
from ferrule.policy.shell.syntax import (
    Calculation,
    Case,
    Chain,
    Command,
    Count,
    For,
    Forked,
    Function,
    Group,
    If,
    Pipeline,
    Redirected,
    Sequence,
    Statement,
    Test,
    While,
    Written,
)

_KEYWORD = lazy(
    r"(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|time|coproc|\[\[|[{}!])(?=[\s;&|<>()]|$)"
)
_TIMED = lazy(r"(?:[ \t]|\\\n)+(?=[^\s;&|)-]|&>)")
_NAME = lazy(r"[A-Za-z_]\w*")
_FUNCTION = lazy(r"([^\s;&|<>()$`\"'\\=#{}\[\]~*?!]+)[ \t]*\([ \t]*\)")
_COMPOUND = frozenset({"if", "while", "until", "for", "select", "case", "{", "[[", "function", "time", "coproc", "!"})
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "in"})
_ENDINGS = (";;&", ";;", ";&")


def read(text: str, *, depth: int = 0) -> Sequence:
    """Read a whole script.

    Raises:
        NotUnderstoodError: it is not bash, or not a part of bash that is known here.
    """
    reader = Reader(text, depth=depth)
    script = reader.sequence(frozenset())
    if reader.at < len(text):
        raise reader.near("a syntax error")
    reader.finish()
    return script


class Reader(SimpleReader):
    """Goes through the text once, from left to right."""

    def script(self, text: str, depth: int) -> Sequence:
        """Read the text between backquotes, which is a script of its own."""
        return read(text, depth=depth)

    def sequence(self, ends: frozenset[str]) -> Sequence:
        """Read commands until the end, a closing bracket, the end of a case, or one of these keywords."""
        self.deeper()
        items: list[tuple[Chain, bool]] = []
        self.blank_lines()
        while (
            self.at < len(self.text) and self.text[self.at] != ")" and not self.text.startswith((";;", ";&"), self.at)
        ):
            if self.keyword() in ends:
                break
            items.append((self.chain(), self.separator()))
            self.blank_lines()
        self.depth -= 1
        return Sequence(tuple(items))

    def separator(self) -> bool:
        """Go past what ends a command; say whether it sends it into the background."""
        self.blanks()
        character = self.text[self.at : self.at + 1]
        if character == "&":
            self.at += 1
            return True
        if character == "\n":
            self.newline()
        elif character == ";" and not self.text.startswith((";;", ";&"), self.at):
            self.at += 1
        elif character not in {"", ")", ";"}:
            raise self.near("a syntax error")
        return False

    def chain(self) -> Chain:
        """Read pipelines joined by `&&` and `||`."""
        first = self.pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while True:
            self.blanks()
            operator = self.text[self.at : self.at + 2]
            if operator not in {"&&", "||"}:
                return Chain(first, tuple(rest))
            self.operator(operator)
            self.blank_lines()
            rest.append((operator, self.pipeline()))

    def pipeline(self) -> Pipeline:
        """Read commands joined by `|`, with `!` and `time` before them."""
        negated = False
        while (keyword := self.keyword()) in {"!", "time"}:
            if keyword == "time" and not self.times_pipeline():
                break
            self.step()
            self.take(keyword)
            negated ^= keyword == "!"
        members = [self.command()]
        while True:
            self.blanks()
            if not self.text.startswith("|", self.at) or self.text.startswith("||", self.at):
                return Pipeline(members=tuple(members), negated=negated)
            self.operator("|&" if self.text.startswith("|&", self.at) else "|")
            self.blank_lines()
            members.append(self.command())

    def times_pipeline(self) -> bool:
        """Whether `time` is the keyword here: with options it is taken for the program, which is judged as such."""
        return _TIMED.match(self.text, self.at + len("time")) is not None

    def command(self) -> Statement:
        """Read one command of a pipeline, compound or simple."""
        self.deeper()
        self.blanks()
        start, keyword = self.at, self.keyword()
        if keyword in _CLOSING:
            raise self.near("a syntax error")
        statement = self.compound(keyword)
        if statement is None:
            statement = self.simple()
        elif redirections := self.redirections():
            statement = Redirected(self.text[start : self.at], statement, redirections)
        self.depth -= 1
        return statement

    def compound(self, keyword: str) -> Statement | None:
        """Read what begins with a keyword or a bracket, or what defines a function."""
        if self.text.startswith("((", self.at):
            return Calculation(self.calculation())
        if self.text.startswith("(", self.at):
            self.at += 1
            return Group(self.closed_by_bracket(), subshell=True)
        match keyword:
            case "{":
                self.take("{")
                return Group(self.body("}"), subshell=False)
            case "if":
                return self.conditional()
            case "while" | "until":
                self.take(keyword)
                return While(self.body("do"), self.body("done"), until=keyword == "until")
            case "for" | "select":
                return self.loop(keyword)
            case "case":
                return self.case()
            case "[[":
                return self.test()
            case "function":
                return self.function()
            case "coproc":
                return self.coprocess()
        if found := _FUNCTION.match(self.text, self.at):
            self.at = found.end()
            return self.defined(found[1])
        return None

    def closed_by_bracket(self) -> Sequence:
        """Read commands up to the closing bracket, and the bracket."""
        script = self.sequence(frozenset())
        self.blanks()
        if not self.text.startswith(")", self.at):
            raise self.near("a bracket that is not closed")
        self.at += 1
        return script

    def body(self, *ends: str) -> Sequence:
        """Read at least one command, up to the keyword that ends it; that is taken if there is only one."""
        script = self.sequence(frozenset(ends))
        if not script.items or self.keyword() not in ends:
            raise self.near("a syntax error")
        if len(ends) == 1:
            self.take(ends[0])
        return script

    def conditional(self) -> If:
        """Read `if … fi`."""
        branches, otherwise, keyword = [], None, "if"
        while keyword in {"if", "elif"}:
            self.take(keyword)
            condition = self.body("then")
            branches.append((condition, self.body("elif", "else", "fi")))
            keyword = self.keyword()
        if keyword == "else":
            self.take("else")
            otherwise = self.body("fi")
        else:
            self.take("fi")
        return If(tuple(branches), otherwise)

    def loop(self, keyword: str) -> Statement:
        """Read `for` or `select`."""
        self.take(keyword)
        self.blanks()
        if self.text.startswith("((", self.at):
            pieces = self.calculation()
            self.end_of_head()
            self.take("do")
            return Count(pieces, self.body("done"))
        name = self.name()
        self.blank_lines()
        words: list[Written] | None = None
        if self.text.startswith("in", self.at) and self.text[self.at + 2 : self.at + 3] in {"", " ", "\t", "\n", ";"}:
            self.at += 2
            words = self.words()
        self.end_of_head()
        self.take("do")
        return For(name, None if words is None else tuple(words), self.body("done"))

    def words(self) -> list[Written]:
        """Read words to the end of the line."""
        words: list[Written] = []
        while (word := self.next_word()) is not None:
            words.append(word)
        return words

    def end_of_head(self) -> None:
        """Go past what stands between the head of a loop and its `do`."""
        self.blanks()
        if self.text.startswith(";", self.at) and not self.text.startswith((";;", ";&"), self.at):
            self.at += 1
        self.blank_lines()

    def case(self) -> Case:
        """Read `case … esac`."""
        self.take("case")
        word = self.next_word()
        self.blank_lines()
        if word is None or not self.text.startswith("in", self.at):
            raise self.near("a syntax error")
        self.at += 2
        if self.text[self.at : self.at + 1] not in {" ", "\t", "\n"}:
            raise self.near("a syntax error")
        items: list[tuple[tuple[Written, ...], Sequence]] = []
        self.blank_lines()
        while self.keyword() != "esac":
            items.append(self.case_item())
            self.blank_lines()
        self.take("esac")
        return Case(word, tuple(items))

    def case_item(self) -> tuple[tuple[Written, ...], Sequence]:
        """Read patterns, a bracket, and the script behind it."""
        if self.text.startswith("(", self.at):
            self.at += 1
        patterns: list[Written] = []
        while True:
            if (pattern := self.next_word()) is None:
                raise self.near("a syntax error")
            patterns.append(pattern)
            self.blanks()
            self.at += 1
            if self.text[self.at - 1 : self.at] == ")":
                break
            if self.text[self.at - 1 : self.at] != "|":
                raise self.near("a syntax error")
        script = self.sequence(frozenset({"esac"}))
        self.blanks()
        for ending in _ENDINGS:
            if self.text.startswith(ending, self.at):
                self.at += len(ending)
                break
        else:
            if self.keyword() != "esac":
                raise self.near("a syntax error")
        return tuple(patterns), script

    def test(self) -> Test:
        """Read `[[ … ]]`."""
        start = self.at
        self.take("[[")
        words: list[Written] = []
        after = ""
        while True:
            word = self.pattern_word() if after in {"=~", "==", "=", "!="} else self.test_word()
            if word.plain == "]]":
                break
            words.append(word)
            after = word.plain or ""
        return Test(self.text[start : self.at], tuple(words))

    def function(self) -> Function:
        """Read `function name { … }`."""
        self.take("function")
        word = self.next_word()
        if word is None or word.plain is None:
            raise self.near("a function with a strange name")
        self.blanks()
        if self.text.startswith("(", self.at):
            self.at += 1
            self.blanks()
            if not self.text.startswith(")", self.at):
                raise self.near("a syntax error")
            self.at += 1
        return self.defined(word.plain)

    def defined(self, name: str) -> Function:
        """Read the body of a function."""
        self.deeper()
        self.blank_lines()
        start = self.at
        body = self.compound(self.keyword())
        if body is None or isinstance(body, Function | Forked):
            raise self.near("a function without a body")
        if redirections := self.redirections():
            body = Redirected(self.text[start : self.at], body, redirections)
        self.depth -= 1
        return Function(name, body)

    def coprocess(self) -> Forked:
        """Read `coproc …`; one with a name of its own is not known here."""
        self.take("coproc")
        body = self.command()
        if isinstance(body, Command) and any(word.plain in _COMPOUND for word in body.words[:2]):
            raise self.near("a named coprocess")
        return Forked(body)

    def keyword(self) -> str:
        """The keyword that stands here, or nothing."""
        found = _KEYWORD.match(self.text, self.at)
        return found[0] if found else ""

    def take(self, keyword: str) -> None:
        """Go past a keyword that must stand here."""
        if self.keyword() != keyword:
            raise self.near("a syntax error")
        self.at += len(keyword)
        self.blanks()

    def name(self) -> str:
        """Read the name of a variable."""
        self.blanks()
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self.near("a syntax error")
        self.at = found.end()
        return found[0]


__all__ = ["NotUnderstoodError", "Reader", "read"]
