"""The user's own rules: what never runs, what always asks, what runs unasked.

A rule is `tool` or `tool(pattern)`; Claude Code's spelling of the same is understood. A denial wins over a question,
a question over leave, whatever the order and wherever they come from. The two sides are read differently on purpose,
so that a doubt never makes anything freer:

- What forbids hits if *any* part of a call matches, in any disguise (`/bin/rm` is `rm`, `git -C x push` is `git push`,
  the path asked for or the path it leads to, in large or small letters). Where a word is not known before the command
  runs, and the rule might hit, the call asks.
- What allows must cover *every* part of a call that does more than read. A `*` covers words that are not known, since
  whatever they turn out to be they are words of this command: a substitution inside them is a part of its own. No
  other text of a pattern matches an unknown word, and no pattern covers a redirect or an assignment that it does not
  name, or one that reaches the network (`< /dev/tcp/…`). A line that could not be understood is covered by its tool's
  bare name alone, or by the very same line.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ferrule.core.messages import Value
from ferrule.core.names import canonical
from ferrule.policy.globs import command_glob, quoted, text_matches
from ferrule.policy.matching import (
    Command,
    File,
    Hit,
    Line,
    Subject,
    Text,
    covers_command,
    covers_line,
    covers_text,
    line_hit,
    text_hit,
)
from ferrule.policy.pathrules import PathPatterns, literally

__all__ = [
    "Command",
    "File",
    "Line",
    "Rule",
    "Rules",
    "Ruling",
    "Subject",
    "Text",
    "command_rule",
    "path_rule",
    "read_rule",
    "rules_of",
]

Kind = Literal["deny", "ask", "allow"]


class Rule(Value, frozen=True, kw_only=True):
    """One rule, read from its text."""

    text: str
    tool: str
    """Our own name of the tool, perhaps with stars."""
    pattern: str | None = None
    """None speaks of every use of the tool."""
    origin: str = ""
    """Where it stands: `file:line`, `this session`, `--allowed-tools`."""
    foreign: bool = False
    """Whether it is spelled as in Claude Code, where `/src` is a path of the project."""
    odd: bool = False
    """Whether it is no proper rule: one that forbids is taken for what it seems to be, one that allows for nothing."""


def read_rule(text: str, origin: str = "") -> Rule:
    """Read a rule; any text is one, if perhaps an odd one."""
    name, parenthesis, rest = text.strip().partition("(")
    tool, pattern = canonical(name), rest.removesuffix(")").strip()
    every_use = not pattern or (tool == "bash" and command_glob(pattern).everything)
    return Rule(
        text=text,
        tool=_OTHER_EDITORS.get(tool, tool),
        pattern=None if every_use else pattern,
        origin=origin,
        foreign=name.strip()[:1].isupper(),
        odd=not tool or (bool(parenthesis) and not (pattern and rest.endswith(")"))),
    )


class Ruling(Value, frozen=True, kw_only=True):
    """What the rules say of a call."""

    decision: Kind
    rules: tuple[Rule, ...]
    """Those that decided; leave may take several."""
    about: str
    """The part of the call that was decisive."""
    certain: bool = True
    """False where a rule that forbids might hit, depending on what is not known before the command runs."""

    @property
    def rule(self) -> str:
        """The rules as they were written."""
        return ", ".join(rule.text for rule in self.rules)

    @property
    def origin(self) -> str:
        """Where the rules stand."""
        return ", ".join(dict.fromkeys(rule.origin for rule in self.rules if rule.origin))

    @property
    def reason(self) -> str:
        """The ruling in a few words for a person."""
        one = len(self.rules) == 1
        verb = {"deny": "forbid", "ask": "ask about", "allow": "allow"}[self.decision]
        if not self.certain:
            verb = "may forbid"
        elif one:
            verb = verb.replace(" ", "s ") if " " in verb else f"{verb}s"
        place = f" ({self.origin})" if self.origin else ""
        return f"the rule{'' if one else 's'} {self.rule}{place} {verb} {self.about}"


class Rules:
    """All rules of a session; `with_allowed` makes another set with more leave."""

    def __init__(
        self,
        *,
        deny: Iterable[Rule] = (),
        ask: Iterable[Rule] = (),
        allow: Iterable[Rule] = (),
        root: str,
        home: str,
    ) -> None:
        """Take the rules that hold in a project's directory; it and the user's home are absolute paths."""
        self.deny, self.ask = tuple(deny), tuple(ask)
        self.allow = tuple(rule for rule in allow if not rule.odd)
        self._root, self._home = root, home
        self._paths = PathPatterns(root, home)
        self._by_tool: dict[tuple[str, Kind], tuple[Rule, ...]] = {}

    def with_allowed(self, texts: Iterable[str], origin: str) -> "Rules":
        """The same rules, and some more that allow: a person said "always"."""
        allow = (*self.allow, *(read_rule(text, origin) for text in texts))
        return Rules(deny=self.deny, ask=self.ask, allow=allow, root=self._root, home=self._home)

    def alone(self, text: str) -> "Rules":
        """One rule by itself, read as one that forbids, for the same project."""
        return Rules(deny=(read_rule(text),), root=self._root, home=self._home)

    def decide(self, tool: str, subjects: Sequence[Subject] = ()) -> Ruling | None:
        """What the rules say of a call; None where they say nothing."""
        name = canonical(tool)
        denied = self._forbidden(name, subjects, "deny")
        if denied and denied.certain:
            return denied
        return self._forbidden(name, subjects, "ask") or denied or self._allowed(name, subjects)

    def hides(self, path: str) -> bool:
        """Whether a rule forbids to read a path, so that a search in what lies above it leaves it out."""
        return self._forbidden("read", (File(path, path),), "deny") is not None

    def _about(self, tool: str, decision: Kind) -> tuple[Rule, ...]:
        """The rules of a list that speak of a tool."""
        known = self._by_tool.get((tool, decision))
        if known is None:
            rules = {"deny": self.deny, "ask": self.ask, "allow": self.allow}[decision]
            together = _ALLOWED_WITH if decision == "allow" else _FORBIDDEN_WITH
            known = self._by_tool[tool, decision] = tuple(rule for rule in rules if _is_about(rule, tool, together))
        return known

    def _forbidden(self, tool: str, subjects: Sequence[Subject], decision: Literal["deny", "ask"]) -> Ruling | None:
        """The first rule of a list that hits; else one that might, which is a question at least."""
        doubt: Ruling | None = None
        for rule in self._about(tool, decision):
            for hit in [Hit(tool)] if rule.pattern is None else [self._hit(rule, one) for one in subjects]:
                if hit and hit.certain:
                    return Ruling(decision=decision, rules=(rule,), about=hit.about)
                if hit and not doubt:
                    doubt = Ruling(decision="ask", rules=(rule,), about=hit.about, certain=False)
        return doubt

    def _hit(self, rule: Rule, subject: Subject) -> Hit | None:
        pattern = rule.pattern or "*"
        if isinstance(subject, Line):
            return line_hit(pattern, subject)
        if isinstance(subject, Text):
            return text_hit(pattern, subject.text)
        paths = (subject.asked, subject.resolved)
        return next((Hit(path) for path in paths if self._paths.hit(pattern, path, foreign=rule.foreign)), None)

    def _allowed(self, tool: str, subjects: Sequence[Subject]) -> Ruling | None:
        rules = self._about(tool, "allow")
        bare = next((rule for rule in rules if rule.pattern is None), None)
        if bare:
            return Ruling(decision="allow", rules=(bare,), about=tool)
        used: dict[str, Rule] = {}
        for subject in subjects:
            found = self._covering(rules, subject)
            if found is None:
                return None
            used |= {rule.text: rule for rule in found}
        return Ruling(decision="allow", rules=tuple(used.values()), about=tool) if used else None

    def _covering(self, rules: Sequence[Rule], subject: Subject) -> list[Rule] | None:
        """The rules that together cover all of a subject; None where something is left over."""
        if isinstance(subject, Line):
            return self._covering_line(rules, subject)
        for rule in rules:
            pattern = rule.pattern or "*"
            if isinstance(subject, Text):
                covered = covers_text(pattern, subject.text)
            else:
                paths = (subject.asked, subject.resolved)
                covered = all(self._paths.cover(pattern, path, foreign=rule.foreign) for path in paths)
            if covered:
                return [rule]
        return None

    def _covering_line(self, rules: Sequence[Rule], line: Line) -> list[Rule] | None:
        whole = next((rule for rule in rules if covers_line(rule.pattern or "*", line)), None)
        if whole:
            return [whole]
        if line.opaque:
            return None
        used: list[Rule] = []
        for command in line.commands:
            if command.reads and not command.redirects:
                continue
            found = next((one for one in rules if covers_command(one.pattern or "*", command, home=self._home)), None)
            if found is None:
                return None
            used.append(found)
        return used


def command_rule(words: Sequence[str], *, more: bool) -> str:
    """The rule that allows these words; with `more`, whatever follows them too."""
    written = " ".join(map(quoted, words))
    return f"bash({written} *)" if more else f"bash({written})"


def path_rule(tool: str, path: str, *, root: str, below: bool) -> str:
    """The rule that allows a tool to touch an absolute path; with `below`, all that lies in it instead."""
    inside = path.removeprefix(f"{root.rstrip('/')}/")
    place = literally(path) if inside == path else f"./{literally(inside)}"
    return f"{tool}({place.rstrip('/')}/**)" if below else f"{tool}({place})"


def rules_of(texts: Iterable[str], origins: Mapping[str, str]) -> list[Rule]:
    """Read a list of rules, given where each of them stands."""
    return [read_rule(text, origins.get(text, "")) for text in texts]


def _is_about(rule: Rule, tool: str, together: Mapping[str, frozenset[str]]) -> bool:
    """Whether a rule speaks of a tool: by its name, by a glob, as one of a server's, or with others of its kind."""
    return (
        text_matches(rule.tool, tool)
        or tool in together.get(rule.tool, ())
        or (rule.tool.startswith("mcp__") and rule.tool.count("__") == 1 and tool.startswith(f"{rule.tool}__"))
    )


_OTHER_EDITORS = {"multiedit": "edit", "notebookedit": "edit"}
_ALLOWED_WITH = {"read": frozenset({"grep", "glob", "ls"}), "edit": frozenset({"write"})}
"""Other tools that do what a rule allows by naming one."""
_FORBIDDEN_WITH = {
    "read": frozenset({"grep", "glob", "ls", "edit"}),
    "edit": frozenset({"write"}),
    "write": frozenset({"edit"}),
}
"""Other tools that would do what a rule forbids by naming one; an edit that fails tells what the file holds."""
