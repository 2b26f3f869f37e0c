"""Which hosts confined commands may reach: names as the user lists them, and addresses that no name may lead to.

A listed host is `example.org` (ports 80 and 443), `example.org:8080` (that port alone), `example.org:*` (every
port), `*.example.org` (every host below it, at any depth, not itself) or an address such as `10.0.0.7` or
`[fd00::7]:8080`. A name is compared label by label, in ASCII, without regard to case or to a dot at its end.
"""

import socket
from collections.abc import Iterable

from ferrule.core.errors import ConfigError
from ferrule.core.messages import Value
from ferrule.core.regex import lazy

USUAL_PORTS = (80, 443)
_LABEL = lazy(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = lazy(r"[0-9]+|0x[0-9a-f]*")
_LONGEST_NAME = 253
_IN_BRACKETS = lazy(r"\[([0-9A-Fa-f:.]+)\](?::([^:]*))?")


class Place(Value, frozen=True, kw_only=True):
    """One entry of the user's list."""

    host: str
    """A name or an address in the form of `canonical`."""
    is_parent: bool = False
    """Whether the hosts below it are meant, and not itself."""
    ports: tuple[int, ...] = USUAL_PORTS
    """None at all stands for every port."""

    def holds(self, host: str, port: int) -> bool:
        """Whether a canonical host with a port is meant."""
        if self.ports and port not in self.ports:
            return False
        if self.is_parent:
            return host.endswith(f".{self.host}") and not is_address(host)
        return host == self.host


class Hosts:
    """The user's list; a question is answered with no wherever anything about it is odd."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._places = tuple(read(text) for text in listed)

    def allow(self, host: str, port: int) -> bool:
        """Whether a host may be reached on a port."""
        name = canonical(host)
        return name is not None and any(place.holds(name, port) for place in self._places)


def read(text: str) -> Place:
    """Understand an entry of the list.

    Raises:
        ConfigError: it is none, and the text says what it should be.
    """
    if "/" in text or "@" in text:
        raise ConfigError(f"{text!r} is no host: write the name alone, as in host.org or *.nodes.org.")
    rest = text.removeprefix("*.")
    host, port = split_port(rest)
    name = canonical(host)
    if name is None or (rest != text and is_address(name)):
        raise ConfigError(
            f"{text!r} is no host: write a name such as host.org, *.nodes.org or example.org:8080, or an address;"
            " a name with other letters than ASCII in its xn-- form."
        )
    return Place(host=name, is_parent=rest != text, ports=_ports(text, port))


def _ports(text: str, port: str | None) -> tuple[int, ...]:
    if port is None:
        return USUAL_PORTS
    if port == "*":
        return ()
    number = port_number(port)
    if number is None:
        raise ConfigError(f"{text!r} has no port that there is: write a number from 1 to 65535, or * for every port.")
    return (number,)


def split_port(text: str) -> tuple[str, str | None]:
    """Part a host from the port behind it, if there is one; a bare IPv6 address has none."""
    if match := _IN_BRACKETS.fullmatch(text):
        return (match[1] if ":" in match[1] else ""), match[2]
    if text.count(":") > 1:
        return text, None
    host, colon, port = text.partition(":")
    return host, port if colon else None


def port_number(text: str) -> int | None:
    """A port, unless it is not just digits or out of range."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        return None
    return number if 0 < (number := int(text)) < 65536 else None


def canonical(host: str) -> str | None:
    """The one spelling of a host, or None if it is no plain name and no plain address.

    Numbers that C libraries take for addresses, such as `127.1`, `0x7f.1` or `2130706433`, are neither.
    """
    if address := _address(host):
        return address
    name = host.lower().removesuffix(".") if host.isascii() else ""
    labels = name.split(".")
    if len(name) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return None if _NUMBER.fullmatch(labels[-1]) else name


def _address(text: str) -> str | None:
    """An address in its usual spelling; one with a zone, or with zeros in front, is none."""
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    try:
        return socket.inet_ntop(family, socket.inet_pton(family, text))
    except (OSError, ValueError):  # the latter for characters that cannot be in an address
        return None


def is_address(host: str) -> bool:
    """Whether a canonical host is an address and not a name."""
    return ":" in host or host.rpartition(".")[2].isdigit()


def _network(text: str) -> tuple[bytes, int]:
    address, _, bits = text.partition("/")
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address), int(bits)


_NOT_PUBLIC = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
    192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    168.63.129.16/32
    2001::/23 2001:db8::/32 2002::/16 3fff::/20
"""
"""Loopback, link-local, private, shared, for documents and tests, multicast, reserved, tunnels; and the public address
under which a cloud answers its own machines."""
_GLOBAL = "2000::/3"
"""All that was ever given out of IPv6."""
_HOLD_IPV4 = "::ffff:0.0.0.0/96 64:ff9b::/96"
"""IPv6 addresses that stand for the IPv4 address at their end."""


def is_public(address: str) -> bool:
    """Whether an address lies on the internet, and not on this machine or in a network around it."""
    packed, _ = _network(f"{address}/0")
    if len(packed) == 16:
        if _lies_in(packed, _HOLD_IPV4):
            return is_public(socket.inet_ntop(socket.AF_INET, packed[12:]))
        if not _lies_in(packed, _GLOBAL):
            return False
    return not _lies_in(packed, _NOT_PUBLIC)


def _lies_in(packed: bytes, networks: str) -> bool:
    number, size = int.from_bytes(packed, "big"), len(packed)
    for first, bits in map(_network, networks.split()):
        if len(first) == size and (number ^ int.from_bytes(first, "big")) >> (size * 8 - bits) == 0:
            return True
    return False
