"""The grammar of calls that are written like Python or between the special tokens of a model's chat template.

What is read here is spelling alone: whether there is such a tool is for `spellings.py` to see.
"""

import re
from typing import NamedTuple

from ferrule.core.regex import lazy
from ferrule.llm.repair import CutError, UnreadableError, read_value


class Keywords(NamedTuple):
    """A Python-like call: the name, and the JSON of each argument."""

    name: str
    given: dict[str, str]

    @property
    def arguments(self) -> str:
        """All arguments as one JSON object."""
        return "{" + ", ".join(f'"{key}": {value}' for key, value in self.given.items()) + "}"


class _Template(NamedTuple):
    """How a family of models frames its calls: an opening and an ending around calls with a head and a tail."""

    openings: tuple[str, ...]
    section: re.Pattern[str] | None
    head: re.Pattern[str]
    tail: re.Pattern[str]
    ending: re.Pattern[str]


def expect(pattern: re.Pattern[str], text: str, at: int, *, unfinished: re.Pattern[str] | None = None) -> re.Match[str]:
    """Match here, or say that the text is cut; only where it is `unfinished`, if that can be told.

    Raises:
        UnreadableError: something else stands here.
    """
    match = pattern.match(text, at)
    if match is None:
        is_cut = unfinished is None or unfinished.fullmatch(text, at)
        raise (CutError if is_cut else UnreadableError)("the spelling breaks off")
    return match


def blank_end(text: str, at: int) -> int:
    """The place behind the blanks."""
    return expect(_BLANK, text, at).end()


def keyword_calls(text: str, at: int) -> tuple[list[Keywords], int]:
    """Read `NAME(key=value, …)`, or a list of such calls in brackets."""
    if not text.startswith("[", at):
        call, end = _keyword_call(text, at)
        return [call], end
    at, calls = expect(PYTHON, text, at).end(), list[Keywords]()
    while True:
        call, at = _keyword_call(text, at)
        calls.append(call)
        end_of_item = expect(_NEXT_CALL, text, at, unfinished=_HALF_A_COMMA)
        at = end_of_item.end()
        if end_of_item[1]:
            return calls, at


def _keyword_call(text: str, at: int) -> tuple[Keywords, int]:
    opening = expect(_OPENING, text, at, unfinished=_HALF_A_NAME)
    at, given = opening.end(), dict[str, str]()
    while True:
        keyword = expect(_KEYWORD, text, at, unfinished=_HALF_A_KEYWORD)
        if keyword[1] in given:
            raise UnreadableError(f"the argument {keyword[1]} stands twice")
        value, at = read_value(text, keyword.end(), may_close=False)
        given[keyword[1]] = _ESCAPE.sub(_as_python_means_it, value)
        end_of_item = expect(_NEXT_ARGUMENT, text, at, unfinished=_HALF_A_COMMA)
        at = end_of_item.end()
        if end_of_item[1]:
            return Keywords(opening[1], given), at


def template_calls(text: str, at: int) -> tuple[list[tuple[str, str]], int]:
    """Read the calls that a template frames, as names and JSON; what closes them may lack only at the very end."""
    template = next(one for one in _TEMPLATES if text.startswith(one.openings, at))
    section = template.section and template.section.match(text, at)
    at, calls = section.end() if section else at, list[tuple[str, str]]()
    while head := template.head.match(text, at):
        arguments, at = read_value(text, head.end(), may_close=False)
        if arguments[0] != "{":
            raise UnreadableError("the arguments are not an object")
        calls.append((head["name"], arguments))
        at = expect(template.tail, text, at).end()
    if not calls:
        raise CutError("no call is framed")
    return calls, expect(template.ending, text, at).end() if section else at


def _as_python_means_it(escape: re.Match[str]) -> str:
    r"""An escape of JSON as Python reads it: there, `\/` keeps its backslash, as a command with `sed` needs it."""
    return r"\\/" if escape[0] == r"\/" else escape[0]


PYTHON = lazy(r"[A-Za-z_][\w.-]*+\(|\[\s*+(?=[A-Za-z_])(?!TOOL_CALLS\])")
_OPENING = lazy(r"([A-Za-z_][\w.-]*+)\(")
_HALF_A_NAME = lazy(r"(?:[A-Za-z_][\w.-]*+)?")
_KEYWORD = lazy(r"\s*+([A-Za-z_]\w*+)\s*+=\s*+")
_HALF_A_KEYWORD = lazy(r"\s*+(?:[A-Za-z_]\w*+\s*+)?")
_NEXT_ARGUMENT = lazy(r"\s*+(?:,\s*+(?=[^\s)])|(,?\s*+\)))")
_NEXT_CALL = lazy(r"\s*+(?:,\s*+(?=[^\s\]])|(,?\s*+\]))")
_HALF_A_COMMA = lazy(r"\s*+,?\s*+")
_ESCAPE = lazy(r"\\.", re.DOTALL)
_BLANK = lazy(r"\s*+")

_DEEPSEEK = _Template(
    ("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"),
    lazy(r"<｜tool▁calls▁begin｜>\s*+"),
    lazy(
        r"\s*+<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?+"
        r"(?P<name>[\w.-]++)\s*+(?:<｜tool▁sep｜>|```json\s)\s*+"
    ),
    lazy(r"\s*+(?:```\s*+)?(?:<｜tool▁call▁end｜>|\Z)"),
    lazy(r"\s*+(?:<｜tool▁calls▁end｜>|\Z)"),
)
_KIMI = _Template(
    ("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
    lazy(r"<\|tool_calls_section_begin\|>\s*+"),
    lazy(
        r"\s*+<\|tool_call_begin\|>\s*+(?:functions\.)?(?P<name>[\w.-]++)(?::\d++)?\s*+<\|tool_call_argument_begin\|>"
    ),
    lazy(r"\s*+(?:<\|tool_call_end\|>|\Z)"),
    lazy(r"\s*+(?:<\|tool_calls_section_end\|>|\Z)"),
)
_HARMONY = _Template(
    (
        "<|channel|>commentary to=",
        "<|channel|>analysis to=",
        "<|start|>assistant<|channel|>commentary to=",
        "<|start|>assistant<|channel|>analysis to=",
        "<|start|>assistant to=",
    ),
    None,
    lazy(
        r"\s*+(?:<\|start\|>assistant)?(?:<\|channel\|>(?:commentary|analysis))? to=(?:functions\.)?(?P<name>[\w.-]++)"
        r"(?:<\|channel\|>(?:commentary|analysis))?\s*+(?:<\|constrain\|>)?(?:json)?\s*+<\|message\|>"
    ),
    lazy(r"\s*+(?:<\|(?:call|end)\|>|\Z)"),
    _BLANK,
)
_TEMPLATES = (_DEEPSEEK, _KIMI, _HARMONY)
TEMPLATE_OPENINGS = tuple(opening for template in _TEMPLATES for opening in template.openings)
TEMPLATE = lazy("|".join(map(re.escape, TEMPLATE_OPENINGS)))
