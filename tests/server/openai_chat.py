"""Chat Completions: what it refuses, and how it answers."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tests.server.script import Kind, Received, Reply, pieces
from tests.server.strict import REASONING, bearer, is_data_url, names, need, number, only, schema, whole_number

PATH = "/v1/chat/completions"
CONTENT_TYPE = "text/event-stream; charset=utf-8"
FIELDS = names(
    "model messages stream stream_options tools tool_choice parallel_tool_calls temperature top_p max_tokens "
    "max_completion_tokens reasoning_effort prompt_cache_key prompt_cache_retention stop n seed user metadata store "
    "response_format logprobs verbosity service_tier"
)
MESSAGE_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}
_TYPES: dict[Kind, tuple[str, str | None, str]] = {
    "rate_limit": ("requests", "rate_limit_exceeded", "Rate limit reached for the model"),
    "overloaded": ("server_error", "overloaded", "The server is overloaded or not ready yet."),
    "server": ("server_error", None, "The server had an error while processing your request."),
    "auth": ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    "no_model": ("invalid_request_error", "model_not_found", "The model does not exist or you do not have access."),
    "bad_request": ("invalid_request_error", None, "Invalid request."),
    "context_overflow": (
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ),
}


def error(kind: Kind, message: str, code: str = "") -> dict[str, Any]:
    type_, usual, words = _TYPES[kind]
    return {"error": {"message": message or words, "type": type_, "param": None, "code": code or usual}}


def check(request: Received, key: str | None) -> None:
    """Refuse what the service would refuse."""
    bearer(request, key)
    body = request.body
    need(isinstance(body, dict), "We could not parse the JSON body of your request.")
    only(body, FIELDS, "Unrecognized request argument supplied: {}")
    need(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    _check_numbers(body)
    check_options = body.get("stream_options") is None or body.get("stream")
    need(check_options, "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
    for place, tool in enumerate(body.get("tools") or []):
        _check_tool(tool, place)
    need(body.get("tools") != [], "Invalid 'tools': empty array. Expected an array with minimum length 1.")
    _check_messages(body.get("messages"))


def _check_numbers(body: dict[str, Any]) -> None:
    reasons = REASONING.match(body["model"])
    if (temperature := body.get("temperature")) is not None:
        need(number(temperature, least=0, most=2), "Invalid 'temperature': expected a value between 0 and 2.")
        words = "Unsupported value: 'temperature' does not support this value with this model."
        need(not reasons or temperature == 1, words, code="unsupported_value")
    for field in ("max_tokens", "max_completion_tokens"):
        given = body.get(field, 1)
        need(whole_number(given), f"Invalid '{field}': integer below minimum value. Expected a value >= 1.")
    if "max_tokens" in body:
        words = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        need(not reasons, words, code="unsupported_parameter")
        need("max_completion_tokens" not in body, "Setting 'max_tokens' and 'max_completion_tokens' is not supported.")


def _check_tool(tool: Any, place: int) -> None:
    at = f"tools[{place}]"
    need(tool.get("type") == "function", f"Invalid value for '{at}.type'.")
    only(tool, {"type", "function"}, f"Unknown parameter: '{at}.{{}}'.")
    function = tool.get("function") or {}
    only(function, {"name", "description", "parameters", "strict"}, f"Unknown parameter: '{at}.function.{{}}'.")
    _check_name(function.get("name"), f"{at}.function.name")
    words = f"Invalid schema for function '{function['name']}': schema must be a JSON Schema of 'type: \"object\"'."
    schema(function.get("parameters", {"type": "object"}), words)


def _check_name(name: Any, at: str) -> None:
    words = (
        f"Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    )
    need(isinstance(name, str) and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name), words)


def _check_messages(messages: Any) -> None:
    words = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
    need(isinstance(messages, list) and messages, words)
    open_calls: list[str] = []
    for place, message in enumerate(messages):
        at = f"messages[{place}]"
        role = message.get("role")
        need(role in MESSAGE_FIELDS, f"Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user'.")
        only(message, MESSAGE_FIELDS[role], f"Unknown parameter: '{at}.{{}}'.")
        if role == "tool":
            words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            words += "'tool_calls'."
            need(message.get("tool_call_id") in open_calls, words)
            open_calls.remove(message["tool_call_id"])
        else:
            _check_answered(open_calls)
        _check_content(message, at)
        if role == "assistant":
            open_calls = [_check_call(call, f"{at}.tool_calls") for call in message.get("tool_calls") or []]
    _check_answered(open_calls)


def _check_answered(open_calls: list[str]) -> None:
    need(
        not open_calls,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(open_calls)}",
    )


def _check_call(call: Any, at: str) -> str:
    need(call.get("type") == "function", f"Invalid value for '{at}.type'.")
    only(call, {"id", "type", "function"}, f"Unknown parameter: '{at}.{{}}'.")
    id_, function = call.get("id"), call.get("function") or {}
    need(isinstance(id_, str) and id_, f"Missing required parameter: '{at}.id'.")
    need(len(id_) <= 40, f"Invalid '{at}.id': string too long. Expected a string with maximum length 40.")
    _check_name(function.get("name"), f"{at}.function.name")
    need(isinstance(function.get("arguments"), str), f"Invalid type for '{at}.function.arguments': expected a string.")
    return str(id_)


def _check_content(message: dict[str, Any], at: str) -> None:
    content, role = message.get("content"), message["role"]
    if content is None:
        need(
            role == "assistant" and message.get("tool_calls"),
            "Invalid value for 'content': expected a string, got null.",
        )
        return
    if role == "assistant":
        need(message.get("tool_calls") != [], f"Invalid '{at}.tool_calls': empty array.")
    if isinstance(content, str):
        return
    need(isinstance(content, list) and content, f"Invalid type for '{at}.content': expected a string or an array.")
    for part in content:
        kind = part.get("type")
        if kind == "image_url":
            words = "Image URLs are only allowed for messages with role 'user', "
            words += f"but this message with role '{role}' contains an image URL."
            need(role == "user", words)
            need(is_data_url((part.get("image_url") or {}).get("url")), "Invalid image data.")
        else:
            need(kind == "text" and isinstance(part.get("text"), str), f"Invalid value: '{kind}'.")


def render(reply: Reply, request: Received, number_: int) -> Iterator[bytes]:
    """The chunks of an answer."""
    body = request.body

    def chunk(delta: dict[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        head = {"id": f"chatcmpl-{number_:029d}", "object": "chat.completion.chunk", "created": 1_700_000_000}
        return b"data: " + msgspec.json.encode(head | {"model": body["model"], "choices": choices} | more) + b"\n\n"

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for text in pieces(reply.thinking, reply.piece):
        yield chunk({"reasoning_content": text})
    for text in pieces(reply.text, reply.piece):
        yield chunk({"content": text})
    for index, call in enumerate(reply.calls):
        for part in _call(index, call, reply.piece, number_):
            yield chunk({"tool_calls": [part]})
    if reply.garbage:
        yield f"data: {reply.garbage}\n\n".encode()
    if reply.kind:
        yield b"data: " + msgspec.json.encode(error(reply.kind, reply.message)) + b"\n\n"
        return
    if reply.no_end:
        return
    stop = reply.stop or ("tool_use" if reply.calls else "end_turn")
    reasons = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
    yield chunk({}, reasons[stop])
    if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
        yield chunk(None, usage=_usage(reply))
    yield b"data: [DONE]\n\n"


def copied(request: Received, doubts: dict[str, dict[str, float]]) -> Iterator[bytes]:
    """How llama.cpp answers where its grammar is one text: word by word, each with what else it could have been.

    The answer that was begun comes first, as it does there.
    """
    literal = re.fullmatch(r'root ::= (".*")', request.body["grammar"])
    assert literal
    begun = request.body["messages"][-1]["content"]
    need(request.body["logprobs"] and request.body["messages"][-1]["role"] == "assistant", "This is no copy.")
    for word in re.findall(r"\s*\S+|\s+$", msgspec.json.decode(literal[1])):
        own = {"token": word, "logprob": -0.5}
        others = [{"token": one, "logprob": weight} for one, weight in doubts.get(word, {}).items()]
        content = [own | {"top_logprobs": [own, *others]}]
        delta = {"index": 0, "delta": {"content": begun + word}, "logprobs": {"content": content}}
        yield b"data: " + msgspec.json.encode({"choices": [delta]}) + b"\n\n"
        begun = ""
    yield b"data: " + msgspec.json.encode({"choices": [{"delta": {}, "finish_reason": "stop"}]}) + b"\n\n"
    yield b"data: [DONE]\n\n"


def _call(index: int, call: Any, size: int, number_: int) -> Iterator[dict[str, Any]]:
    arguments = call.arguments if isinstance(call.arguments, str) else msgspec.json.encode(call.arguments).decode()
    function = {"name": call.name, "arguments": ""}
    yield {"index": index, "id": call.id or f"call_{number_:020d}{index:04d}", "type": "function", "function": function}
    for text in pieces(arguments, size):
        yield {"index": index, "function": {"arguments": text}}


def _usage(reply: Reply) -> dict[str, Any]:
    assert reply.usage is not None
    used = reply.usage
    prompt = used.input + used.cache_read + used.cache_write
    details = {"cached_tokens": used.cache_read, "cache_write_tokens": used.cache_write}
    return {
        "prompt_tokens": prompt,
        "completion_tokens": used.output,
        "total_tokens": prompt + used.output,
        "prompt_tokens_details": details,
    }
