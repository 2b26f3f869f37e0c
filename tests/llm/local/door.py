"""Knocks at an engine's door by hand, byte for byte."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import msgspec

from ferrule.llm.local.engine import Address


class Answer:
    def __init__(self, connection: socket.socket) -> None:
        self._connection, self.text = connection, ""

    def read_until(self, words: str) -> bool:
        while words not in self.text and (data := self._connection.recv(4096)):
            self.text += data.decode()
        return words in self.text

    def rest(self) -> str:
        while data := self._connection.recv(65_536):
            self.text += data.decode()
        return self.text


@contextmanager
def knock(address: Address, request: str) -> Iterator[Answer]:
    port = int(address.base_url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request.encode())
        yield Answer(connection)


@contextmanager
def ask(address: Address, words: str) -> Iterator[Answer]:
    body = msgspec.json.encode({"messages": [{"role": "user", "content": words}], "stream": True}).decode()
    with knock(address, request(address, "POST /v1/chat/completions", body=body)) as answer:
        yield answer


def request(address: Address, what: str, *, body: str = "", **changed: str | None) -> str:
    """A request that would pass, with some of its headers changed or left out."""
    headers: Mapping[str, str | None] = {
        "host": address.base_url.removeprefix("http://"),
        "authorization": f"Bearer {address.key.reveal()}",
        "content_length": str(len(body)),
        **changed,
    }
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join((f"{what} HTTP/1.1", *lines, "", body))
