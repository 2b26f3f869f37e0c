"""What a failure is: a status, headers and a body become a `ProviderError` that says what happened and what to do.

The same for an `error` event inside a stream that began well.
"""

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from ferrule.core.errors import ProviderError, ProviderFault
from ferrule.llm.endpoint import Endpoint

Case = Literal["quota", "no_model", "moved"] | ProviderFault
"""A fault, or a kind of one that wants other words."""

MOST_WORDS = 300
"""How many characters of the provider's own message a person is shown."""
_LONGEST_WAIT = 86_400.0

_TOO_LONG = (
    "prompt is too long",  # Anthropic
    "exceed context limit",
    "request_too_large",
    "context_length_exceeded",  # OpenAI, Groq
    "string_above_max_length",
    "exceeds the context window",
    "maximum context length",  # OpenAI, OpenRouter, DeepSeek, vLLM
    "maximum model length",  # vLLM
    "exceeds the maximum number of tokens",  # Gemini
    "too large for model with",  # Mistral
    "reduce the length of",  # Groq
    "request too large for model",
    "request too large for gpt",  # OpenAI: more than a whole minute's tokens; waiting does not help
    "exceed_context_size",  # llama.cpp
    "exceeds the available context size",
    "input is too large to process",
    "exceeds the context length",  # Ollama
    "exceeds maximum context",
    "context length of only",  # LM Studio
    "greater than the context length",
    "context overflow",
    "input is too long",  # Bedrock
    "maximum prompt length",  # xAI
    "exceeded model token limit",  # Moonshot
    "prompt exceeds max length",  # Z.ai
    "context window exceeds",  # MiniMax
    "too many tokens",  # Cohere
    "model_context_window_exceeded",
)
_NO_CREDIT = (
    "insufficient_quota",
    "insufficient balance",
    "insufficient credits",
    "credit balance is too low",
    "billing_error",
    "billing_hard_limit",
    "requires more credits",
    "payment required",
)
_KINDS: tuple[tuple[str, Case], ...] = (
    ("overloaded", "overloaded"),
    ("unavailable", "overloaded"),
    ("rate_limit", "rate_limit"),
    ("resource_exhausted", "rate_limit"),
    ("too_many_requests", "rate_limit"),
    ("authentication", "auth"),
    ("unauthenticated", "auth"),
    ("invalid_api_key", "auth"),
    ("permission", "auth"),
    ("model_not_found", "no_model"),
    ("not_found", "no_model"),
    ("invalid_prompt", "bad_request"),
    ("invalid_request", "bad_request"),
    ("invalid_argument", "bad_request"),
    ("timeout", "server"),
    ("deadline_exceeded", "server"),
    ("server_error", "server"),
    ("api_error", "server"),
    ("internal", "server"),
)


class Complaint(msgspec.Struct, frozen=True):
    """What a provider said, from whatever form it said it in."""

    message: str = ""
    kind: str = ""
    """Its types and codes, in small letters."""
    status: int | None = None
    wait: float | None = None


def failure(
    endpoint: Endpoint, model: str, *, status: int, header: Callable[[str], str | None], body: bytes
) -> ProviderError:
    """Say what an answer other than 200 means."""
    complaint = read_complaint(body)
    case = _case(status, complaint)
    wait = retry_after(header)
    own = header("location") or "" if case == "moved" else complaint.message
    wait = complaint.wait if wait is None else wait
    return _error(endpoint, model, case, own=own, status=status, wait=wait)


def stream_failure(endpoint: Endpoint, model: str, error: Any) -> ProviderError:
    """Say what an error inside a stream means. One that names no reason may pass, so it counts as the server's."""
    complaint = _complaint(error)
    case = _case(complaint.status, complaint)
    case = "server" if case == "unknown" else case
    return _error(endpoint, model, case, own=complaint.message, status=None, wait=complaint.wait)


def cut_off(endpoint: Endpoint) -> ProviderError:
    """Say that an answer ended before its end; half an answer is none."""
    return ProviderError(f"The answer of {endpoint.provider} was cut off: its stream ended early.", fault="network")


def retry_after(header: Callable[[str], str | None]) -> float | None:
    """How many seconds the provider asks us to wait: in milliseconds, seconds, as a date, or as a time of reset."""
    if (value := _number(header("retry-after-ms"))) is not None:
        return _bounded(value / 1000)
    if text := header("retry-after"):
        value = _number(text)
        return _bounded(value) if value is not None else _until(text)
    if (value := _number(header("x-ratelimit-reset"))) is not None:
        if value > 1e9:  # a point in time, in seconds or milliseconds
            value = (value / 1000 if value > 1e12 else value) - time.time()
        return _bounded(value)
    return None


def read_complaint(body: bytes) -> Complaint:
    """Find what a provider says in the body of an error."""
    text = body.decode("utf-8", "replace").strip()
    try:
        return _complaint(msgspec.json.decode(text))
    except msgspec.DecodeError:
        return Complaint(message=_prose(text))


def _case(status: int | None, complaint: Complaint) -> Case:
    words = f"{complaint.kind} {complaint.message}".lower()
    if status == 402 or any(phrase in words for phrase in _NO_CREDIT):
        return "quota"
    if status == 413 or (status not in {401, 403} and any(phrase in words for phrase in _TOO_LONG)):
        return "context_overflow"
    if status is None:
        return next((case for word, case in _KINDS if word in complaint.kind), "unknown")
    if status >= 500:
        return "overloaded" if status in {503, 529} or "overloaded" in complaint.kind else "server"
    if status in {401, 403}:
        return "no_model" if "model_not_found" in words else "auth"
    if 300 <= status < 400:
        return "moved"
    by_status: dict[int, Case] = {404: "no_model", 408: "network", 409: "server", 425: "server", 429: "rate_limit"}
    if status == 404 and "model" not in words:
        return "bad_request"
    return by_status.get(status, "no_model" if "model_not_found" in words else "bad_request")


def _error(
    endpoint: Endpoint, model: str, case: Case, *, own: str, status: int | None, wait: float | None
) -> ProviderError:
    words = _words(endpoint, model, case, status, loading="loading model" in own.lower())
    if own := _shortened(endpoint, own):
        words += f" It says: {own}"
    return ProviderError(words, fault=_fault(case), status=status, retry_after=wait)


def _fault(case: Case) -> ProviderFault:
    if case == "quota":
        return "auth"
    return "bad_request" if case == "no_model" or case == "moved" else case  # noqa: PLR1714


def _words(endpoint: Endpoint, model: str, case: Case, status: int | None, *, loading: bool) -> str:
    who, http = endpoint.provider, f" (HTTP {status})" if status else ""
    match case:
        case "auth":
            return _about_the_key(endpoint, http)
        case "quota":
            return f"The account with {who} has no credit left{http}: add some there, or use another model."
        case "no_model":
            pull = f" `ollama pull {model}` fetches it." if endpoint.wire == "ollama" else ""
            return f"{who} has no model {model}{http}: `ferrule models` lists those that it has.{pull}"
        case "moved":
            return f"{who} sends us on to another address{http}: set that one as its base URL."
        case "rate_limit":
            return f"{who} limits how often it may be asked{http}."
        case "overloaded":
            return f"{who} is still loading the model{http}." if loading else f"{who} is overloaded{http}."
        case "context_overflow":
            return f"The conversation is longer than {model} can read{http}."
        case "network":
            return f"{who} gave up waiting{http}."
        case "bad_request":
            return f"{who} refused the request{http}."
        case _:
            return f"{who} failed{http}."


def _about_the_key(endpoint: Endpoint, http: str) -> str:
    who, variable = endpoint.provider, endpoint.key_variable
    own = f'give {who} an entry of its own in llm.endpoints, with the name of its key\'s variable as "key_variable"'
    where = f"set {variable} in the environment" if variable else own
    if endpoint.api_key is None:
        return f"{who} wants a key{http}: {where}."
    return f"{who} refused the key{http}: {where} to one that may use this model."


def _complaint(value: Any) -> Complaint:
    """Read an error from its JSON. Providers nest it in many ways, OpenRouter one provider's words in another's."""
    if isinstance(value, list):
        value = value[0] if value else {}
    if isinstance(value, str):
        return Complaint(message=_prose(value), kind=value.lower() if value.isidentifier() else "")
    if not isinstance(value, dict):
        return Complaint()
    inner = value.get("error")
    if isinstance(inner, dict | list) or (isinstance(inner, str) and "message" not in value):
        return _complaint(inner)
    metadata = value.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    nested = read_complaint(raw.encode()) if isinstance(raw, str) and raw else Complaint()
    code = value.get("code")
    kinds = [value.get("type"), code, value.get("status"), value.get("error")]
    return Complaint(
        message=nested.message or _prose(_said(value)),
        kind=" ".join([str(kind).lower() for kind in kinds if isinstance(kind, str)] + [nested.kind]).strip(),
        status=code if isinstance(code, int) and 400 <= code < 600 else None,
        wait=_wait_in(value),
    )


def _said(value: dict[str, Any]) -> str:
    for key in ("message", "detail", "msg", "error_msg"):
        said = value.get(key)
        if isinstance(said, str):
            return said
        if isinstance(said, list):  # FastAPI names each field that it does not like
            return "; ".join(str(one.get("msg", one) if isinstance(one, dict) else one) for one in said)
        if isinstance(said, dict):
            return _said(said)
    return ""


def _wait_in(value: dict[str, Any]) -> float | None:
    """The wait that stands in the body: Gemini's `retryDelay`, or "try again in 7m12s" in a sentence."""
    for detail in _dicts(value.get("details")):
        if delay := _duration(str(detail.get("retryDelay", ""))):
            return delay
    match = re.search(r"try again in ((?:[\d.]+(?:ms|h|m|s)\s*)+)", _said(value), re.IGNORECASE)
    return _duration(match[1]) if match else None


def _dicts(values: Any) -> Iterator[dict[str, Any]]:
    return (one for one in values if isinstance(one, dict)) if isinstance(values, list) else iter(())


def _duration(text: str) -> float | None:
    units = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text.lower())
    return _bounded(sum(float(number) * units[unit] for number, unit in parts)) if parts else None


def _until(date: str) -> float | None:
    """Seconds until an HTTP date such as `Wed, 21 Oct 2015 07:28:00 GMT`."""
    match = re.match(r"\w+, (\d{1,2}) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d)", date.strip())
    month = "janfebmaraprmayjunjulaugsepoctnovdec".find(match[2].lower()) if match else -1
    if not match or month < 0 or month % 3:
        return None
    day, year, hour, minute, second = (int(match[group]) for group in (1, 3, 4, 5, 6))
    try:
        then = datetime(year, month // 3 + 1, day, hour, minute, min(second, 59), tzinfo=UTC)
    except ValueError:
        return None
    return _bounded(then.timestamp() - time.time())


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\s*-?\d{1,15}(\.\d+)?\s*", text) else None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def _prose(text: str) -> str:
    """What a message says; of a web page the title alone."""
    if text[:1] == "<":
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return title[1] if title else ""
    return text


def _shortened(endpoint: Endpoint, text: str) -> str:
    text = " ".join(text.split())
    if endpoint.api_key and (key := endpoint.api_key.reveal()):
        text = text.replace(key, "…")
    return text if len(text) <= MOST_WORDS else text[: MOST_WORDS - 1] + "…"
