"""The other paths: which models there are, and what they can do."""

from typing import Any

from tests.server.script import Received

CONTEXT = 32_768


def answer(request: Received, models: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """The status and the document for a path."""
    match request.method, request.path.partition("?")[0]:
        case "GET", "/v1/models" if "anthropic-version" in request.headers:
            created = "2025-01-01T00:00:00Z"
            known = [{"type": "model", "id": one, "display_name": one, "created_at": created} for one in models]
            return 200, {"data": known, "has_more": False, "first_id": None, "last_id": None}
        case "GET", "/v1/models":
            data = [{"id": one, "object": "model", "created": 1_700_000_000, "owned_by": "tests"} for one in models]
            return 200, {"object": "list", "data": data}
        case "GET", "/api/tags":
            return 200, {"models": [{"name": one, "model": one, "size": 1, "details": {}} for one in models]}
        case "GET", "/api/version":
            return 200, {"version": "0.12.0"}
        case "POST", "/api/show":
            return _show(request, models)
        case "GET", "/":
            return 200, {"status": "The model server is running."}
        case _:
            return 404, {"error": f"There is no {request.method} {request.path}."}


def _show(request: Received, models: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    name = (request.body or {}).get("model") or (request.body or {}).get("name")
    if name not in models:
        return 404, {"error": f"model '{name}' not found"}
    return 200, {
        "details": {"family": "llama", "parameter_size": "8B", "quantization_level": "Q4_0"},
        "model_info": {"general.architecture": "llama", "llama.context_length": CONTEXT},
        "capabilities": ["completion", "tools", "thinking"],
    }
