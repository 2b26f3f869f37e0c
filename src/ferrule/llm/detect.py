"""Looks for model servers on this machine: all ports at once, within a fraction of a second.

Plain sockets do it, before there is an event loop; a port that nobody listens on answers at once.
"""

import select
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ferrule.core.messages import Value

PATIENCE = 0.3
MOST_BYTES = 1_000_000
_USUAL: Mapping[str, tuple[int, str]] = {
    "ollama": (11434, "/api/tags"),
    "lm-studio": (1234, "/v1/models"),
    "llama.cpp": (8080, "/v1/models"),
    "vllm": (8000, "/v1/models"),
}


class Found(Value, frozen=True, kw_only=True):
    """A server that answered."""

    server: str
    base_url: str
    models: tuple[str, ...]
    """Those that can call tools first, as far as the server says."""

    @property
    def provider(self) -> str:
        """The provider through which it is spoken to."""
        return "ollama" if self.server == "ollama" else "openai-compatible"


def local_servers(ports: Mapping[str, tuple[int, str]] = _USUAL, *, patience: float = PATIENCE) -> tuple[Found, ...]:
    """Ask the usual ports of this machine what models they have."""
    deadline = time.monotonic() + patience
    requests = {name: (port, _get(path, port)) for name, (port, path) in ports.items()}
    answers = _ask_all(requests, deadline)
    found = [_found(name, ports[name][0], answers[name], deadline) for name in ports if answers.get(name)]
    return tuple(one for one in found if one)


def _found(name: str, port: int, body: Any, deadline: float) -> Found | None:
    rows = body.get("models") if name == "ollama" else body.get("data")
    if not isinstance(rows, list):
        return None
    names = [row.get("name") or row.get("id") for row in rows if isinstance(row, dict)]
    models = tuple(model for model in names if isinstance(model, str))
    if name == "ollama":
        models = _able_first(models, port, deadline)
    return Found(server=name, base_url=f"http://127.0.0.1:{port}", models=models)


def _able_first(models: Sequence[str], port: int, deadline: float) -> tuple[str, ...]:
    """Ollama says which of its models can call tools; those that cannot are of no use here."""
    shows = {model: (port, _post("/api/show", port, {"model": model})) for model in models[:8]}
    answers = _ask_all(shows, max(deadline, time.monotonic() + 0.1))
    able = [model for model in shows if "tools" in (answers.get(model) or {}).get("capabilities", ["tools"])]
    return tuple(able)


def _ask_all(requests: Mapping[str, tuple[int, bytes]], deadline: float) -> dict[str, Any]:
    """Send every request at once and give the JSON objects that came back in time."""
    waiting: dict[socket.socket, tuple[str, bytes, bytearray]] = {}
    for name, (port, request) in requests.items():
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", port))
        waiting[connection] = (name, request, bytearray())
    answers: dict[str, Any] = {}
    try:
        while waiting and (left := deadline - time.monotonic()) > 0:
            unsent = [one for one, (_, request, _) in waiting.items() if request]
            readable, writable, _ = select.select(list(waiting), unsent, [], left)
            for connection in {*readable, *writable}:
                done = _step(connection, waiting)
                if done is not None:
                    name, _, received = waiting.pop(connection)
                    connection.close()
                    if (answer := _json(bytes(received))) is not None:
                        answers[name] = answer
    finally:
        for connection in waiting:
            connection.close()
    return answers


def _step(connection: socket.socket, waiting: dict[socket.socket, tuple[str, bytes, bytearray]]) -> bool | None:
    """Send or receive what is possible; says something once there is no more to come."""
    name, request, received = waiting[connection]
    try:
        if request:
            sent = connection.send(request)
            waiting[connection] = (name, request[sent:], received)
            return None
        chunk = connection.recv(65_536)
    except BlockingIOError:
        return None
    except OSError:
        return True
    received += chunk
    return True if not chunk or len(received) > MOST_BYTES or _is_whole(received) else None


def _is_whole(received: bytearray) -> bool:
    head, mark, body = bytes(received).partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(mark and lengths and lengths[0][15:].strip().isdigit() and len(body) >= int(lengths[0][15:]))


def _json(received: bytes) -> dict[str, Any] | None:
    head, _, body = received.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0] + b" ":
        return None
    if b"transfer-encoding: chunked" in head.lower():
        body = _unchunk(body)
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        return None


def _unchunk(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        try:
            length = int(size.split(b";")[0], 16)
        except ValueError:
            break
        whole, body = whole + body[:length], body[length + 2 :]
    return whole


def _get(path: str, port: int) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()


def _post(path: str, port: int, content: Any) -> bytes:
    body = msgspec.json.encode(content)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
