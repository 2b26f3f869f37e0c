"""Reads simple commands: assignments, words and redirections."""

from ferrule.core.regex import lazy
from ferrule.policy.shell.syntax import Array, Assignment, Command, Plain, Redirection, Written
from ferrule.policy.shell.words import WordReader

_RESERVED = lazy(
    r"(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|in|time|coproc|\[\[|[{}!])"
)
_REDIRECTION = lazy(r"(?:\d+(?=[<>]))?(&>>|&>|>>|>\||>&|<<<|<<-|<<|<&|<>|>|<)(?!\()|\d*[<>](?=\()")
_NUMBERED = lazy(r"\{[A-Za-z_]\w*(?:\[[^\]\n]{0,99}\])?\}[<>]")
_ASSIGNMENT = lazy(r"([A-Za-z_]\w*)(\+?=|\[)")
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})


class SimpleReader(WordReader):
    """The part of the reader that knows what a simple command is made of."""

    def simple(self) -> Command:
        """Read assignments, words and redirections."""
        start = self.at
        assignments: list[Assignment] = []
        words: list[Written] = []
        redirections: list[Redirection] = []
        while True:
            self.blanks()
            if redirection := self.redirection():
                redirections.append(redirection)
            elif not words and (assignment := self.assignment()):
                assignments.append(assignment)
            elif (word := self.next_word(array=bool(words) and words[0].plain in _DECLARING)) is not None:
                words.append(word)
            else:
                break
        if not (assignments or words or redirections):
            raise self.near("a syntax error")
        if words and _RESERVED.fullmatch(words[0].plain or ""):
            self.doubt(words[0].plain, first=not (assignments or redirections))
        return Command(
            raw=self.text[start : self.at].strip(),
            assignments=tuple(assignments),
            words=tuple(words),
            redirections=tuple(redirections),
        )

    def doubt(self, word: str | None, *, first: bool) -> None:
        """Refuse a keyword that was taken for a program, unless it is `time` with options.

        Bash itself takes `> file ! x` in one way outside a substitution and in another way inside it.
        """
        if word != "time" or not first:
            raise self.near(f"the keyword {word}")

    def redirections(self) -> tuple[Redirection, ...]:
        """Read the redirections behind a compound command."""
        found: list[Redirection] = []
        while True:
            self.blanks()
            redirection = self.redirection()
            if redirection is None:
                return tuple(found)
            found.append(redirection)

    def redirection(self) -> Redirection | None:
        """Read one redirection, if there is one here."""
        if _NUMBERED.match(self.text, self.at):
            raise self.near("a redirection that sets a variable")
        found = _REDIRECTION.match(self.text, self.at)
        if found is None or found[1] is None:
            return None
        self.at = found.end()
        self.unbroken()
        operator = found[1]
        self.blanks()
        if operator in {"<<", "<<-"}:
            return self.here_document(operator)
        if operator in {">&", "<&"} and self.text.startswith("-", self.at):
            self.at += 1  # it closes a stream; what follows is a word of its own, even without a blank
            return Redirection(operator, Written("-", (Plain("-"),)))
        target = self.next_word()
        if target is None:
            raise self.near("a redirection without a target")
        return Redirection(operator, target)

    def assignment(self) -> Assignment | None:
        """Read `name=value`, if it stands here."""
        found = _ASSIGNMENT.match(self.text, self.at)
        if found is None:
            return None
        name, operator = found[1], found[2]
        subscript = None
        start = self.at
        if operator == "[":
            self.at = found.end()
            subscript = self.subscript()
            operator = "+=" if self.text.startswith("+=", self.at) else self.text[self.at : self.at + 1]
            if operator not in {"=", "+="}:
                self.at = start
                return None
            self.at += len(operator)
        else:
            self.at = found.end()
        value = self.value()
        return Assignment(name=name, value=value, add=operator == "+=", subscript=subscript)

    def value(self) -> Written:
        """Read what is assigned: a word, an array, or nothing."""
        start = self.at
        if self.text.startswith("(", self.at):
            array = self.array()
            if self.text[self.at : self.at + 1] not in {"", " ", "\t", "\n", ";", "&", "|", ")"}:
                raise self.near("a syntax error")
            return Written(self.text[start : self.at], (array,))
        if self.text[self.at : self.at + 1] in {"", " ", "\t", "\n", ";", "&", "|", ")"}:
            return Written("", ())
        return self.word_here() or Written("", ())

    def array(self) -> Array:
        """Read `(a b c)`."""
        self.at += 1
        words: list[Written] = []
        while True:
            self.blank_lines()
            if self.text.startswith(")", self.at):
                self.at += 1
                return Array(tuple(words))
            word = self.next_word()
            if word is None:
                raise self.near("an array that is not closed")
            words.append(word)
