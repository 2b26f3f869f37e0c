"""The interface of the engine's package as `serve.py` uses it: a real server on a real socket, with a canned model.

How it behaves is in the name of the weights: `fails…`, `starves…`, `killed…`, and `waits…`, which loads until there
is a file beside the weights whose name ends in `.go`; with one that ends in `.bad`, any fails. A request that says
`slowly` is answered with a word, and with the rest once there is the file `.go`; one whose client goes away leaves a
file that ends in `.left`. One that says `(never answer)` is not answered at all, one that says `(read long)` only with
the file `.go`; `(starve)` lacks memory for an answer, and `(die)` ends the engine.

As a program it passes for a llama-server, and leaves its number in a file that ends in `.pid`.
"""

import os
import signal
import socketserver
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

WORD = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


def get_device_info() -> list[dict[str, str]]:
    return [{"name": "CPU"}]


class Server:
    def __init__(self, params: CommonParams) -> None:
        weights = Path(params.model.path)
        print("0.00.001 I srv init: loading model", file=sys.stderr, flush=True)
        if weights.name.startswith("starves"):
            print("0.00.002 E llama_init: failed to allocate buffer for kv cache", file=sys.stderr, flush=True)
            raise RuntimeError("Failed to init server, please check the input params.")
        if weights.name.startswith("fails") or weights.with_suffix(".bad").exists():
            print("0.00.002 E llama_model_load: unknown architecture", file=sys.stderr, flush=True)
            raise RuntimeError("Failed to init server, please check the input params.")
        if weights.name.startswith("killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        if weights.name.startswith("waits"):
            wait_for(weights)
        server = _Listener(params.hostnames[0], _Handler)
        server.weights = weights
        server.key = params.api_keys[0]
        threading.Thread(target=server.serve_forever, daemon=True).start()


class _Listener(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    weights: Path
    key: str


class _Handler(socketserver.StreamRequestHandler):
    """One request of a connection; by hand, since `http.server` takes longer to import than all else here."""

    server: _Listener

    def handle(self) -> None:
        head = list(iter(lambda: self.rfile.readline().strip().decode(), ""))
        if not head:
            return
        method, self._path, _ = head[0].split(" ")
        named = (line.partition(":") for line in head[1:])
        self._headers = {name.lower(): value.strip() for name, _, value in named}
        if method == "POST":
            self._answer(self.rfile.read(int(self._headers["content-length"])))
        else:
            self._begin("application/json")
            self.wfile.write(b'{"status":"ok"}')

    def _answer(self, body: bytes) -> None:
        if b"(never answer)" in body:
            return
        if b"(starve)" in body:
            self._begin("application/json", status="500 Internal Server Error")
            self.wfile.write(b'{"error":{"code":500,"message":"decode() failed: std::bad_alloc"}}')
            return
        if b"(read long)" in body:
            wait_for(self.server.weights)
        self._begin("text/event-stream")
        if b"noisily" in body:
            print("x" * 2_000_000, file=sys.stderr, flush=True)
        self.wfile.write(WORD % b"Hello")
        if b"(die)" in body:
            os.kill(os.getpid(), signal.SIGKILL)
        if b"slowly" in body:
            wait_for(self.server.weights, goes_on=self._is_heard)
        self.wfile.write(WORD % b" there" + END)

    def _begin(self, kind: str, status: str = "200 OK") -> None:
        assert self._path == "/health" or self._headers["authorization"] == f"Bearer {self.server.key}"
        head = (f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Access-Control-Allow-Origin: *", "Connection: close")
        self.wfile.write("\r\n".join((*head, "", "")).encode())

    def _is_heard(self) -> bool:
        self.connection.settimeout(0.01)
        try:
            heard = bool(self.connection.recv(1))
        except TimeoutError:
            heard = True
        if not heard:
            self.server.weights.with_suffix(".left").touch()
        return heard


def wait_for(weights: Path, goes_on: Callable[[], bool] = lambda: True) -> None:
    while not weights.with_suffix(".go").exists() and goes_on():
        time.sleep(0.01)


def main() -> None:
    said = dict(pairwise(sys.argv))
    if "--version" in sys.argv or "--list-devices" in sys.argv:
        print("Available devices:\n  (none)")
        return
    params = CommonParams()
    params.model.path = said["--model"]
    params.hostnames, params.api_keys = [said["--host"]], [os.environ["LLAMA_API_KEY"]]
    Path(said["--model"]).with_suffix(".pid").write_text(str(os.getpid()))
    Server(params)
    signal.pause()


if __name__ == "__main__":
    main()
