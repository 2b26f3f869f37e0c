"""The Messages API: what it refuses, and how it answers."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tests.server.script import Kind, Received, Reply, Tokens, pieces
from tests.server.strict import Refused, is_base64, names, need, number, only, schema, sign, whole_number

PATH = "/v1/messages"
CONTENT_TYPE = "text/event-stream; charset=utf-8"
FIELDS = names(
    "model messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences metadata "
    "thinking output_config service_tier cache_control container"
)
TOOL_FIELDS = {"name", "description", "input_schema", "cache_control", "type", "strict", "eager_input_streaming"}
BLOCK_FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "image": {"type", "source", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
ALLOWED = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
}
EXTRA = "{}: Extra inputs are not permitted"
_KINDS: dict[Kind, str] = {
    "rate_limit": "rate_limit_error",
    "overloaded": "overloaded_error",
    "server": "api_error",
    "auth": "authentication_error",
    "no_model": "not_found_error",
    "context_overflow": "invalid_request_error",
    "bad_request": "invalid_request_error",
}


def error(kind: Kind, message: str, code: str = "") -> dict[str, Any]:
    message = message or ("prompt is too long: 210000 tokens > 200000 maximum" if kind == "context_overflow" else "")
    return {"type": "error", "error": {"type": _KINDS[kind], "message": message or kind}, "request_id": "req_1"}


def check(request: Received, key: str | None) -> None:
    """Refuse what the service would refuse."""
    if key is not None:
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        need(given, "x-api-key header is required", status=401, kind="auth")
        need(given == key, "invalid x-api-key", status=401, kind="auth")
    need(request.headers.get("anthropic-version"), "anthropic-version: header is required")
    body = request.body
    need(isinstance(body, dict), "The request body is not valid JSON")
    only(body, FIELDS, EXTRA)
    for field in ("model", "messages", "max_tokens"):
        need(field in body, f"{field}: Field required")
    need(isinstance(body["model"], str) and body["model"], "model: String should have at least 1 character")
    need(whole_number(body["max_tokens"], most=128_000), "max_tokens: Input should be greater than or equal to 1")
    _check_thinking(body)
    _check_tools(body.get("tools"))
    _check_system(body.get("system"))
    _check_messages(body)
    _check_markers(body)


def _check_thinking(body: dict[str, Any]) -> None:
    thinking = body.get("thinking") or {"type": "disabled"}
    need(thinking.get("type") in {"enabled", "adaptive", "disabled"}, "thinking.type: Input should be 'enabled'")
    if thinking["type"] == "enabled":
        budget = thinking.get("budget_tokens")
        need(whole_number(budget, least=1024), "thinking.enabled.budget_tokens: should be at least 1024")
        need(budget < body["max_tokens"], "`max_tokens` must be greater than `thinking.budget_tokens`.")
    if (temperature := body.get("temperature")) is not None:
        need(number(temperature, least=0, most=1), "temperature: range: 0..1")
        one = thinking["type"] == "disabled" or temperature == 1
        need(one, "`temperature` may only be set to 1 when thinking is enabled.")


def _check_tools(tools: Any) -> None:
    for number_, tool in enumerate(tools or []):
        only(tool, TOOL_FIELDS, f"tools.{number_}.custom.{EXTRA}")
        name = tool.get("name", "")
        pattern = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
        need(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name), f"tools.{number_}.custom.name: {pattern}")
        schema(tool.get("input_schema"), f"tools.{number_}.custom.input_schema.type: Input should be 'object'")
    names = [tool["name"] for tool in tools or []]
    need(len(set(names)) == len(names), "tools: Tool names must be unique.")


def _check_system(system: Any) -> None:
    for number_, block in enumerate(system if isinstance(system, list) else []):
        need(block.get("type") == "text", f"system.{number_}.type: Input should be 'text'")
        need(block.get("text"), "system: text content blocks must be non-empty")


def _check_messages(body: dict[str, Any]) -> None:
    messages = body["messages"]
    need(isinstance(messages, list) and messages, "messages: at least one message is required")
    for place, message in enumerate(messages):
        only(message, {"role", "content"}, f"messages.{place}.{EXTRA}")
        need(message.get("role") in ALLOWED, f"messages.{place}.role: Input should be 'user' or 'assistant'")
        _check_content(message, f"messages.{place}", body["model"])
    need(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
    images = sum(block["type"] == "image" for message in messages for block in _blocks(message))
    need(images <= 100, "Too many images: at most 100 are allowed")
    _check_pairs(messages)
    last = messages[-1]
    if last["role"] == "assistant":
        text = _blocks(last)[-1].get("text", "")
        need(text == text.rstrip(), "messages: final assistant content cannot end with trailing whitespace")
    if (body.get("thinking") or {}).get("type") == "enabled":
        _check_began_with_thinking(messages)


def _check_content(message: dict[str, Any], where: str, model: str) -> None:
    need(message.get("content"), f"{where}: all messages must have non-empty content")
    blocks = _blocks(message)
    for place, block in enumerate(blocks):
        at = f"{where}.content.{place}"
        kind = block.get("type")
        role = message["role"]
        need(kind in ALLOWED[role], f"{at}.type: `{kind}` blocks are not allowed in a message of the {role}")
        _check_block(block, f"{at}.{kind}", model)
    need(
        blocks[-1]["type"] not in {"thinking", "redacted_thinking"},
        f"{where}: The final block in an assistant message cannot be `thinking`.",
    )


def _check_block(block: dict[str, Any], at: str, model: str) -> None:
    kind = block["type"]
    only(block, BLOCK_FIELDS[kind], f"{at}.{EXTRA}")
    match kind:
        case "text":
            need(isinstance(block.get("text"), str), f"{at}.text: Field required")
            need(block["text"], "messages: text content blocks must be non-empty")
            need(block["text"].strip(), "messages: text content blocks must contain non-whitespace text")
        case "image":
            source = block.get("source") or {}
            need(source.get("type") == "base64", f"{at}.source.type: Input should be 'base64'")
            media = {"image/jpeg", "image/png", "image/gif", "image/webp"}
            need(source.get("media_type") in media, f"{at}.source.base64.media_type: Input should be 'image/jpeg'")
            need(is_base64(source.get("data")), f"{at}.source.base64.data: invalid base64 data")
        case "thinking":
            right = block.get("signature") == sign(model, block.get("thinking", ""))
            need(right, f"{at}: Invalid `signature` in `thinking` block")
        case "redacted_thinking":
            need(str(block.get("data")).startswith(sign(model)), f"{at}: Invalid `data` in `redacted_thinking` block")
        case "tool_use":
            pattern = "String should match pattern '^[a-zA-Z0-9_-]+$'"
            need(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(block.get("id"))), f"{at}.id: {pattern}")
            need(re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", str(block.get("name"))), f"{at}.name: {pattern}")
            need(isinstance(block.get("input"), dict), f"{at}.input: Input should be a valid dictionary")
        case "tool_result":
            _check_result(block, at, model)


def _check_result(block: dict[str, Any], at: str, model: str) -> None:
    need(isinstance(block.get("tool_use_id"), str), f"{at}.tool_use_id: Field required")
    content = block.get("content")
    for inner in content if isinstance(content, list) else []:
        need(inner.get("type") in {"text", "image"}, f"{at}.content: Input should be 'text' or 'image'")
        _check_block(inner, f"{at}.content", model)
        words = f"{at}: all content must be type `text` if `is_error` is true"
        need(inner["type"] == "text" or not block.get("is_error"), words)


def _check_pairs(messages: list[dict[str, Any]]) -> None:
    """Each call has its result at the beginning of the next message, and each result its call."""
    seen: set[str] = set()
    open_calls: list[str] = []
    for place, message in enumerate(messages):
        blocks = _blocks(message)
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        for id_ in results:
            words = f"unexpected `tool_use_id` found in `tool_result` blocks: {id_}. Each `tool_result` block must "
            words += "have a corresponding `tool_use` block in the previous message."
            need(id_ in open_calls, f"messages.{place}.content.0: {words}")
        need(len(set(results)) == len(results), f"each tool_use must have a single result. Found multiple: {results}")
        first = all(block["type"] == "tool_result" for block in blocks[: len(results)])
        missing = [id_ for id_ in open_calls if id_ not in results]
        need(
            not missing and first,
            f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
        )
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        need(not seen & set(open_calls) and len(set(open_calls)) == len(open_calls), "`tool_use` ids must be unique")
        seen |= set(open_calls)
    need(not open_calls, "`tool_use` ids were found without `tool_result` blocks immediately after")


def _check_began_with_thinking(messages: list[dict[str, Any]]) -> None:
    """With a budget for thinking, an answer that goes on after results must have begun with a thought."""
    place = len(messages) - 1
    while place > 0 and any(block["type"] == "tool_result" for block in _blocks(messages[place])):
        first = _blocks(messages[place - 1])[0]["type"]
        place -= 2
    if place < len(messages) - 1:
        words = f"Expected `thinking` or `redacted_thinking`, but found `{first}`."
        need("thinking" in first, f"messages.{place + 1}.content.0.type: {words}")


def _check_markers(body: dict[str, Any]) -> None:
    system = body["system"] if isinstance(body.get("system"), list) else []
    blocks = [block for message in body["messages"] for block in _blocks(message)]
    marked = [one["cache_control"] for one in [*(body.get("tools") or []), *system, *blocks] if "cache_control" in one]
    need(all(one.get("type") == "ephemeral" for one in marked), "cache_control.type: Input should be 'ephemeral'")
    found = f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    need(len(marked) <= 4, found)


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def render(reply: Reply, request: Received, number_: int) -> Iterator[bytes]:
    """The events of an answer."""
    model = request.body["model"]
    usage = reply.usage or Tokens(input=0, output=0)
    counted = {
        "input_tokens": usage.input,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {
        "id": f"msg_{number_:024d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
    }
    message |= {"stop_reason": None, "stop_sequence": None, "usage": counted}
    yield _event("message_start", message=message)
    yield _event("ping")
    for index, block in enumerate(_answer(reply, model, number_)):
        yield from _block_events(index, block, reply.piece)
    if reply.garbage:
        yield f"event: content_block_delta\ndata: {reply.garbage}\n\n".encode()
    if reply.kind:
        yield b"event: error\ndata: " + msgspec.json.encode(error(reply.kind, reply.message)) + b"\n\n"
        return
    stop = reply.stop or ("tool_use" if reply.calls else "end_turn")
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage={"output_tokens": usage.output})
    if not reply.no_end:
        yield _event("message_stop")


def _answer(reply: Reply, model: str, number_: int) -> Iterator[dict[str, Any]]:
    if reply.redacted:
        yield {"type": "redacted_thinking", "data": f"{sign(model)}{number_}"}
    elif reply.thinking:
        yield {"type": "thinking", "thinking": reply.thinking, "signature": sign(model, reply.thinking)}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for place, call in enumerate(reply.calls):
        arguments = call.arguments if isinstance(call.arguments, str) else msgspec.json.encode(call.arguments).decode()
        id_ = call.id or f"toolu_{number_:020d}{place:04d}"
        yield {"type": "tool_use", "id": id_, "name": call.name, "arguments": arguments}


def _block_events(index: int, block: dict[str, Any], size: int) -> Iterator[bytes]:
    start: dict[str, Any]
    match block["type"]:
        case "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": text} for text in pieces(block["thinking"], size)]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "text":
            start = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": text} for text in pieces(block["text"], size)]
        case "tool_use":
            start = {"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}
            cut = ["", *pieces(block["arguments"], size)]
            deltas = [{"type": "input_json_delta", "partial_json": text} for text in cut]
        case _:
            start, deltas = block, []
    yield _event("content_block_start", index=index, content_block=start)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(type_: str, **fields: Any) -> bytes:
    return f"event: {type_}\ndata: ".encode() + msgspec.json.encode({"type": type_} | fields) + b"\n\n"


__all__ = ["CONTENT_TYPE", "PATH", "Refused", "check", "error", "render"]
