"""Goes through the control flow of a line without running it: every branch is taken, every loop until nothing changes.

A scope (`scope.py`) is what is known of the shell at one point. What follows a command is an `After`: the scope if it
succeeds, and the scope if it fails, so that `cd x && y` and `cd x || y` are told apart.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from ferrule.policy.command import Word
from ferrule.policy.shell.expand import Expander
from ferrule.policy.shell.lines import NotUnderstoodError
from ferrule.policy.shell.scope import NUMBER, UNKNOWN, Held, Scope, joined
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
)

_UNROLLED = 16
_MOST = 1000
_ROUNDS = 4
_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
EMPTY = Held(text="")
Once = Callable[[Scope], Scope]


class After(msgspec.Struct, frozen=True):
    """What is known after a command; None where the shell does not get there."""

    ok: Scope | None
    bad: Scope | None
    printed: Held = UNKNOWN

    def either(self, before: Scope) -> Scope:
        """The scope in which the next command runs, whatever came of this one."""
        if self.ok is None or self.bad is None:
            return self.ok or self.bad or before
        return joined(self.ok, self.bad)


def meet(one: Scope | None, other: Scope | None) -> Scope | None:
    """What is known where two ways come together."""
    return joined(one, other) if one is not None and other is not None else one or other


class Control:
    """Knows lists, pipes, branches and loops; what a simple command does is the runner's."""

    def __init__(self) -> None:
        self.background = self.piped = self.branches = self.loops = 0
        """How many of each are around the command that is looked at; loops of this very shell only."""
        self.spent = 0
        self.jumps: list[Scope] = []
        """Scopes from which `break` or `continue` leave the loop."""
        self.returns: list[Scope] = []
        """Scopes from which `return` leaves the function."""

    def command(self, node: Command, scope: Scope, given: Held | None) -> After:
        """Look at a simple command; the runner does it."""
        raise NotImplementedError

    def define(self, node: Function, scope: Scope) -> After:
        """Look at a function that is defined; the runner does it."""
        raise NotImplementedError

    def redirected(self, node: Redirected, scope: Scope, given: Held | None) -> After:
        """Look at a compound command and its redirections; the runner does it."""
        raise NotImplementedError

    def tested(self, node: Test, words: tuple[Word, ...], scope: Scope) -> None:
        """Take note of a test; the runner does it."""
        raise NotImplementedError

    def expander(self, scope: Scope) -> Expander:
        """What expands words in this scope; the runner makes it."""
        raise NotImplementedError

    def hold(self, scope: Scope, name: str, held: Held, *, raw: str) -> Scope:
        """The scope after an assignment; the runner makes it."""
        raise NotImplementedError

    def doubt(self, reason: str) -> None:
        """Take note that something cannot be understood; the runner does it."""
        raise NotImplementedError

    def spend(self) -> None:
        """Count what is looked at: loops in loops in loops have no end that is worth waiting for."""
        self.spent += 1
        if self.spent > _MOST:
            raise NotUnderstoodError("it runs too many commands")

    def sequence(self, script: Sequence, scope: Scope, given: Held | None = None) -> After:
        """Look at commands one after the other."""
        after, printed = After(scope, scope), ""
        known = True
        for chain, background in script.items:
            if background:
                with self.shell_of_its_own(background=1):
                    self.chain(chain, scope, given)
                after, known = After(scope, scope), False
                continue
            after = self.chain(chain, scope, given)
            known = known and after.printed.text is not None
            printed += after.printed.text or ""
            scope = after.either(scope)
        if len(script.items) == 1:
            return after
        return After(after.ok, after.bad, Held(text=printed) if known else UNKNOWN)

    def chain(self, chain: Chain, scope: Scope, given: Held | None) -> After:
        """Look at commands joined by `&&` and `||`."""
        after = self.pipeline(chain.first, scope, given)
        if not chain.rest:
            return after
        ok, bad = after.ok, after.bad
        self.branches += 1
        for operator, pipeline in chain.rest:
            if operator == "&&":
                then = self.pipeline(pipeline, ok or scope, given)
                ok, bad = (then.ok, meet(bad, then.bad)) if ok else (None, bad)
            else:
                then = self.pipeline(pipeline, bad or scope, given)
                ok, bad = (meet(ok, then.ok), then.bad) if bad else (ok, None)
        self.branches -= 1
        return After(ok, bad)

    def pipeline(self, pipeline: Pipeline, scope: Scope, given: Held | None) -> After:
        """Look at commands joined by pipes; each of several is a shell of its own."""
        if len(pipeline.members) == 1:
            after = self.statement(pipeline.members[0], scope, given)
            return After(after.bad, after.ok, after.printed) if pipeline.negated else after
        self.piped += 1
        for member in pipeline.members:
            with self.shell_of_its_own():
                given = self.statement(member, scope, given).printed
        self.piped -= 1
        return After(scope, scope, given or UNKNOWN)

    def statement(self, node: Statement, scope: Scope, given: Held | None) -> After:
        """Look at one command, whatever its kind."""
        self.spend()
        match node:
            case Command():
                return self.command(node, scope, given)
            case Group():
                return self._group(node, scope, given)
            case If():
                return self._if(node, scope, given)
            case While():
                return self._while(node, scope, given)
            case For():
                return self._for(node, scope, given)
            case Count():
                return self._count(node, scope, given)
            case Case():
                return self._case(node, scope, given)
            case Test():
                return self._test(node, scope)
            case Calculation():
                expander = self.expander(scope)
                expander.calculate(node.pieces)
                return After(expander.scope, expander.scope, EMPTY)
            case Function():
                return self.define(node, scope)
            case Redirected():
                return self.redirected(node, scope, given)
            case Pipeline():
                return self.pipeline(node, scope, given)
            case Forked():
                with self.shell_of_its_own(background=1):
                    self.statement(node.body, scope, given)
                return After(scope, scope)

    @contextmanager
    def shell_of_its_own(self, *, background: int = 0) -> Iterator[None]:
        """What happens inside leaves no loop and no function outside."""
        outside = self.loops, self.jumps, self.returns
        self.loops, self.jumps, self.returns = 0, [], []
        self.background += background
        try:
            yield
        finally:
            self.background -= background
            self.loops, self.jumps, self.returns = outside

    def _group(self, node: Group, scope: Scope, given: Held | None) -> After:
        if not node.subshell:
            return self.sequence(node.body, scope, given)
        with self.shell_of_its_own():
            printed = self.sequence(node.body, scope, given).printed
        return After(scope, scope, printed)

    def _if(self, node: If, scope: Scope, given: Held | None) -> After:
        self.branches += 1
        end: Scope | None = None
        for condition, then in node.branches:
            after = self.sequence(condition, scope, given)
            last = self.sequence(then, after.ok or scope, given)
            end = meet(end, meet(last.ok, last.bad))
            scope = after.bad or scope
        if node.otherwise is not None:
            last = self.sequence(node.otherwise, scope, given)
            end = meet(end, meet(last.ok, last.bad))
        else:
            end = meet(end, scope)
        self.branches -= 1
        return After(end, end)

    def _while(self, node: While, scope: Scope, given: Held | None) -> After:
        def once(start: Scope) -> Scope:
            after = self.sequence(node.condition, start, given)
            entered = after.bad if node.until else after.ok
            return self.sequence(node.body, entered or start, given).either(start)

        around = self._around(scope, once)
        last = self.sequence(node.condition, around, given)
        end = meet(around, last.ok if node.until else last.bad)
        return After(end, end)

    def _count(self, node: Count, scope: Scope, given: Held | None) -> After:
        expander = self.expander(scope)
        expander.calculate(node.pieces)

        def once(start: Scope) -> Scope:
            return self.sequence(node.body, start, given).either(start)

        end = self._around(expander.scope, once)
        return After(end, end)

    def _for(self, node: For, scope: Scope, given: Held | None) -> After:
        """Go through a loop once for each word, if they are few and known; else with a word that is not known."""
        values = self._values(node, scope)

        def once(start: Scope) -> Scope:
            for value in values:
                held = self.hold(start, node.name, value, raw=node.name)
                before, self.jumps = self.jumps, []
                start = self.sequence(node.body, held, given).either(held)
                for jump in self.jumps:  # `continue` goes on with the next word, `break` ends it all
                    start = joined(start, jump)
                self.jumps = before + self.jumps
            return start

        known = all(value.text is not None and not value.glob for value in values)
        end = self._out_of_loop(scope, once) if known else self._around(scope, once)
        return After(end, end)

    def _values(self, node: For, scope: Scope) -> list[Held]:
        if node.words is None:
            held = scope.arguments
            return [UNKNOWN] if held is None else list(held)
        expander = self.expander(scope)
        words = [word for written in node.words for word in expander.words(written)]
        if all((word.text or "").isdecimal() for word in words) and len(words) > 1:
            return [NUMBER]
        if len(words) > _UNROLLED or any(word.text is None for word in words):
            known = all(word.below for word in words)
            return [Held(below=tuple(place for word in words for place in word.below))] if known else [UNKNOWN]
        return [Held(text=word.text, glob=word.glob) for word in words]

    def _around(self, scope: Scope, once: Once) -> Scope:
        """Go through the body of a loop until nothing new is learnt."""
        self.branches += 1
        for _ in range(_ROUNDS):
            after = joined(scope, self._out_of_loop(scope, once))
            if after == scope:
                break
            moved = after.directories != scope.directories
            scope = (
                after.replaced(directories=(*scope.directories, None))
                if moved and None not in scope.directories
                else after
            )
        else:
            once(scope.replaced(directories=(None,), variables=dict.fromkeys(scope.variables, UNKNOWN)))
        self.branches -= 1
        return scope

    def _out_of_loop(self, scope: Scope, once: Once) -> Scope:
        outside, self.jumps = self.jumps, []
        self.loops += 1
        end = once(scope)
        self.loops -= 1
        for jump in self.jumps:
            end = joined(end, jump)
        self.jumps = outside
        return end

    def _case(self, node: Case, scope: Scope, given: Held | None) -> After:
        expander = self.expander(scope)
        expander.word(node.word)
        end = expander.scope
        self.branches += 1
        for patterns, script in node.items:
            for pattern in patterns:
                expander.word(pattern)
            end = joined(end, self.sequence(script, end, given).either(end))
        self.branches -= 1
        return After(end, end)

    def _test(self, node: Test, scope: Scope) -> After:
        """Look at `[[ … ]]`, where comparing numbers can run what hides in a value."""
        expander = self.expander(scope)
        words = tuple(expander.word(written) for written in node.words)
        for place, written in enumerate(node.words):
            if written.plain in _NUMERIC:
                for operand in node.words[max(place - 1, 0) : place + 2 : 2]:
                    expander.calculate(operand.pieces)
            elif written.plain == "-v" and any("[" in (word.text or "[") for word in words[place + 1 : place + 2]):
                self.doubt("a test of an array")
        self.tested(node, words, scope)
        return After(expander.scope, expander.scope, EMPTY)
