"""Follows what the shell's own commands do to the shell."""

from itertools import takewhile

import msgspec

from ferrule.policy.command import Simple, Word
from ferrule.policy.shell import builtins
from ferrule.policy.shell.control import After, Control
from ferrule.policy.shell.scope import UNKNOWN, Held, Scope
from ferrule.policy.shell.syntax import Plain

DEEPEST = 8
"""How many wrappers may stand around each other."""
_LEAVING = frozenset({"exit", "return", "break", "continue", "logout"})


class Own(Control):
    """Knows `cd`, `set`, `eval`, `trap`, `export` and the like."""

    home: str
    traps: list[str]

    def run(self, simple: Simple, scope: Scope, given: Held | None, *, functions: bool = False) -> After:
        """Look at one command with its words; the runner does it."""
        raise NotImplementedError

    def script(self, text: str, scope: Scope, given: Held | None) -> After:
        """Look at a script that stands in a word; the runner does it."""
        raise NotImplementedError

    def with_variables(self, variables: tuple[tuple[str, Word], ...], scope: Scope) -> Scope:
        """The scope of a command with variables before it; the runner makes it."""
        raise NotImplementedError

    def own(self, simple: Simple, scope: Scope, given: Held | None) -> After:
        """Follow what one of the shell's own commands does to the shell.

        Variables before it are gone afterwards, and what it assigned to them may be gone as well.
        """
        after = self._effect(simple, scope, given)
        names = tuple(name for name, _ in simple.variables)
        if not names:
            return after
        ok, bad = (None if one is None else one.doubting(names) for one in (after.ok, after.bad))
        return After(ok, bad)

    def _effect(self, simple: Simple, scope: Scope, given: Held | None) -> After:
        name, words = simple.words[0].text, simple.words
        match name:
            case "cd":
                after = scope.replaced(
                    directories=builtins.moved(words, scope, self.home),
                    variables={**scope.variables, "OLDPWD": UNKNOWN}
                    | ({"PWD": UNKNOWN} if "PWD" in scope.variables else {}),
                )
                return After(after, scope)
            case "pushd" | "popd":
                return After(scope.replaced(directories=(None,)), scope)
            case "set":
                if not builtins.is_plain_set(words):
                    self.doubt("set changes how the shell reads the rest")
                after = scope.replaced(arguments=builtins.arguments_set(words, scope.arguments))
                return After(after, after)
            case "shift":
                after = scope.replaced(arguments=builtins.shifted(words, scope.arguments))
                return After(after, after)
            case "eval":
                return self._eval(simple, scope, given)
            case "trap":
                self._trap(words, scope)
                return After(scope, scope)
            case "command" | "builtin":
                return self._plainly(simple, scope, given)
        if name in _LEAVING:
            return self._leaves(words, scope)
        return self._sets(words, scope, given)

    def _leaves(self, words: tuple[Word, ...], scope: Scope) -> After:
        """Follow `exit`, `return`, `break` and `continue`, which do nothing where there is nothing to leave."""
        name = words[0].text or ""
        (self.returns if name == "return" else self.jumps).append(scope)
        if name in {"break", "continue"} and len(words) > 1:
            self.doubt(f"{name} out of several loops")
        plain = len(words) == 1 or (len(words) == 2 and not words[1].many and (words[1].text or "0").isdecimal())
        inside = {"exit": True, "return": bool(scope.calling)}.get(name, self.loops > 0)
        return After(None, None) if plain and inside else After(scope, scope)

    def _eval(self, simple: Simple, scope: Scope, given: Held | None) -> After:
        """Look at what `eval` runs, in this very shell."""
        words = simple.words[2:] if len(simple.words) > 1 and simple.words[1].text == "--" else simple.words[1:]
        known = [word.text or "" for word in takewhile(lambda word: word.text is not None and not word.glob, words)]
        if len(scope.within) >= DEEPEST:
            self.doubt("too many wrappers around each other")
            return After(scope, scope)
        inner = self.with_variables(simple.variables, scope).replaced(within=(*scope.within, "eval"))
        end = self.script(" ".join(known), inner, given).either(inner)
        if len(known) < len(words):
            self.doubt("eval runs a script that is only known when it runs")
            return After(scope, scope)
        after = end.replaced(within=scope.within, exported=scope.exported & end.exported)
        return After(after, after)

    def _trap(self, words: tuple[Word, ...], scope: Scope) -> None:
        """Look at the script of a trap now, and again at the end."""
        if len(words) < 3 or words[1].text in {"-", "", "-p", "-l"}:
            return
        script = words[2] if words[1].text == "--" else words[1]
        if script.text is None:
            self.doubt("trap runs a script that is only known when it runs")
            return
        self.traps.append(script.text)
        self.script(script.text, scope.replaced(within=(*scope.within, "trap")), UNKNOWN)

    def _plainly(self, simple: Simple, scope: Scope, given: Held | None) -> After:
        """Look at what `command` or `builtin` runs; functions are passed over."""
        words = simple.words[1:]
        while words and (words[0].text or "") in {"-p", "--"}:
            words = words[1:]
        if not words or (words[0].text or "").startswith("-"):
            return After(scope, scope)
        return self.run(msgspec.structs.replace(simple, words=words), scope, given)

    def _sets(self, words: tuple[Word, ...], scope: Scope, given: Held | None) -> After:
        """Follow assignments that a command of the shell makes."""
        name = words[0].text or ""
        indexes = name not in {"test", "["} or any(word.text in {"-v", "-R", None} for word in words)
        if indexes and any(_hides_command(word.text) for word in words[1:]):
            self.doubt(f"{name} with an index that could run a command")
        if name in builtins.DECLARING:
            return self._declares(words, scope)
        if name == "let":
            return self._calculates(words, scope)
        if (name == "alias" and len(words) > 1) or (name == "shopt" and not builtins.is_plain_shopt(words)):
            self.doubt(f"{name} changes what later words mean")
        names = builtins.set_by(words)
        held = Held(below=given.below) if given is not None and name == "read" else UNKNOWN
        if names is None:
            self.doubt(f"{name} sets variables that are not known")
            scope = scope.replaced(variables=dict.fromkeys(scope.variables, UNKNOWN))
        for one in names or ():
            scope = self.hold(scope, one, held, raw=one)
        if name == "unset" and any(word.text in scope.functions for word in words):
            scope = scope.replaced(functions=dict.fromkeys(scope.functions, None))
        return After(scope, scope)

    def _calculates(self, words: tuple[Word, ...], scope: Scope) -> After:
        """Follow `let`, whose words are arithmetic."""
        expander = self.expander(scope)
        for word in words[1:]:
            if word.text is None:
                self.doubt("arithmetic with a value that is not known")
            expander.calculate((Plain(word.text or "0"),))
        return After(expander.scope, expander.scope)

    def _declares(self, words: tuple[Word, ...], scope: Scope) -> After:
        options = "".join((word.text or "?")[1:] for word in words[1:] if (word.text or "").startswith(("-", "+")))
        name = words[0].text
        if any(word.text is None and not word.prefix for word in words) or set(options) & set("nfi"):
            self.doubt(f"{name} in a form that is not followed")
        exports = name == "export" or "x" in options
        constant = name == "readonly" or "r" in options
        nowhere = name == "local" and not scope.calling
        for variable, add, value in builtins.declared(words):
            held = UNKNOWN if add or constant or nowhere else builtins.as_held(value)
            scope = self.hold(scope, variable, held, raw=value.raw)
        if exports:
            named = {(word.text or word.prefix).partition("=")[0] for word in words[1:]}
            scope = scope.replaced(exported=scope.exported | named)
        return After(scope, scope)


def _hides_command(text: str | None) -> bool:
    return text is not None and "[" in text and ("$" in text or "`" in text)
