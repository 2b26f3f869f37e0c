"""The proxies that the machine itself goes through, where its own environment names some.

They are asked for a tunnel (CONNECT) to a host that was found to be allowed. They look its name up themselves, so
that its addresses cannot be checked here. What is needed to pass them, a password perhaps, stays out of the sandbox.
"""

import asyncio
import socket
from binascii import b2a_base64
from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from ferrule.core.regex import lazy
from ferrule.host.sandbox.hosts import canonical, is_address, port_number, split_port
from ferrule.host.sandbox.reach import Refusal, connect, resolve

_ADDRESS = lazy(r"(?:([A-Za-z0-9+.-]+)://)?(?:([^@/]*)@)?([^/?#@]+)(?:[/?#].*)?")
_ESCAPED = lazy(rb"%([0-9A-Fa-f]{2})")
_LONGEST_ANSWER = 16 * 1024
_SECONDS_EACH = 6.0


class Proxy(Struct, frozen=True, kw_only=True):
    """One of them."""

    scheme: str
    host: str
    port: int
    credentials: bytes = b""
    """The user's name and password, with a colon between them."""

    async def tunnel(self, host: str, port: int) -> socket.socket:
        """Connect to a host through it.

        Raises:
            Refusal: that cannot be done.
        """
        if self.scheme != "http":
            raise Refusal("unsupported", f"this machine's own proxy is a {self.scheme} one; only http can be used")
        addresses = (self.host,) if is_address(self.host) else await resolve(self.host)
        name = f"{self.host}, this machine's own proxy,"
        server = await connect(addresses, self.port, name=name, seconds_each=_SECONDS_EACH)
        try:
            await asyncio.get_running_loop().sock_sendall(server, self._question(host, port))
            status = await _answer(server)
        except OSError:
            server.close()
            raise Refusal("unreachable", "this machine's own proxy broke the connection off") from None
        except BaseException:
            server.close()
            raise
        if not 200 <= status < 300:
            server.close()
            raise Refusal("unreachable", f"this machine's own proxy answered {status} when asked for {host}:{port}")
        return server

    def _question(self, host: str, port: int) -> bytes:
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self.credentials:
            lines.append(f"Proxy-Authorization: Basic {b2a_base64(self.credentials, newline=False).decode()}")
        return "\r\n".join((*lines, "", "")).encode()


class Upstream(Struct, frozen=True, kw_only=True):
    """Which of them serves what."""

    plain: Proxy | None = None
    """For port 80."""
    secure: Proxy | None = None
    """For the other ports."""
    spared: tuple[str, ...] = ()
    """Hosts that are reached without one, and with each those below it; `*` are all."""

    def proxy_for(self, host: str, port: int) -> Proxy | None:
        """The proxy through which a host is reached, if there is one."""
        if any(entry in {"*", host} or host.endswith(f".{entry}") for entry in self.spared):
            return None
        return self.plain if port == 80 else self.secure


def from_environment(environment: Mapping[str, str]) -> Upstream:
    """Understand the usual variables."""

    def value(name: str) -> str:
        return environment.get(name) or environment.get(name.upper()) or ""

    entries = value("no_proxy").replace(",", " ").lower().split()
    return Upstream(
        plain=_read(value("http_proxy") or value("all_proxy")),
        secure=_read(value("https_proxy") or value("all_proxy")),
        spared=tuple(split_port(entry)[0].lstrip("*.") or entry for entry in entries),
    )


def _read(text: str) -> Proxy | None:
    """Understand the address of a proxy; one that cannot be understood is one that cannot be used."""
    if not text.strip():
        return None
    match = _ADDRESS.fullmatch(text.strip())
    host, port = split_port(match[3]) if match else ("", None)
    name, number = canonical(host), port_number(port) if port else 80
    if match is None or name is None or number is None:
        return Proxy(scheme="malformed", host="", port=0)
    credentials = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), (match[2] or "").encode())
    return Proxy(scheme=(match[1] or "http").lower(), host=name, port=number, credentials=credentials)


async def _answer(server: socket.socket) -> int:
    """The status of a proxy's answer. It is read byte by byte: what follows it is the host's."""
    loop, head = asyncio.get_running_loop(), bytearray()
    while not head.endswith(b"\r\n\r\n") and len(head) < _LONGEST_ANSWER:
        byte = await loop.sock_recv(server, 1)
        if not byte:
            break
        head += byte
    with suppress(ValueError, IndexError):
        if head.startswith(b"HTTP/1.") and head.endswith(b"\r\n\r\n"):
            return int(head.split(b" ", 2)[1])
    raise Refusal("unreachable", "this machine's own proxy gave no answer that can be understood")
