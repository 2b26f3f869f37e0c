"""Looks at simple commands: functions, the shell's own commands, wrappers, and scripts that come through a pipe."""

import os
from posixpath import basename
from typing import Protocol

import msgspec

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Level, Nested, Redirect, Simple, Word, beginning
from ferrule.policy.plain import too_much
from ferrule.policy.shell import builtins, interpreters, outputs
from ferrule.policy.shell.control import EMPTY, After
from ferrule.policy.shell.expand import PROCESS, Expander
from ferrule.policy.shell.lines import NotUnderstoodError
from ferrule.policy.shell.own import DEEPEST, Own
from ferrule.policy.shell.reader import read
from ferrule.policy.shell.scope import UNKNOWN, Held, Scope, joined
from ferrule.policy.shell.syntax import (
    Assignment,
    Command,
    Function,
    Plain,
    Process,
    Redirected,
    Redirection,
    Sequence,
    Test,
    Written,
)

_SPECIAL = lazy(r"[^\w./,:@%+=-]")
_INPUT = frozenset({"<", "<<", "<<-", "<<<", "<>", "<&"})
_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_MOST_LETTERS = 200_000
"""How much text the expansions of a line may make: a value that is doubled again and again has no end."""


class Know(Protocol):
    """Says what is known of one simple command."""

    def __call__(self, command: Simple, *, home: str = "") -> Knowledge:
        """Look at the words of the command; nothing is run."""
        ...


class Remark(msgspec.Struct, frozen=True):
    """Something about a whole line that no single command in it says."""

    level: Level
    reason: str


class Runner(Own):
    """Collects what one line could run."""

    def __init__(self, know: Know, *, home: str) -> None:
        super().__init__()
        self.know = know
        self.home = home
        self.parts: dict[Simple, Knowledge] = {}
        self.opaque: dict[str, None] = {}
        self.remarks: dict[Remark, None] = {}
        self.traps: list[str] = []
        self.letters = 0
        self._entered: dict[int, tuple[int, int, int]] = {}
        """The bodies of functions that are being looked at, and what was around each when it was called."""
        self._uncalled: dict[int, tuple[str, Scope]] = {}
        self._real: dict[str, str] = {}

    def whole(self, script: Sequence, scope: Scope) -> None:
        """Look at a whole line, at the traps that spring at its end, and at functions that nothing has called."""
        end = self.sequence(script, scope).either(scope)
        anywhere = end.replaced(directories=(None,), variables=dict.fromkeys(end.variables, UNKNOWN))
        for trap in self.traps:
            self.script(trap, end, UNKNOWN)
            self.script(trap, anywhere, UNKNOWN)
        while self._uncalled:
            _, (name, defined) = self._uncalled.popitem()
            self._body(name, defined, UNKNOWN)

    def doubt(self, reason: str) -> None:
        """Take note that something cannot be understood."""
        self.opaque[reason] = None

    def remark(self, level: Level, reason: str) -> None:
        """Take note of something that no single command says."""
        self.remarks[Remark(level, reason)] = None

    def expander(self, scope: Scope) -> Expander:
        """What expands words in this scope."""
        return Expander(scope, home=self.home, run=self.substituted, doubt=self.doubt, grow=self.grow)

    def grow(self, letters: int) -> None:
        """Count the text that expansions have made."""
        self.letters += letters
        if self.letters > _MOST_LETTERS:
            raise NotUnderstoodError("its values grow too long")

    def substituted(self, script: Sequence, scope: Scope) -> Held:
        """Look at a script inside a word, and say what it prints."""
        with self.shell_of_its_own():
            printed = self.sequence(script, scope).printed
        return printed if printed.text is None else Held(text=printed.text.rstrip("\n"))

    def command(self, node: Command, scope: Scope, given: Held | None) -> After:
        """Look at a simple command."""
        expander = self.expander(scope)
        words = self._words(node, expander)
        redirects, given = self._redirects(node.redirections, expander, given)
        assigned = [(one, self._assigned(one, expander)) for one in node.assignments]
        scope = expander.scope
        if not words:
            for one, held in assigned:
                scope = self.hold(scope, one.name, held, raw=one.value.raw)
            if redirects:
                self.emit(Simple(words=(), raw=node.raw, redirects=redirects, within=scope.within), scope)
            if redirects and assigned:
                self.doubt("variables and redirections without a command, whose order is not clear")
            return After(scope, scope, UNKNOWN if redirects else EMPTY)
        variables = tuple((one.name, Word(one.value.raw, held.text)) for one, held in assigned)
        simple = Simple(
            words=words,
            raw=node.raw,
            variables=variables,
            redirects=redirects,
            piped=given is not None,
            within=scope.within,
        )
        return self.run(simple, scope, given, functions=True)

    def _words(self, node: Command, expander: Expander) -> tuple[Word, ...]:
        if node.words and node.words[0].plain in builtins.DECLARING:
            return tuple(self._declared(written, expander) for written in node.words)
        return tuple(word for written in node.words for word in expander.words(written))

    def _declared(self, written: Written, expander: Expander) -> Word:
        """A word of `export` and the like, where an assignment is not split."""
        first = written.pieces[0] if written.pieces else None
        if not isinstance(first, Plain) or "=" not in first.text:
            return expander.target(written)
        name, _, value = first.text.partition("=")
        held = expander.value(
            Written(written.raw, (*((Plain(value),) if value else ()), *written.pieces[1:])), assigned=True
        )
        return Word(written.raw, None if held.text is None else f"{name}={held.text}", prefix=f"{name}=")

    def _assigned(self, one: Assignment, expander: Expander) -> Held:
        """What is assigned; indexes and values are looked at in any case."""
        if one.subscript is not None:
            expander.calculate(one.subscript)
        held = expander.value(one.value, assigned=True)
        if one.subscript is not None:
            return UNKNOWN
        if not one.add:
            return held
        before = expander.scope.variables.get(one.name, UNKNOWN)
        if before.text is None or held.text is None:
            return UNKNOWN
        return Held(text=before.text + held.text)

    def hold(self, scope: Scope, name: str, held: Held, *, raw: str) -> Scope:
        """The scope after an assignment; what steers programs is remembered for those that follow."""
        word = Word(raw, held.text)
        if builtins.steers(name, word):
            scope = scope.replaced(steering=(*scope.steering, (name, word)))
        return scope.holding(name, held)

    def _redirects(
        self, redirections: tuple[Redirection, ...], expander: Expander, given: Held | None
    ) -> tuple[tuple[Redirect, ...], Held | None]:
        """The redirections, and what the command then gets as its input."""
        found: list[Redirect] = []
        for one in redirections:
            target, held = self._redirect(one, expander)
            found.append(Redirect(one.operator, target))
            given = held if one.operator in _INPUT else given
            if one.operator in {">&", "<&"} and (target.text is None or _SPECIAL.search(target.text)):
                self.doubt("a redirection whose target bash expands a second time")
        return tuple(found), given

    def _redirect(self, one: Redirection, expander: Expander) -> tuple[Word, Held]:
        """The target of a redirection, and what can be read from it."""
        if one.operator.startswith("<<"):
            word = expander.word(one.target)
            newline = "\n" if one.operator == "<<<" else ""
            return word, UNKNOWN if word.text is None else Held(text=word.text + newline)
        if len(one.target.pieces) == 1 and isinstance(process := one.target.pieces[0], Process):
            return Word(one.target.raw, PROCESS), self.substituted(process.script, expander.scope)
        return expander.target(one.target), UNKNOWN

    def redirected(self, node: Redirected, scope: Scope, given: Held | None) -> After:
        """Look at a compound command and its redirections."""
        expander = self.expander(scope)
        redirects, given = self._redirects(node.redirections, expander, given)
        self.emit(Simple(words=(), raw=node.raw, redirects=redirects, within=scope.within), expander.scope)
        after = self.statement(node.body, expander.scope, given)
        return After(after.ok, after.bad)

    def tested(self, node: Test, words: tuple[Word, ...], scope: Scope) -> None:
        """Take note of a test."""
        brackets = (Word("[[", "[["), *words, Word("]]", "]]"))
        self.emit(Simple(words=brackets, raw=node.raw, within=scope.within), scope)

    def define(self, node: Function, scope: Scope) -> After:
        """Take note of a function; it is looked at when it is called, or at the end if nothing calls it."""
        after = scope.replaced(functions={**scope.functions, node.name: node.body})
        self._uncalled[id(node.body)] = (node.name, after.replaced(arguments=None))
        return After(after, after, EMPTY)

    def run(self, simple: Simple, scope: Scope, given: Held | None, *, functions: bool = False) -> After:
        """Look at one command with its words, and at all that it would run in turn."""
        name = simple.words[0].text
        if name is None or simple.words[0].glob or not name:
            return self._unnamed(simple, scope, given)
        if functions and name in scope.functions:
            return self._call(name, simple, scope, given)
        knowledge = self.emit(simple, scope)
        if name in builtins.OWN or (name == "printf" and builtins.set_by(simple.words) != ()):
            return self.own(simple, scope, given)
        self._nested(simple, knowledge, scope, given)
        self._fed(simple, scope, given)
        if name in {"source", "."}:
            scope = scope.replaced(variables=dict.fromkeys(scope.variables, UNKNOWN))
        if any(one.operator in _OUTPUT for one in simple.redirects):
            return After(scope, scope)
        texts = tuple(word.text if not word.glob else None for word in simple.words)
        return After(scope, scope, outputs.printed(texts, given))

    def emit(self, simple: Simple, scope: Scope, knowledge: Knowledge | None = None) -> Knowledge:
        """Take note of a command, once for every directory in which it may run."""
        if scope.steering:
            simple = msgspec.structs.replace(simple, variables=(*simple.variables, *scope.steering))
        found = knowledge
        for directory in scope.directories:
            here = msgspec.structs.replace(simple, directory=self._physical(directory))
            if here not in self.parts:
                self.parts[here] = knowledge or (
                    self.know(here, home=self.home) if here.words else Knowledge(level="reads")
                )
            found = self.parts[here]
        return found or Knowledge(level="danger", reason="it runs nowhere")

    def _physical(self, directory: str | None) -> str | None:
        """The directory that a program sees: links are followed, as far as they exist."""
        if directory is None:
            return None
        if directory not in self._real:
            self._real[directory] = os.path.realpath(directory)
        return self._real[directory]

    def _unnamed(self, simple: Simple, scope: Scope, given: Held | None) -> After:
        """Look at a command whose program is not known; if it would be the end as `rm`, it is taken for that."""
        first = simple.words[0]
        self.doubt(f"the name of the program is only known when it runs: {first.raw}")
        if first.glob and first.text is not None:
            self._nested(simple, self.emit(simple, scope), scope, given)
            return After(scope, scope)
        knowledge = Knowledge(level="danger", reason="the name of the program is not known")
        tried = msgspec.structs.replace(simple, words=(Word(first.raw, "rm"), *simple.words[1:]))
        for directory in scope.directories:
            known = self.know(msgspec.structs.replace(tried, directory=self._physical(directory)), home=self.home)
            knowledge = known if known.level == "catastrophe" else knowledge
        self.emit(simple, scope, knowledge)
        return After(scope, scope)

    def _call(self, name: str, simple: Simple, scope: Scope, given: Held | None) -> After:
        """Look at the body of a function with the arguments of this call."""
        if simple.redirects:
            self.emit(Simple(words=(), raw=simple.raw, redirects=simple.redirects, within=scope.within), scope)
        inner = self.with_variables(simple.variables, scope).replaced(arguments=builtins.arguments(simple.words[1:]))
        end = self._body(name, inner, given)
        changed = tuple(one for one, held in end.variables.items() if held != scope.variables.get(one))
        after = end.replaced(arguments=scope.arguments, calling=scope.calling, exported=scope.exported).doubting(
            changed
        )
        return After(after, after)

    def _body(self, name: str, scope: Scope, given: Held | None) -> Scope:
        body = scope.functions.get(name)
        if body is None:
            self.doubt(f"{name} is a function, but not clear which")
            return scope
        if id(body) in self._entered:
            self._recursion(name, self._entered[id(body)])
            return scope
        self._uncalled.pop(id(body), None)
        self._entered[id(body)] = (self.background, self.piped, self.branches)
        with self.shell_of_its_own():
            end = self.statement(body, scope.replaced(calling=(*scope.calling, name)), given).either(scope)
            for left in self.returns:
                end = joined(end, left)
        del self._entered[id(body)]
        return end.replaced(calling=scope.calling)

    def _recursion(self, name: str, before: tuple[int, int, int]) -> None:
        """Tell a fork bomb from a function that calls itself and comes to an end."""
        background, piped, branches = before
        if self.background > background or (self.piped > piped and self.branches == branches):
            self.remark("catastrophe", f"{name} starts itself again and again (a fork bomb)")
        else:
            self.doubt(f"{name} calls itself")

    def with_variables(self, variables: tuple[tuple[str, Word], ...], scope: Scope) -> Scope:
        """The scope of a command with variables before it."""
        for name, word in variables:
            scope = self.hold(scope, name, Held(text=word.text), raw=word.raw)
            scope = scope.replaced(exported=scope.exported | {name})
        return scope

    def _nested(self, simple: Simple, knowledge: Knowledge, scope: Scope, given: Held | None) -> None:
        """Look at what a wrapper runs."""
        for nested in knowledge.runs:
            inner = self.with_variables((*simple.variables, *nested.variables), scope)
            wrapper = nested.wrapper or simple.words[0].text or ""
            inner = inner.replaced(within=(*scope.within, wrapper))
            if nested.directory is not None:
                inner = inner.replaced(
                    directories=builtins.moved((nested.directory, nested.directory), scope, self.home)
                )
            if len(inner.within) > DEEPEST:
                self.doubt("too many wrappers around each other")
            elif nested.script is not None:
                self._script(nested, wrapper, inner, given, after=_after(nested.script, simple.words))
            elif nested.words:
                self._wrapped(nested, simple, inner, given)

    def _wrapped(self, nested: Nested, simple: Simple, scope: Scope, given: Held | None) -> None:
        """Look at the words that a wrapper runs, with those that come through a pipe where they are known."""
        for words in outputs.filled(nested, given):
            raw = " ".join(word.raw for word in words)
            self.run(
                msgspec.structs.replace(simple, words=words, raw=raw, variables=(), within=scope.within), scope, given
            )

    def _script(
        self, nested: Nested, wrapper: str, scope: Scope, given: Held | None, *, after: tuple[Word, ...] | None
    ) -> None:
        """Look at the script of a wrapper; the words after it are its name and its arguments."""
        assert nested.script is not None
        if nested.script.text is None or nested.more:
            self.doubt(f"{wrapper} runs a script that is only known when it runs")
        arguments = None if after is None else builtins.arguments(after[1:])
        inner = scope.inside().replaced(arguments=arguments)
        self._shell_script(beginning(nested.script), wrapper, inner, given)

    def _shell_script(self, text: str, shell: str, scope: Scope, given: Held | None) -> None:
        """Look at a script for another shell, which may not be bash and understand it in another way."""
        if not shell.startswith("bash") and not interpreters.is_plain(text):
            self.doubt("a script that another shell than bash may understand in another way")
        with self.shell_of_its_own():
            self.script(text, scope, given)

    def script(self, text: str, scope: Scope, given: Held | None) -> After:
        """Look at a script that stands in a word, or comes through a pipe; the worst shows even if it is intricate."""
        self.spend()
        if too_much(text):
            self.doubt("it runs a script that is too intricate to be understood")
        try:
            script = read(text)
        except NotUnderstoodError as reason:
            self.doubt(str(reason))
            return After(scope, scope)
        return self.sequence(script, scope, given)

    def _fed(self, simple: Simple, scope: Scope, given: Held | None) -> None:
        """Look at an interpreter that takes its program from its input."""
        name = basename(simple.words[0].text or "")
        if given is None or not interpreters.reads_program(name, simple.words[1:]):
            return
        inner = scope.inside().replaced(within=(*scope.within, name), arguments=())
        if given.text is None:
            self.remark("danger", f"{name} runs what it is given, and that is not known")
        elif len(inner.within) > DEEPEST:
            self.doubt("too many wrappers around each other")
        elif name in interpreters.SHELLS:
            self._shell_script(given.text, name, inner, None)
        else:
            words = (simple.words[0], interpreters.code_option(name), Word(given.text, given.text))
            self.run(Simple(words=words, raw=f"{name} …", within=inner.within), inner, None)


def _after(script: Word, words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The words behind the one that is a script; None if no word is."""
    for place, word in enumerate(words):
        if word is script:
            return words[place + 1 :]
    return None
