"""The ways in which models spell a call as text, and how each is read.

A reader takes a text and a place in it where its spelling begins, and gives the calls and the place behind them,
or raises `UnreadableError`. It says what a text spells; whether a call is meant is for `textcalls.py` to judge.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from ferrule.core.messages import Value
from ferrule.core.model import ToolSpec
from ferrule.core.names import ALIASES, canonical
from ferrule.core.regex import lazy
from ferrule.llm.call_syntax import (
    PYTHON,
    TEMPLATE,
    blank_end,
    expect,
    keyword_calls,
    template_calls,
)
from ferrule.llm.coerce import coerce
from ferrule.llm.repair import CutError, Refusal, UnreadableError, decode_object, read_value, repair


class WrittenCall(Value, frozen=True, kw_only=True):
    """A call that was written as text; the arguments are JSON."""

    name: str
    arguments: str


class Found(NamedTuple):
    """Calls that were read, and the place behind them."""

    calls: list[WrittenCall]
    end: int


class Tools:
    """The tools that there are, by anyone's spelling of their names."""

    def __init__(self, specs: Iterable[ToolSpec], *, any_name: bool = False) -> None:
        self._specs = {canonical(spec.name): spec for spec in specs}
        self._any_name = any_name

    def find(self, name: str) -> ToolSpec:
        """The tool of this name.

        Raises:
            UnreadableError: there is none, and not just any name will do.
        """
        spec = self._specs.get(canonical(name))
        if spec is None and not self._any_name:
            raise UnreadableError(f"there is no tool named {name[:80]}")
        return spec or ToolSpec(name=name, description="", schema={})

    def has(self, name: str) -> bool:
        """Whether there is a tool of this name."""
        return canonical(name) in self._specs

    def begins(self, name: str) -> bool:
        """Whether a tool's name begins so."""
        known = [*self._specs, *(alias for alias, meant in ALIASES.items() if meant in self._specs)]
        return any(one.startswith(name.lower()) for one in known)


def read_calls(text: str, at: int, tools: Tools) -> Found:
    """Read the call, or the calls, that begin here.

    Raises:
        UnreadableError: none does, its tool is not known, or its arguments cannot be read for certain.
    """
    return _any_of(_SPELLINGS, text, at, tools)


def _any_of(spellings: "Iterable[Spelling]", text: str, at: int, tools: Tools) -> Found:
    for opening, read in spellings:
        if opening.match(text, at):
            return read(text, at, tools)
    raise (CutError if len(text) - at < LONGEST_OPENING else UnreadableError)("no call begins here")


def _tagged(text: str, at: int, tools: Tools) -> Found:
    """`<tool_call>…</tool_call>` around JSON, elements or a Python-like call; the end may lack only at the very end."""
    tag = expect(TAG, text, at)
    closing = f"</{tag[1]}>"
    calls: list[WrittenCall] = []
    at = blank_end(text, tag.end())
    while not text.startswith(closing, at):
        if at == len(text) and calls:
            return Found(calls, at)
        found = _inside(text, at, tools, closing)
        calls, at = calls + found.calls, blank_end(text, found.end)
    if not calls:
        raise UnreadableError("there is no call between the tags")
    return Found(calls, at + len(closing))


def _inside(text: str, at: int, tools: Tools, closing: str) -> Found:
    if text.startswith("<", at):
        return _element(text, at, tools)
    if PYTHON.match(text, at):
        return _python(text, at, tools)
    if _PAIRED.match(text, at):
        return _paired(text, at, tools)
    try:
        return _json(text, at, tools)
    except UnreadableError as problem:  # a bracket may be forgotten before the closing tag
        end = text.find(closing, at)
        if end < 0:
            raise CutError(str(problem)) from None
        json, read_to = read_value(text[at:end])
        if text[at + read_to : end].strip():
            raise
        return Found(_calls_of(json, tools, bare=False), end)


def _element(text: str, at: int, tools: Tools) -> Found:
    """`<function=NAME>` or `<invoke name="NAME">` with parameters as elements, or with JSON, inside."""
    opening = expect(ELEMENT, text, at)
    tool, closing = tools.find(opening["name"]), f"</{opening['tag']}>"
    at = blank_end(text, opening.end())
    if text.startswith("{", at):
        json, at = read_value(text, at, may_close=False)
        arguments, is_whole = json, True
    else:
        given, at = _parameters(text, at)
        arguments, is_whole = _fitted(given, tool), bool(given)
    at = blank_end(text, at)
    if text.startswith(closing, at):
        at += len(closing)
    elif at < len(text) or not is_whole:
        raise CutError(f"{closing} is missing")
    return Found([WrittenCall(name=tool.name, arguments=arguments)], at)


def _parameters(text: str, at: int) -> tuple[dict[str, str], int]:
    """The parameters that stand as elements; their text is taken as it is, but for the newlines at its ends."""
    given: dict[str, str] = {}
    while opening := _PARAMETER.match(text, blank_end(text, at)):
        closing = f"</{opening['tag']}>"
        end = text.find(closing, opening.end())
        if end < 0:
            raise CutError(f"the parameter {opening['name']} is cut")
        if opening["name"] in given:
            raise UnreadableError(f"the parameter {opening['name']} stands twice")
        given[opening["name"]] = text[opening.end() : end].removeprefix("\n").removesuffix("\n")
        at = end + len(closing)
    return given, at


def _paired(text: str, at: int, tools: Tools) -> Found:
    """`NAME` and then `<arg_key>…</arg_key><arg_value>…</arg_value>`, pair by pair."""
    opening = expect(_PAIRED, text, at)
    tool, at = tools.find(opening[1]), opening.end()
    given: dict[str, str] = {}
    while pair := _PAIR.match(text, at):
        end = text.find("</arg_value>", pair.end())
        if end < 0:
            raise CutError(f"the argument {pair[1]} is cut")
        if pair[1] in given:
            raise UnreadableError(f"the argument {pair[1]} stands twice")
        value = text[pair.end() : end]
        given[pair[1]] = value[1:-1] if _ON_LINES_OF_ITS_OWN.fullmatch(value) else value
        at = blank_end(text, end + len("</arg_value>"))
    if not given:
        raise CutError("the arguments are cut")
    return Found([WrittenCall(name=tool.name, arguments=_fitted(given, tool))], at)


def _fitted(given: dict[str, str], tool: ToolSpec) -> str:
    """Arguments that came as plain text, as JSON of the types that the tool wants."""
    schema = {"type": "object", "properties": tool.schema.get("properties")}
    return msgspec.json.encode(coerce(given, schema)).decode()


def _marked(text: str, at: int, tools: Tools) -> Found:
    """`[TOOL_CALLS]` or `<|python_tag|>` before JSON, before `NAME{…}` or before a Python-like call."""
    at = blank_end(text, expect(MARK, text, at).end())
    if PYTHON.match(text, at):
        return _python(text, at, tools)
    calls: list[WrittenCall] = []
    while named := _NAMED.match(text, at):
        arguments, end = read_value(text, named.end() - 1, may_close=False)
        calls.append(WrittenCall(name=tools.find(named[1]).name, arguments=arguments))
        at = blank_end(text, end)
    if _HALF_A_NAME.match(text, at):
        raise CutError("the name breaks off")
    return Found(calls, at) if calls else _json(text, at, tools)


def _bare(text: str, at: int, tools: Tools) -> Found:
    json, end = read_value(text, at, may_close=False)
    return Found(_calls_of(json, tools, bare=True), end)


def _json(text: str, at: int, tools: Tools) -> Found:
    json, end = read_value(text, at, may_close=False)
    return Found(_calls_of(json, tools, bare=False), end)


def _fenced(text: str, at: int, tools: Tools) -> Found:
    """A fence with calls in it and nothing else; the end may lack only at the very end."""
    opening = expect(FENCE, text, at)
    if opening["label"].lower() not in LABELS:
        raise UnreadableError("this is code")
    calls: list[WrittenCall] = []
    at = blank_end(text, opening.end())
    while not text.startswith(opening["marker"], at):
        if at == len(text) and calls:
            return Found(calls, at)
        found = _any_of((_PYTHON_LIKE, *_PLAIN), text, at, tools)
        calls, at = calls + found.calls, blank_end(text, found.end)
    if not calls:
        raise UnreadableError("the fence is empty")
    return Found(calls, at + len(opening["marker"]))


def _action(text: str, at: int, tools: Tools) -> Found:
    """`Action: NAME` and `Action Input: {…}`; or a Python-like call, or JSON, behind `Action:`."""
    at = expect(ACTION, text, at).end()
    if named := _ACTION_INPUT.match(text, at):
        arguments, end = read_value(text, named.end(), may_close=False)
        if arguments[0] != "{":
            raise UnreadableError("the input is not an object")
        return Found([WrittenCall(name=tools.find(named[1]).name, arguments=arguments)], end)
    return _any_of((_PYTHON_LIKE, *_PLAIN, _FENCE), text, blank_end(text, at), tools)


def _python(text: str, at: int, tools: Tools) -> Found:
    """`NAME(key=value, …)`, or a list of such calls in brackets."""
    calls, end = keyword_calls(text, at)
    return _found(((call.name, call.arguments) for call in calls), end, tools)


def _bare_python(text: str, at: int, tools: Tools) -> Found:
    """The same with nothing around it: only what fits the tool is more than some line of code."""
    calls, end = keyword_calls(text, at)
    for call in calls:
        schema = tools.find(call.name).schema
        if not set(schema.get("required") or ()) <= call.given.keys() <= set(schema.get("properties") or ()):
            raise UnreadableError(f"{call.name[:80]} takes other arguments")
    return _found(((call.name, call.arguments) for call in calls), end, tools)


def _started(text: str, at: int, tools: Tools) -> Found:
    """`<|tool_call_start|>…<|tool_call_end|>` around Python-like calls or JSON; the end may lack at the very end."""
    at = blank_end(text, expect(START, text, at).end())
    found = _any_of((_PYTHON_LIKE, (_JSON, _json)), text, at, tools)
    return Found(found.calls, expect(_STARTED_END, text, found.end).end())


def _framed(text: str, at: int, tools: Tools) -> Found:
    """Calls between the special tokens of a chat template."""
    calls, end = template_calls(text, at)
    return _found(calls, end, tools)


def _found(calls: Iterable[tuple[str, str]], end: int, tools: Tools) -> Found:
    return Found([WrittenCall(name=tools.find(name).name, arguments=arguments) for name, arguments in calls], end)


def _calls_of(json: str, tools: Tools, *, bare: bool) -> list[WrittenCall]:
    """The calls that a value spells. Where no markup says that it is one, a call must name its arguments."""
    if json[0] == "[" and json != "[]":
        items = msgspec.json.decode(json.encode(), type=list[msgspec.Raw])
        return [call for item in items for call in _calls_of(_text(item), tools, bare=bare)]
    if json[0] != "{":
        raise UnreadableError("this is no call")
    fields = {key: _text(raw) for key, raw in _decoded(json).items()}
    wrappers = [key for key in WRAPPERS if fields.get(key, "")[:1] in {"{", "["}]
    if wrappers:
        inner = fields.pop(wrappers[0])
        _check_rest(fields)
        return _calls_of(inner, tools, bare=bare)
    names = [key for key in NAMES if fields.get(key, "").startswith('"')]
    arguments = [key for key in ARGUMENTS if key in fields]
    if len(names) != 1 or len(arguments) > 1 or (bare and not arguments):
        raise UnreadableError("this is no call")
    tool = tools.find(msgspec.json.decode(fields.pop(names[0]), type=str))
    given = _object(fields.pop(arguments[0]) if arguments else "{}")
    _check_rest(fields)
    if bare and _is_schema(given, tool):
        raise UnreadableError("this describes a tool")
    return [WrittenCall(name=tool.name, arguments=given)]


def _object(json: str) -> str:
    """The arguments, also where they are a string of JSON."""
    if json[0] == "{":
        return json
    read = repair(json)
    if isinstance(read, Refusal):
        raise UnreadableError(read.why)
    return read.text


def _check_rest(fields: dict[str, str]) -> None:
    """See that what stands beside a call says nothing that would be lost."""
    for key, value in fields.items():
        if key not in BESIDE or (BESIDE[key] and value not in BESIDE[key]):
            raise UnreadableError(f"{key[:80]} is no part of a call")


def _is_schema(arguments: str, tool: ToolSpec) -> bool:
    given = decode_object(arguments) or {}
    return {"type", "properties"} <= given.keys() and "properties" not in tool.schema.get("properties", {})


def _decoded(json: str) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(json.encode(), type=dict[str, msgspec.Raw])


def _text(raw: msgspec.Raw) -> str:
    return bytes(raw).decode().strip()


NAMES = ("name", "tool", "tool_name", "function", "function_name", "action")
ARGUMENTS = ("arguments", "parameters", "input", "args", "params", "tool_input", "action_input")
WRAPPERS = ("tool_calls", "tool_call", "function_call", "function", "calls", "step")
BESIDE: dict[str, frozenset[str]] = {
    "id": frozenset(),
    "index": frozenset(),
    "call_id": frozenset(),
    "tool_call_id": frozenset(),
    "type": frozenset({'"function"', '"tool_use"', '"tool_call"', '"function_call"', '"tool"'}),
    "role": frozenset({'"assistant"'}),
    "content": frozenset({"null", '""'}),
}
"""What may stand beside a call, and the only values that it may have."""
LABELS = frozenset({"", "json", "tool", "tool_call", "tool_calls", "tool_code", "tool_use", "function_call", "action"})
"""The labels of fences that may hold a call. Any other label names a language: its fence shows code."""

TAG = lazy(r"<(tool_calls?|function_calls?|tool_use)>")
ELEMENT = lazy(r"<(?P<tag>function|invoke)(?:\s+name)?\s*=\s*[\"']?(?P<name>[\w.-]+)[\"']?\s*>")
FENCE = lazy(r"(?P<marker>`{3,}|~{3,})[ \t]*(?P<label>[^`\s]*)[ \t]*\n")
ACTION = lazy(r"Action:[ \t]*")
_PARAMETER = lazy(r"<(?P<tag>parameter)(?:\s+name)?\s*=\s*[\"']?(?P<name>[\w.-]+)[\"']?(?:\s[^<>]*)?>")
MARK = lazy(r"\[TOOL_CALLS\]|<\|python_tag\|>")
_NAMED = lazy(r"(?:\[TOOL_CALLS\])?([A-Za-z_][\w.-]*)(?:\[ARGS\])?\s*\{")
_HALF_A_NAME = lazy(r"(?:\[TOOL_CALLS\])?[A-Za-z_][\w.-]*+(?:\[\w*+\]?)?\s*+\Z")
_ACTION_INPUT = lazy(r"([A-Za-z_][\w.-]*)\s*\nAction Input:\s*")
_PAIRED = lazy(r"([A-Za-z_][\w.-]*+)\s*+(?=<arg_key>)")
_PAIR = lazy(r"<arg_key>\s*+([\w.-]++)\s*+</arg_key>\s*+<arg_value>")
_ON_LINES_OF_ITS_OWN = lazy(r"\n.*\n", re.DOTALL)
START = lazy(r"<\|tool_call_start\|>")
_STARTED_END = lazy(r"\s*+(?:<\|tool_call_end\|>|\Z)")
_JSON = lazy(r"[{\[]")

LONGEST_OPENING = 100
"""No name of a tool, and nothing else by which a call is known, is longer."""

Reader = Callable[[str, int, Tools], Found]
Spelling = tuple[re.Pattern[str], Reader]
_PLAIN: tuple[Spelling, ...] = (
    (TAG, _tagged),
    (ELEMENT, _element),
    (MARK, _marked),
    (START, _started),
    (TEMPLATE, _framed),
    (_JSON, _bare),
)
_PYTHON_LIKE: Spelling = (PYTHON, _python)
_FENCE: Spelling = (FENCE, _fenced)
_SPELLINGS = ((PYTHON, _bare_python), *_PLAIN, _FENCE, (ACTION, _action))
