"""Ollama's `/api/chat`: what it refuses, and how it answers."""

from collections.abc import Iterator
from typing import Any

import msgspec

from tests.server.script import Kind, Received, Reply, pieces
from tests.server.strict import is_base64, names, need, number, only, schema, whole_number

PATH = "/api/chat"
CONTENT_TYPE = "application/x-ndjson"
FIELDS = names("model messages tools format options stream keep_alive think truncate shift logprobs")
MESSAGE_FIELDS = {"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"}
OPTIONS = {"num_ctx", "num_predict", "temperature", "top_p", "top_k", "seed", "stop", "num_keep", "repeat_penalty"}
_WORDS: dict[Kind, str] = {
    "rate_limit": "too many requests",
    "overloaded": "server busy, please try again. maximum pending requests exceeded",
    "server": "model runner has unexpectedly stopped, this may be due to resource limitations",
    "auth": "unauthorized",
    "no_model": "model not found, try pulling it first",
    "bad_request": "invalid request",
    "context_overflow": "the input length exceeds the context length",
}
WRONG = "json: cannot unmarshal {} into Go struct field ChatRequest.{}"


def error(kind: Kind, message: str, code: str = "") -> dict[str, Any]:
    return {"error": message or _WORDS[kind]}


def check(request: Received, key: str | None) -> None:
    """Refuse what the service would refuse, and what it would only misunderstand."""
    body = request.body
    need(isinstance(body, dict), "invalid character in the request")
    only(body, FIELDS, "unknown field {}")
    need(isinstance(body.get("model"), str) and body["model"], "model is required")
    _check_options(body.get("options") or {})
    need(isinstance(body.get("think", False), bool | str), "think must be a boolean or string")
    for tool in body.get("tools") or []:
        need(tool.get("type") == "function", WRONG.format("tool", "tools.type"))
        function = tool.get("function") or {}
        only(function, {"name", "description", "parameters"}, WRONG.format("field {}", "tools.function"))
        need(function.get("name"), WRONG.format("tool", "tools.function.name"))
        schema(function.get("parameters"), WRONG.format("tool", "tools.function.parameters"))
    _check_messages(body.get("messages"))


def _check_options(options: dict[str, Any]) -> None:
    only(options, OPTIONS, "invalid option provided: {}")
    for name in ("num_ctx", "num_predict"):
        need(whole_number(options.get(name, 1)), f'option "{name}" must be of type integer')
    need(number(options.get("temperature", 0), least=0, most=2), 'option "temperature" must be of type float32')


def _check_messages(messages: Any) -> None:
    need(isinstance(messages, list) and messages, WRONG.format("null", "messages"))
    open_calls: list[str] = []
    for message in messages:
        only(message, MESSAGE_FIELDS, "unknown field messages.{}")
        role = message.get("role")
        need(role in {"system", "user", "assistant", "tool"}, f"invalid role: {role}")
        need(isinstance(message.get("content"), str), WRONG.format("array", "messages.content of type string"))
        for image in message.get("images") or []:
            need(is_base64(image), "illegal base64 data at input byte 0")
        if role == "tool":
            need(open_calls and message.get("tool_name") == open_calls.pop(0), "a result without its call")
            continue
        need(not open_calls, f"calls without their results: {open_calls}")
        open_calls = [_check_call(call) for call in message.get("tool_calls") or []]
        if role == "assistant":
            need(message["content"] or open_calls, "an empty answer")
    need(not open_calls, f"calls without their results: {open_calls}")


def _check_call(call: Any) -> str:
    function = call.get("function") or {}
    arguments = function.get("arguments")
    need(isinstance(arguments, dict), WRONG.format("string", "messages.tool_calls.function.arguments of type object"))
    need(isinstance(function.get("name"), str) and function["name"], "a call without a name")
    return str(function["name"])


def render(reply: Reply, request: Received, number_: int) -> Iterator[bytes]:
    """The lines of an answer."""

    def line(message: dict[str, Any], **more: Any) -> bytes:
        head = {"model": request.body["model"], "created_at": "2025-01-01T00:00:00.000000Z"}
        document = head | {"message": {"role": "assistant", "content": ""} | message, "done": False} | more
        return msgspec.json.encode(document) + b"\n"

    for text in pieces(reply.thinking, reply.piece):
        yield line({"thinking": text})
    for text in pieces(reply.text, reply.piece):
        yield line({"content": text})
    for call in reply.calls:
        function = {"name": call.name, "arguments": call.arguments}
        yield line({"tool_calls": [{"id": call.id, "function": function} if call.id else {"function": function}]})
    if reply.garbage:
        yield reply.garbage.encode() + b"\n"
    if reply.kind:
        yield msgspec.json.encode(error(reply.kind, reply.message)) + b"\n"
        return
    if reply.no_end:
        return
    done: dict[str, Any] = {"done": True, "done_reason": "length" if reply.stop == "max_tokens" else "stop"}
    done |= {"total_duration": 1_000_000, "load_duration": 1_000, "eval_duration": 1_000}
    if reply.usage:
        used = reply.usage
        read = used.input + used.cache_read + used.cache_write
        done |= {"prompt_eval_count": read, "eval_count": used.output}
    yield line({}, **done)
