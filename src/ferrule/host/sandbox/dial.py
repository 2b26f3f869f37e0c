"""Connects to a host that the user allows, and to no other, whatever the name service says.

A name is looked up once, and the connection goes to an address that was found and checked. Addresses of this
machine and of the networks around it are refused, so that no allowed name can be made to lead there; the user can
list such an address itself.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from msgspec import Struct

from ferrule.host.sandbox.hosts import USUAL_PORTS, canonical, is_address, is_public
from ferrule.host.sandbox.reach import Refusal, connect, resolve
from ferrule.host.sandbox.upstream import Upstream

Allowed = Callable[[str, int], bool]
"""Whether a host, a name or an address, may be reached on a port."""
Resolve = Callable[[str], Awaitable[tuple[str, ...]]]
"""Gives the addresses of a name, the best first; none if there is no such name."""


class Ways(Struct, frozen=True, kw_only=True):
    """How hosts are found and reached."""

    resolve: Resolve = resolve
    is_public: Callable[[str], bool] = is_public
    upstream: Upstream = Upstream()
    """The proxies that the machine itself goes through."""
    seconds: float = 20
    """How long all of it may take."""
    seconds_each: float = 6
    """How long one address may take."""


async def dial(host: str, port: int, *, allowed: Allowed, ways: Ways) -> socket.socket:
    """Connect to a host if that is allowed.

    Raises:
        Refusal: it is not, or it cannot be reached.
    """
    name = canonical(host)
    if name is None:
        raise Refusal("forbidden", f"{ascii(host)[:100]} is no plain host name, so it is not allowed")
    if not allowed(name, port):
        what = name if port in USUAL_PORTS else f"{name} with port {port}"
        raise Refusal("forbidden", f"host {what} is not among those that the user allows (safety.network)")
    try:
        async with asyncio.timeout(ways.seconds):
            if proxy := ways.upstream.proxy_for(name, port):
                return await proxy.tunnel(name, port)
            addresses = await _find(name, port, allowed, ways)
            return await connect(addresses, port, name=name, seconds_each=ways.seconds_each)
    except TimeoutError:
        raise Refusal("slow", f"host {name} did not answer within {ways.seconds:g} s") from None


async def _find(name: str, port: int, allowed: Allowed, ways: Ways) -> list[str]:
    """The addresses of a host that may be reached."""
    if is_address(name):
        return [name]  # it is listed as just that
    found = await ways.resolve(name)
    if not found:
        raise Refusal("unreachable", f"host {name} could not be found: the name service knows no address of it")
    plain = [one for one in map(canonical, found) if one and is_address(one)]
    usable = [one for one in plain if ways.is_public(one) or allowed(one, port)]
    if not usable:
        raise Refusal(
            "forbidden",
            f"host {name} has the address {found[0]}, which is not public;"
            " it is reached only if the user lists that address too (safety.network)",
        )
    return usable
