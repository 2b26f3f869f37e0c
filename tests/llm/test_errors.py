import time
from email.utils import formatdate

import msgspec
import pytest

from ferrule.core.errors import ProviderFault
from ferrule.llm.endpoint import Endpoint, Secret
from ferrule.llm.errors import failure, retry_after, stream_failure

ENDPOINT = Endpoint(
    provider="acme",
    base_url="https://api.acme.test",
    wire="openai_chat",
    api_key=Secret("sk-very-secret"),
    key_variable="ACME_API_KEY",
)


def fault_of(status: int, body: object, **headers: str) -> tuple[ProviderFault, float | None]:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    error = failure(ENDPOINT, "big-1", status=status, header=headers.get, body=raw)
    assert error.status == status
    return error.fault, error.retry_after


def openai(message: str, type_: str = "invalid_request_error", code: object = None) -> dict[str, object]:
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}


def anthropic(type_: str, message: str) -> dict[str, object]:
    return {"type": "error", "error": {"type": type_, "message": message}}


TOO_LONG = {
    "anthropic": (400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
    "anthropic with output": (
        400,
        anthropic(
            "invalid_request_error", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
        ),
    ),
    "anthropic in bytes": (413, anthropic("request_too_large", "Request exceeds the maximum size")),
    "openai": (400, openai("This model's maximum context length is 8192 tokens.", code="context_length_exceeded")),
    "openai responses": (400, openai("Your input exceeds the context window of this model.")),
    "openai per minute": (
        429,
        openai("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.", "tokens"),
    ),
    "openrouter": (
        400,
        {
            "error": {
                "code": 400,
                "message": "This endpoint's maximum context length is 131072 tokens. However, you ...",
            }
        },
    ),
    "openrouter, nested": (
        400,
        {
            "error": {
                "code": 400,
                "message": "Provider returned error",
                "metadata": {"raw": '{"error":{"message":"prompt is too long: 1 > 0"}}', "provider_name": "X"},
            }
        },
    ),
    "gemini": (
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (9).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    "mistral": (
        422,
        {
            "object": "error",
            "message": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        },
    ),
    "groq": (413, openai("Request too large for model `llama`", "tokens", "rate_limit_exceeded")),
    "groq messages": (400, openai("Please reduce the length of the messages or completion.")),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
            }
        },
    ),
    "llama.cpp, older": (
        500,
        openai("input is too large to process. increase the physical batch size", "server_error"),
    ),
    "vllm": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens.",
            "type": "BadRequestError",
        },
    ),
    "vllm, prompt": (
        400,
        {"message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096."},
    ),
    "ollama": (400, {"error": "the input length exceeds the context length"}),
    "lm studio": (
        400,
        {
            "error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded "
            "with context length of only 4096 tokens"
        },
    ),
    "bedrock": (400, {"message": "Input is too long for requested model."}),
}


@pytest.mark.parametrize("case", TOO_LONG)
def test_too_long_a_context_is_known_by_every_providers_own_words(case: str) -> None:
    status, body = TOO_LONG[case]
    assert fault_of(status, body)[0] == "context_overflow"


FAULTS: list[tuple[str, int, object, ProviderFault]] = [
    ("anthropic rate", 429, anthropic("rate_limit_error", "slow down"), "rate_limit"),
    ("gemini rate", 429, {"error": {"code": 429, "message": "You exceeded your current quota, please check your "
     "plan and billing details.", "status": "RESOURCE_EXHAUSTED"}}, "rate_limit"),
    ("openai quota", 429, openai("You exceeded your current quota", code="insufficient_quota"), "auth"),
    ("anthropic credit", 400, anthropic("invalid_request_error", "Your credit balance is too low"), "auth"),
    ("openrouter credit", 402, {"error": {"code": 402, "message": "This request requires more credits"}}, "auth"),
    ("anthropic overloaded", 529, anthropic("overloaded_error", "Overloaded"), "overloaded"),
    ("unavailable", 503, b"<html><title>503 Service Unavailable</title></html>", "overloaded"),
    ("llama.cpp loading", 503, {"error": {"message": "Loading model", "type": "unavailable_error"}}, "overloaded"),
    ("server", 500, openai("The server had an error", "server_error"), "server"),
    ("bad gateway", 502, b"", "server"),
    ("gateway timeout", 504, b"not json", "server"),
    ("cloudflare", 524, b"<html></html>", "server"),
    ("timeout", 408, {}, "network"),
    ("conflict", 409, {}, "server"),
    ("key", 401, openai("Incorrect API key provided", code="invalid_api_key"), "auth"),
    ("forbidden", 403, openai("Country not supported"), "auth"),
    ("no access to model", 403, openai("Project does not have access to model", code="model_not_found"), "bad_request"),
    ("no model", 404, anthropic("not_found_error", "model: claude-9"), "bad_request"),
    ("no path", 404, b"404 page not found", "bad_request"),
    ("bad", 400, openai("Invalid 'temperature'"), "bad_request"),
    ("fastapi", 422, {"detail": [{"loc": ["body", "tools"], "msg": "Field required"}]}, "bad_request"),
    ("moved", 308, b"", "bad_request"),
    ("tea", 418, b"", "bad_request"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "status", "body", "fault"), FAULTS, ids=[case[0] for case in FAULTS])
def test_each_failure_has_its_class(case: str, status: int, body: object, fault: ProviderFault) -> None:
    assert fault_of(status, body)[0] == fault


STREAMED: list[tuple[object, ProviderFault]] = [
    ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
    ({"type": "rate_limit_error", "message": "slow"}, "rate_limit"),
    ({"type": "api_error", "message": "Internal"}, "server"),
    ({"type": "invalid_request_error", "message": "no"}, "bad_request"),
    ({"type": "invalid_request_error", "message": "prompt is too long"}, "context_overflow"),
    ({"code": "server_error", "message": "sorry"}, "server"),
    ({"code": "rate_limit_exceeded", "message": "Please try again in 1s"}, "rate_limit"),
    ({"code": "context_length_exceeded", "message": "x"}, "context_overflow"),
    ({"code": 502, "message": "Upstream"}, "server"),
    ({"code": 503, "message": "Provider overloaded"}, "overloaded"),
    ({"message": "strange"}, "server"),
    ("model runner has unexpectedly stopped", "server"),
    ("the input length exceeds the context length", "context_overflow"),
    ("server_error", "server"),
    ([], "server"),
    (None, "server"),
    (7, "server"),
    ({"error": {"error": {"error": "deep"}}}, "server"),
]


@pytest.mark.parametrize(("error", "fault"), STREAMED)
def test_an_error_inside_a_stream_has_its_class(error: object, fault: ProviderFault) -> None:
    assert stream_failure(ENDPOINT, "big-1", error).fault == fault


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "99"}, 1.5),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Wed, 99 Foo 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 31 Feb 2035 07:28:00 GMT"}, None),
        ({"retry-after": "9" * 15}, 86_400),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "nan"}, None),
        ({"x-ratelimit-reset": "3"}, 3),
        ({}, None),
    ],
)
def test_the_wait_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers.get) == seconds


def test_the_wait_may_be_a_point_in_time() -> None:
    date = formatdate(time.time() + 60, usegmt=True)
    for headers in ({"retry-after": date}, {"x-ratelimit-reset": str(int((time.time() + 60) * 1000))}):
        wait = retry_after(headers.get)
        assert wait is not None
        assert 50 < wait <= 61


def test_the_wait_may_stand_in_the_body() -> None:
    said = openai("Rate limit reached. Please try again in 1m2.5s.", "tokens", "rate_limit_exceeded")
    assert fault_of(429, said) == ("rate_limit", 62.5)
    gemini = {
        "error": {
            "message": "quota",
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "x"}, {"retryDelay": "34s"}],
        }
    }
    assert fault_of(429, gemini) == ("rate_limit", 34)
    assert fault_of(429, said, **{"retry-after": "3"}) == ("rate_limit", 3)


def words(status: int, body: object, endpoint: Endpoint = ENDPOINT) -> str:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return str(failure(endpoint, "big-1", status=status, header=lambda _: None, body=raw))


def test_a_person_reads_what_happened_and_what_to_do() -> None:
    assert words(401, openai("Bad key.")) == (
        "acme refused the key (HTTP 401): set ACME_API_KEY in the environment to one that may use this model. "
        "It says: Bad key."
    )
    keyless = msgspec.structs.replace(ENDPOINT, api_key=None, key_variable="")
    assert words(401, b"", keyless) == (
        "acme wants a key (HTTP 401): give acme an entry of its own in llm.endpoints, "
        'with the name of its key\'s variable as "key_variable".'
    )
    assert words(404, openai("The model does not exist", code="model_not_found")) == (
        "acme has no model big-1 (HTTP 404): `ferrule models` lists those that it has. "
        "It says: The model does not exist"
    )
    ollama = msgspec.structs.replace(ENDPOINT, provider="ollama", wire="ollama")
    assert "`ollama pull big-1` fetches it." in words(404, {"error": "model 'big-1' not found"}, ollama)
    assert words(503, {"error": {"message": "Loading model"}}).startswith("acme is still loading the model (HTTP 503).")
    assert words(429, b"") == "acme limits how often it may be asked (HTTP 429)."


def test_a_web_page_is_not_shown() -> None:
    assert words(502, b"<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head><body>x</body></html>") == (
        "acme failed (HTTP 502). It says: 502 Bad Gateway"
    )
    assert words(500, b"<html><body>oh</body></html>") == "acme failed (HTTP 500)."


def test_the_providers_words_are_cut_and_the_key_is_not_among_them() -> None:
    assert words(400, openai("sk-very-secret is no good")).endswith("It says: … is no good")
    said = words(400, openai("very " * 1000))
    assert said.endswith("…")
    assert len(said) < 360
    assert "secret" not in repr(ENDPOINT)
    assert "secret" not in repr(ENDPOINT.api_key)
    assert len({ENDPOINT.api_key, Secret("sk-very-secret"), Secret("another")}) == 2
    with pytest.raises(TypeError):
        msgspec.json.encode(ENDPOINT)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b"null",
        b"[]",
        b"[[]]",
        b'"word"',
        b"1e999",
        b'{"error":null}',
        b'{"error":[1]}',
        b'{"message":{"detail":[1]}}',
    ],
)
def test_no_body_is_too_strange(body: bytes) -> None:
    assert fault_of(400, body)[0] == "bad_request"
