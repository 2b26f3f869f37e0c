import ipaddress
import re
import socket

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ferrule.core.errors import ConfigError
from ferrule.host.sandbox.hosts import Hosts, Place, canonical, is_public, read

NO_HOSTS = """
    https://host.org host.org/simple user@host * *. *.* *.*.org *org a..b .org -a.org a-.org bücher.example 127.1
    2130706433 0x7f.0.0.1 0177.0.0.1 *.127.0.0.1 *.10.0.0.7 *.[::1] [10.0.0.7] [::1 ::1] fe80::1%eth0 a:b:c
"""
ODD_HOSTS = ("", " ", "a b", "a\0b", "a\nb", "host.org\n", "a" * 64 + ".org", "a." * 127 + "org")
NOT_PUBLIC = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 198.19.255.255 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255
    168.63.129.16 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 64:ff9b::7f00:1
    64:ff9b::a9fe:a9fe 64:ff9b:1::1 fe80::1 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001::1 2001:db8::1 2002:7f00:1::
    100::1 5f00::1
"""
PUBLIC = """
    1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 151.101.0.223 168.63.129.17
    2606:4700::1 2a04:4e42::223 ::ffff:8.8.8.8 64:ff9b::808:808
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("host.org", Place(host="host.org")),
        ("Host.Org.", Place(host="host.org")),
        ("*.nodes.org", Place(host="nodes.org", is_parent=True)),
        ("example.org:8080", Place(host="example.org", ports=(8080,))),
        ("*.example.org:*", Place(host="example.org", is_parent=True, ports=())),
        ("localhost", Place(host="localhost")),
        ("xn--bcher-kva.example", Place(host="xn--bcher-kva.example")),
        ("10.0.0.7", Place(host="10.0.0.7")),
        ("10.0.0.7:22", Place(host="10.0.0.7", ports=(22,))),
        ("::1", Place(host="::1")),
        ("[FD00:0::7]:8080", Place(host="fd00::7", ports=(8080,))),
    ],
)
def test_reads_what_a_user_lists(text: str, place: Place) -> None:
    assert read(text) == place


@pytest.mark.parametrize("text", [*NO_HOSTS.split(), *ODD_HOSTS])
def test_refuses_what_is_no_host(text: str) -> None:
    with pytest.raises(ConfigError, match="is no host: write"):
        read(text)


@pytest.mark.parametrize("text", ["a.org:0", "a.org:65536", "a.org:", "a.org:http", "a.org:-1", "a.org:²", "[::1]:"])
def test_refuses_what_is_no_port(text: str) -> None:
    with pytest.raises(ConfigError, match="has no port that there is"):
        read(text)


LISTED = ("host.org", "*.nodes.org", "git.example.org:22", "any.example.org:*", "10.0.0.7", "[fd00::7]:8080")


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("host.org", 443),
        ("host.org", 80),
        ("HOST.ORG.", 443),
        ("registry.nodes.org", 443),
        ("a.b.nodes.org", 443),
        ("git.example.org", 22),
        ("any.example.org", 9999),
        ("10.0.0.7", 80),
        ("fd00:0:0::7", 8080),
    ],
)
def test_allows_what_is_listed(host: str, port: int) -> None:
    assert Hosts(LISTED).allow(host, port)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("nodes.org", 443),
        ("evilnodes.org", 443),
        ("nodes.org.evil.com", 443),
        ("evil.com/.nodes.org", 443),
        ("evil.com#.nodes.org", 443),
        ("evil.com\0.nodes.org", 443),
        ("evil.com@registry.nodes.org", 443),
        ("evil.com:443\\.nodes.org", 443),
        ("evil.com\r\n.nodes.org", 443),
        ("..nodes.org", 443),
        (".nodes.org", 443),
        ("*.nodes.org", 443),
        ("host.org..", 443),
        ("host.org\n", 443),
        ("www.host.org", 443),
        ("host.org", 22),
        ("git.example.org", 443),
        ("ｐypi.org", 443),
        ("pypi。org", 443),
        ("ſypi.org", 443),
        ("10.0.0.8", 80),
        ("10.7", 80),
        ("0x0a000007", 80),
        ("167772167", 80),
        ("010.0.0.7", 80),
        ("::ffff:10.0.0.7", 80),
        ("fd00::7", 80),
        ("fd00::7%lo", 8080),
        ("", 443),
    ],
)
def test_refuses_what_is_not_listed(host: str, port: int) -> None:
    assert not Hosts(LISTED).allow(host, port)


def test_an_empty_list_allows_nothing() -> None:
    assert not Hosts(()).allow("host.org", 443)


@given(st.text(max_size=40), st.sampled_from(["", ".", "nodes.org", ".nodes.org", "@nodes.org"]))
@example("evil.com", ".nodes.org")
def test_what_a_wildcard_allows_is_a_plain_name_below_its_parent(front: str, end: str) -> None:
    host = front + end
    if Hosts(["*.nodes.org"]).allow(host, 443):
        *labels, second, first = host.lower().removesuffix(".").split(".")
        assert (second, first) == ("nodes", "org")
        assert labels
        assert all(re.fullmatch("[a-z0-9_-]+", label) for label in labels)


@given(st.text(alphabet="0123456789abcdefx.:%-ABC", max_size=30))
def test_what_the_c_library_takes_for_an_address_is_spelled_as_one_or_refused(text: str) -> None:
    name = canonical(text)
    try:
        found = socket.getaddrinfo(text, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return
    assert name is None or name == found[0][4][0]


@pytest.mark.parametrize("address", NOT_PUBLIC.split())
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses())
def test_no_address_is_public_that_the_standard_library_knows_better(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
