"""A conversation with tools, told to a model that takes none.

The tools stand in the instructions, with one example of how a call is spelled; earlier calls are text of the model in
that spelling, and their results are messages of the user. Each message is retold once and stays the same value, so
that a request only ever grows at its end.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from typing import Any

import msgspec

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, User
from ferrule.core.model import Request, ToolSpec
from ferrule.llm.encode import dumps, prose
from ferrule.llm.textcalls import TAUGHT_CLOSING, TAUGHT_OPENING

_DEEPEST = 6
"""How many levels of a parameter's type are spelled out."""

IN_TEXT = """\
# Tools

You work through the tools below. To use one, write a call on lines of its own, exactly so:

{example}

Its arguments are strict JSON. Write several calls one after the other where they do not depend on each other, and \
nothing behind them: the results come in the next message, never from you. An answer without a call ends your work. \
A parameter with ? may be left out.

{tools}"""

IN_STEPS = """\
# Tools

You work through the tools below. Each answer is one JSON object, either a call:

{example}

or, when the work is done or you have something to ask, your words to the person:

{{"step": {{"answer": "…"}}}}

The result of a call comes in the next message, never from you. A parameter with ? may be left out.

{tools}

# Examples

{examples}"""

_EXAMPLES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("What is in app.py?", "read", {"file_path": "app.py"}),
    ("Which tests are there?", "glob", {"pattern": "**/test_*.py"}),
    ("Where is the port set?", "grep", {"pattern": "port"}),
    ("Run the tests.", "bash", {"command": "python3 -m unittest"}),
    ("Make a file note.txt that says: Back soon", "write", {"file_path": "note.txt", "content": "Back soon\n"}),
    (
        "In app.py, set the port to 2 instead of 1.",
        "edit",
        {"file_path": "app.py", "old_string": "port = 1", "new_string": "port = 2"},
    ),
)
"""Requests and the calls that they ask for, of tools that sessions have: a small model goes by what it sees done."""


class Manner(msgspec.Struct, frozen=True):
    """A way to spell calls and answers as text."""

    instructions: str
    call: Callable[[str, str], str]
    """Spells a call from its name and its arguments as JSON."""
    answer: Callable[[str], str]


def _tagged(name: str, arguments: str) -> str:
    spelled = f'{{"name": {_json(name)}, "arguments": {arguments}}}'
    return f"{TAUGHT_OPENING}\n{spelled}\n{TAUGHT_CLOSING}"


def _step(name: str, arguments: str) -> str:
    return f'{{"step": {{"tool": {_json(name)}, "arguments": {arguments}}}}}'


def _answered(text: str) -> str:
    return f'{{"step": {{"answer": {_json(text)}}}}}'


TEXT = Manner(IN_TEXT, _tagged, lambda text: text)
STEPS = Manner(IN_STEPS, _step, _answered)


class Retelling:
    """One conversation, retold in one manner as it grows."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._seen: tuple[Message, ...] = ()
        self._told: list[Message] = []
        self._head: tuple[Request, str] | None = None

    def tell(self, request: Request) -> Request:
        """The request without tools that says the same."""
        known = len(self._seen)
        if known > len(request.messages) or not all(map(is_, self._seen, request.messages)):
            known, self._told = 0, []
        self._told += map(self._message, request.messages[known:])
        self._seen = request.messages
        return Request(system=self._system(request), tools=(), messages=tuple(self._told))

    def _system(self, request: Request) -> str:
        if self._head:
            last, system = self._head
            if (last.system, last.tools) == (request.system, request.tools):
                return system
        told = instructions(request.tools, self._manner) if request.tools else ""
        system = "\n\n".join(part for part in (request.system, told) if part)
        self._head = (request, system)
        return system

    def _message(self, message: Message) -> Message:
        match message:
            case Assistant():
                return self._answer(message)
            case ToolResult():
                return _result(message)
        return message

    def _answer(self, message: Assistant) -> Assistant:
        said, spelled = prose(message), [self._manner.call(call.name, _arguments(call)) for call in message.calls]
        if not spelled and (not said or self._manner.answer(said) == said):
            return message
        parts = [part for part in (said, *spelled) if part] if spelled else [self._manner.answer(said)]
        thoughts = [part for part in message.content if isinstance(part, Thinking)]
        return msgspec.structs.replace(message, content=(*thoughts, Text("\n\n".join(parts))))


def instructions(tools: Sequence[ToolSpec], manner: Manner) -> str:
    """Describe the tools in words, and how to call them."""
    first = next((tool for tool in tools if tool.schema.get("required")), tools[0])
    given = {key: _example(part) for key, part, is_needed in _parameters(first.schema) if is_needed}
    example = manner.call(first.name, _json(given))
    known = {tool.name: {key for key, _, _ in _parameters(tool.schema)} for tool in tools}
    examples = [
        f"{request}\n{manner.call(name, _json(arguments))}"
        for request, name, arguments in _EXAMPLES
        if arguments.keys() <= known.get(name, set())
    ]
    told = "\n\n".join(examples) or example
    return manner.instructions.format(example=example, examples=told, tools="\n\n".join(map(_described, tools)))


def step_schema(tools: Iterable[ToolSpec]) -> dict[str, Any]:
    """The JSON schema of one step: a call of one of the tools, or an answer."""
    definitions: dict[str, Any] = {}
    steps = [
        _closed({"tool": {"type": "string", "enum": [tool.name]}, "arguments": _lifted(tool, definitions)})
        for tool in tools
    ]
    answer = _closed({"answer": {"type": "string"}})
    schema = _closed({"step": {"anyOf": [*steps, answer]}})
    return {**schema, "$defs": definitions} if definitions else schema


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    needed = list(properties)
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _lifted(tool: ToolSpec, definitions: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a tool; definitions move to the top of the whole, where references can find them."""
    schema = {"type": "object", "properties": {}, **tool.schema, "additionalProperties": False}
    for field in ("$defs", "definitions"):
        for name, one in (schema.pop(field, None) or {}).items():
            definitions[f"{tool.name}.{name}"] = _redirected(one, tool.name)
    lifted = _redirected(schema, tool.name)
    assert isinstance(lifted, dict)
    return lifted


def _redirected(node: Any, owner: str) -> Any:
    if isinstance(node, list):
        return [_redirected(one, owner) for one in node]
    if not isinstance(node, dict):
        return node
    if isinstance(reference := node.get("$ref"), str):
        found = re.fullmatch(r"#/(?:\$defs|definitions)/([^/]+)", reference)
        return {"$ref": f"#/$defs/{owner}.{found[1]}"} if found else {}
    return {key: _redirected(one, owner) for key, one in node.items()}


def _described(tool: ToolSpec) -> str:
    lines = [f"## {tool.name}", tool.description.strip()]
    for key, part, is_needed in _parameters(tool.schema):
        words = " ".join(str(part.get("description", "")).split())
        lines.append(f"- {key}{'' if is_needed else '?'}: {_type(part)}{'. ' + words if words else ''}")
    return "\n".join(line for line in lines if line)


def _parameters(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any], bool]]:
    properties, needed = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return []
    needed = needed if isinstance(needed, list) else []
    return [(key, part if isinstance(part, dict) else {}, key in needed) for key, part in properties.items()]


def _type(schema: dict[str, Any], depth: int = 0) -> str:
    """A type as one would write it down: `integer`, `"a" | "b"`, `[{path: string}]`."""
    if depth > _DEEPEST:
        return "…"
    if isinstance(options := schema.get("anyOf") or schema.get("oneOf"), list):
        return " | ".join(_type(one, depth + 1) for one in options if isinstance(one, dict))
    if isinstance(values := schema.get("enum"), list):
        return " | ".join(map(_json, values))
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        return f"[{_type(items, depth + 1) if isinstance(items, dict) else 'any'}]"
    if parts := _parameters(schema):
        fields = (f"{key}{'' if is_needed else '?'}: {_type(part, depth + 1)}" for key, part, is_needed in parts)
        return "{" + ", ".join(fields) + "}"
    return " | ".join(map(str, kind)) if isinstance(kind, list) else str(kind or "any")


def _example(schema: dict[str, Any]) -> Any:
    if isinstance(values := schema.get("enum"), list) and values:
        return values[0]
    return {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}.get(str(schema.get("type")), "…")


def _arguments(call: ToolCall) -> str:
    return _json(call.input) if call.malformed is None else call.malformed


def _result(message: ToolResult) -> User:
    """A result as a message of the user. What it says cannot end it early and speak as the user does."""
    text = message.text.replace("</tool_result", "<\\/tool_result")
    failed = ' failed="true"' if message.is_error else ""
    told = Text(f'<tool_result tool="{message.tool}"{failed}>\n{text}\n</tool_result>')
    images = [part for part in message.content if isinstance(part, Image)]
    return User(content=(told, *images), by="ferrule", at=message.at)


def _json(value: Any) -> str:
    return dumps(value).decode()
