"""The Responses API: what it refuses, and how it answers."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tests.server import openai_chat
from tests.server.script import Kind, Received, Reply, Tokens, pieces
from tests.server.strict import REASONING, bearer, is_data_url, names, need, number, only, schema, sign, whole_number

PATH = "/v1/responses"
CONTENT_TYPE = "text/event-stream; charset=utf-8"
FIELDS = names(
    "model input instructions stream store include tools tool_choice parallel_tool_calls temperature top_p "
    "max_output_tokens reasoning text metadata previous_response_id prompt_cache_key prompt_cache_retention "
    "service_tier truncation user safety_identifier"
)
ITEM_FIELDS = {
    "message": {"type", "role", "content", "id", "status", "phase"},
    "function_call": {"type", "call_id", "name", "arguments", "id", "status"},
    "function_call_output": {"type", "call_id", "output", "id", "status"},
    "reasoning": {"type", "id", "summary", "encrypted_content", "content", "status"},
}
PARTS = {
    "user": {"input_text", "input_image", "input_file"},
    "system": {"input_text"},
    "developer": {"input_text"},
    "assistant": {"output_text", "refusal"},
}
error = openai_chat.error


def check(request: Received, key: str | None) -> None:
    """Refuse what the service would refuse."""
    bearer(request, key)
    body = request.body
    need(isinstance(body, dict), "We could not parse the JSON body of your request.")
    only(body, FIELDS, "Unknown parameter: '{}'.")
    need(isinstance(body.get("model"), str) and body["model"], "Missing required parameter: 'model'.")
    _check_settings(body)
    for place, tool in enumerate(body.get("tools") or []):
        _check_tool(tool, place)
    items = body.get("input")
    need(isinstance(items, str | list) and items, "Missing required parameter: 'input'.")
    if isinstance(items, list):
        for place, item in enumerate(items):
            _check_item(item, f"input[{place}]", body["model"])
        _check_pairs(items)


def _check_settings(body: dict[str, Any]) -> None:
    reasons = REASONING.match(body["model"])
    if (temperature := body.get("temperature")) is not None:
        need(number(temperature, least=0, most=2), "Invalid 'temperature': expected a value between 0 and 2.")
        need(not reasons, "Unsupported parameter: 'temperature' is not supported with this model.")
    most = body.get("max_output_tokens", 16)
    need(whole_number(most, least=16), "Invalid 'max_output_tokens': integer below minimum value. Expected >= 16.")
    if "reasoning.encrypted_content" in (body.get("include") or []):
        need(reasons, "Encrypted content is not supported with this model.")
    if body.get("reasoning"):
        only(body["reasoning"], {"effort", "summary"}, "Unknown parameter: 'reasoning.{}'.")
        need(reasons, "Unsupported parameter: 'reasoning.effort' is not supported with this model.")


def _check_tool(tool: Any, place: int) -> None:
    need(tool.get("type") == "function", f"Invalid value for 'tools[{place}].type'.")
    fields = {"type", "name", "description", "parameters", "strict"}
    only(tool, fields, f"Unknown parameter: 'tools[{place}].{{}}'.")
    _check_name(tool.get("name"), f"tools[{place}].name")
    words = f"Invalid schema for function '{tool['name']}': schema must be a JSON Schema of 'type: \"object\"'."
    schema(tool.get("parameters"), words)
    if tool.get("strict", True):  # strict unless it says otherwise
        given = tool["parameters"].get("additionalProperties")
        words = f"Invalid schema for function '{tool['name']}': 'additionalProperties' is required to be false."
        need(given is False, words)


def _check_name(name: Any, at: str) -> None:
    words = f"Invalid '{at}': string does not match the pattern '^[a-zA-Z0-9_-]+$'."
    need(isinstance(name, str) and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name), words)


def _check_item(item: Any, at: str, model: str) -> None:
    kind = item.get("type", "message")
    need(kind in ITEM_FIELDS, f"Invalid value: '{kind}'. Supported values are: 'message', 'function_call'.")
    only(item, ITEM_FIELDS[kind], f"Unknown parameter: '{at}.{{}}'.")
    match kind:
        case "message":
            _check_message(item, at)
        case "function_call" | "function_call_output":
            id_ = item.get("call_id")
            need(isinstance(id_, str) and id_, f"Missing required parameter: '{at}.call_id'.")
            words = f"Invalid '{at}.call_id': string too long. Expected a string with maximum length 64."
            need(len(id_) <= 64, words)
            if kind == "function_call":
                _check_name(item.get("name"), f"{at}.name")
                need(isinstance(item.get("arguments"), str), f"Invalid type for '{at}.arguments': expected a string.")
            else:
                _check_output(item.get("output"), at)
        case "reasoning":
            need(str(item.get("id")).startswith("rs_"), f"Invalid '{at}.id': Expected an ID that begins with 'rs'.")
            need(isinstance(item.get("summary"), list), f"Missing required parameter: '{at}.summary'.")
            given = item.get("encrypted_content")
            need(
                given,
                f"Item with id '{item['id']}' not found. Items are not persisted when `store` is false.",
                status=404,
            )
            words = f"The encrypted content for item {item['id']} could not be verified."
            need(given == sign(model, item["id"]), words, code="invalid_encrypted_content")


def _check_message(item: dict[str, Any], at: str) -> None:
    role = str(item.get("role"))
    need(role in PARTS, f"Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'user'.")
    content: Any = item.get("content")
    if isinstance(content, str):
        return
    need(isinstance(content, list) and content, f"Invalid type for '{at}.content': expected an array or a string.")
    for part in content:
        kind = part.get("type")
        need(kind in PARTS[role], f"Invalid value: '{kind}'. Supported values are: {', '.join(sorted(PARTS[role]))}.")
        if kind == "input_image":
            need(is_data_url(part.get("image_url")), f"Invalid '{at}.content.image_url'.", code="invalid_base64_image")
        else:
            need(isinstance(part.get("text"), str), f"Missing required parameter: '{at}.content.text'.")


def _check_output(output: Any, at: str) -> None:
    if isinstance(output, list):
        _check_message({"role": "user", "content": output}, at)
    else:
        need(isinstance(output, str), f"Invalid type for '{at}.output': expected a string.")


def _check_pairs(items: list[dict[str, Any]]) -> None:
    """Each call has its output, each output its call, and reasoning what it led to."""
    open_calls: list[str] = []
    called: set[str] = set()
    for place, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "function_call":
            need(item["call_id"] not in called, f"Duplicate call_id {item['call_id']}.")
            open_calls.append(item["call_id"])
            called.add(item["call_id"])
        elif kind == "function_call_output":
            words = f"No tool call found for function call output with call_id {item['call_id']}."
            need(item["call_id"] in open_calls, words)
            open_calls.remove(item["call_id"])
        elif kind == "reasoning":
            after = items[place + 1] if place + 1 < len(items) else {}
            follows = after.get("type") in {"function_call", "reasoning"} or after.get("role") == "assistant"
            words = f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
            need(follows, words)
    need(not open_calls, f"No tool output found for function call {', '.join(open_calls)}.")


def render(reply: Reply, request: Received, number_: int) -> Iterator[bytes]:
    """The events of an answer."""
    body = request.body
    count = iter(range(10**9))

    def event(type_: str, **fields: Any) -> bytes:
        document = msgspec.json.encode({"type": type_, "sequence_number": next(count)} | fields)
        return f"event: {type_}\ndata: ".encode() + document + b"\n\n"

    response = {"id": f"resp_{number_:024d}", "object": "response", "created_at": 1_700_000_000, "error": None}
    response |= {"model": body["model"], "status": "in_progress", "output": [], "usage": None, "tools": []}
    response |= {"incomplete_details": None, "parallel_tool_calls": True, "tool_choice": "auto"}
    yield event("response.created", response=response)
    yield event("response.in_progress", response=response)
    output = list(_items(reply, body, number_))
    for index, item in enumerate(output):
        for type_, fields in _item_events(item, reply.piece):
            yield event(type_, output_index=index, **fields)
    if reply.garbage:
        yield f"event: response.output_text.delta\ndata: {reply.garbage}\n\n".encode()
    if reply.kind:
        failed = openai_chat.error(reply.kind, reply.message)["error"]
        code = failed["code"] or failed["type"]
        yield event(
            "response.failed",
            response=response | {"status": "failed", "error": {"code": code, "message": failed["message"]}},
        )
        return
    if reply.no_end:
        return
    stopped = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}.get(reply.stop or "")
    status = "incomplete" if stopped else "completed"
    response |= {"status": status, "output": output, "usage": _usage(reply.usage)}
    response |= {"incomplete_details": {"reason": stopped} if stopped else None}
    yield event(f"response.{status}", response=response)


def _items(reply: Reply, body: dict[str, Any], number_: int) -> Iterator[dict[str, Any]]:
    if reply.thinking and REASONING.match(body["model"]):
        id_ = f"rs_{number_:024d}"
        item = {"type": "reasoning", "id": id_, "summary": [{"type": "summary_text", "text": reply.thinking}]}
        wanted = "reasoning.encrypted_content" in (body.get("include") or [])
        yield item | {"encrypted_content": sign(body["model"], id_) if wanted else None}
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        phase = "commentary" if reply.calls else "final_answer"
        item = {"type": "message", "id": f"msg_{number_:024d}", "role": "assistant", "status": "completed"}
        yield item | {"content": content, "phase": phase}
    for place, call in enumerate(reply.calls):
        arguments = call.arguments if isinstance(call.arguments, str) else msgspec.json.encode(call.arguments).decode()
        ids = {"id": f"fc_{number_:020d}{place:04d}", "call_id": call.id or f"call_{number_:020d}{place:04d}"}
        yield {"type": "function_call", "name": call.name, "arguments": arguments, "status": "completed"} | ids


def _item_events(item: dict[str, Any], size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    id_ = {"item_id": item["id"]}
    match item["type"]:
        case "reasoning":
            yield "response.output_item.added", {"item": item | {"summary": [], "encrypted_content": None}}
            part = id_ | {"summary_index": 0}
            yield "response.reasoning_summary_part.added", part | {"part": {"type": "summary_text", "text": ""}}
            for text in pieces(item["summary"][0]["text"], size):
                yield "response.reasoning_summary_text.delta", part | {"delta": text}
            yield "response.reasoning_summary_part.done", part | {"part": item["summary"][0]}
        case "message":
            yield "response.output_item.added", {"item": item | {"content": [], "status": "in_progress"}}
            part = id_ | {"content_index": 0}
            empty = {"type": "output_text", "text": "", "annotations": []}
            yield "response.content_part.added", part | {"part": empty}
            for text in pieces(item["content"][0]["text"], size):
                yield "response.output_text.delta", part | {"delta": text, "logprobs": []}
            yield "response.output_text.done", part | {"text": item["content"][0]["text"], "logprobs": []}
            yield "response.content_part.done", part | {"part": item["content"][0]}
        case _:
            yield "response.output_item.added", {"item": item | {"arguments": "", "status": "in_progress"}}
            for text in pieces(item["arguments"], size):
                yield "response.function_call_arguments.delta", id_ | {"delta": text}
            done = {"arguments": item["arguments"], "name": item["name"]}
            yield "response.function_call_arguments.done", id_ | done
    yield "response.output_item.done", {"item": item}


def _usage(usage: Tokens | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    total = usage.input + usage.cache_read + usage.cache_write
    return {
        "input_tokens": total,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total + usage.output,
    }


__all__ = ["CONTENT_TYPE", "PATH", "Kind", "check", "error", "render"]
