import asyncio
import socket

import pytest

from ferrule.host.sandbox.dial import Ways, dial
from ferrule.host.sandbox.hosts import Hosts
from ferrule.host.sandbox.reach import Refusal, resolve
from tests.host.sandbox.internet import HERE, echo, serving

NOT_LISTED = "is not among those that the user allows (safety.network)"


def leads_to(*addresses: str) -> Ways:
    """A name service that knows one answer, and the usual mind about addresses."""

    async def answer(_host: str) -> tuple[str, ...]:
        return addresses

    return Ways(resolve=answer)


async def never(_host: str) -> tuple[str, ...]:
    """A name service that does not answer."""
    await asyncio.Event().wait()
    return ()


async def refusal_of(host: str, port: int, *listed: str, ways: Ways = HERE) -> tuple[str, str]:
    with pytest.raises(Refusal) as raised:
        await dial(host, port, allowed=Hosts(listed).allow, ways=ways)
    return raised.value.kind, raised.value.words


async def ask_for_echo(connection: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    with connection:
        await loop.sock_sendall(connection, b"hello")
        return await loop.sock_recv(connection, 100)


async def test_connects_to_a_listed_host() -> None:
    async with serving(echo) as port:
        server = await dial("Host.org.", port, allowed=Hosts([f"host.org:{port}"]).allow, ways=HERE)
        assert await ask_for_echo(server) == b"hello"


async def test_no_other_host_is_even_looked_up() -> None:
    ways = Ways(resolve=never)
    assert await refusal_of("evil.com", 443, "host.org", ways=ways) == ("forbidden", f"host evil.com {NOT_LISTED}")
    words = f"host host.org with port 22 {NOT_LISTED}"
    assert await refusal_of("host.org", 22, "host.org", ways=ways) == ("forbidden", words)
    assert await refusal_of("127.0.0.1", 80, "*.0.1.org", ways=ways) == ("forbidden", f"host 127.0.0.1 {NOT_LISTED}")


@pytest.mark.parametrize("host", ["", "a b", "a\0host.org", "2130706433", "host.org\r\nX: y", "é" * 300])
async def test_odd_names_are_shown_harmlessly(host: str) -> None:
    kind, words = await refusal_of(host, 443, "host.org")
    assert kind == "forbidden"
    assert words == f"{ascii(host)[:100]} is no plain host name, so it is not allowed"
    assert words.isprintable()


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.7", "::1", "::ffff:127.0.0.1", "0.0.0.0"])
async def test_a_name_never_leads_to_an_address_around_here(address: str) -> None:
    words = (
        f"host host.org has the address {address}, which is not public;"
        " it is reached only if the user lists that address too (safety.network)"
    )
    assert await refusal_of("host.org", 443, "host.org", ways=leads_to(address)) == ("forbidden", words)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "127.1", "nonsense"])
async def test_an_address_that_is_none_is_not_used(address: str) -> None:
    kind, _ = await refusal_of("host.org", 443, "host.org", ways=leads_to(address))
    assert kind == "forbidden"


async def test_an_address_around_here_can_be_listed_itself() -> None:
    async with serving(echo) as port:
        here, name = f"127.0.0.1:{port}", f"intranet.example:{port}"
        by_address = await dial("127.0.0.1", port, allowed=Hosts([here]).allow, ways=Ways())
        assert await ask_for_echo(by_address) == b"hello"
        by_name = await dial("intranet.example", port, allowed=Hosts([here, name]).allow, ways=leads_to("127.0.0.1"))
        assert await ask_for_echo(by_name) == b"hello"


async def test_only_the_public_addresses_of_a_name_are_tried() -> None:
    tried: list[str] = []

    def is_public(address: str) -> bool:
        tried.append(address)
        return address == "127.0.0.1"

    async with serving(echo) as port:
        ways = Ways(resolve=leads_to("127.0.0.2", "127.0.0.1").resolve, is_public=is_public)
        server = await dial("host.org", port, allowed=Hosts([f"host.org:{port}"]).allow, ways=ways)
        assert server.getpeername() == ("127.0.0.1", port)
        assert await ask_for_echo(server) == b"hello"
    assert tried == ["127.0.0.2", "127.0.0.1"]


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    async with serving(echo) as port:
        ways = Ways(resolve=leads_to("127.0.0.2", "127.0.0.1").resolve, is_public=lambda _: True)
        server = await dial("host.org", port, allowed=Hosts([f"host.org:{port}"]).allow, ways=ways)
        assert await ask_for_echo(server) == b"hello"


async def test_an_unknown_name() -> None:
    words = "host host.org could not be found: the name service knows no address of it"
    assert await refusal_of("host.org", 443, "host.org", ways=leads_to()) == ("unreachable", words)


async def test_a_host_that_does_not_listen() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        words = f"host host.org could not be reached on port {port}: Connection refused"
        assert await refusal_of("host.org", port, "host.org:*") == ("unreachable", words)


async def test_nobody_waits_for_ever() -> None:
    ways = Ways(resolve=never, seconds=0.05)
    words = "host host.org did not answer within 0.05 s"
    assert await refusal_of("host.org", 443, "host.org", ways=ways) == ("slow", words)


async def test_the_name_service_of_the_machine() -> None:
    assert "127.0.0.1" in await resolve("localhost")
    assert await resolve("a" * 64 + ".invalid") == ()
