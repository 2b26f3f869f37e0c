"""A command that its sandbox held up is told from one that failed for reasons of its own."""

import pytest

from ferrule.host.sandbox.blame import blame
from ferrule.host.sandbox.profile import Leave

FILES = [
    "touch: cannot touch '/etc/x': Read-only file system",
    "OSError: [Errno 30] Read-only file system: '/x'",
    "error: could not lock config file .git/config: Device or resource busy",
    "Error: EROFS: read-only file system, mkdir '/x'",
    "error: failed to open: /home/me/.cargo/x: Permission denied (os error 13)",
    "npm ERR! code EACCES",
    "PermissionError: [Errno 1] Operation not permitted",
]
NETWORK = [
    "curl: (6) Could not resolve host: example.org",
    "fatal: unable to access 'https://x/': Could not resolve host: x",
    "ssh: Could not resolve hostname x: Temporary failure in name resolution",
    "npm ERR! network request to https://x failed, reason: getaddrinfo EAI_AGAIN x",
    "socket.gaierror: [Errno -2] Name or service not known",
    "OSError: [Errno 101] Network is unreachable",
    "go: dial tcp: lookup proxy.golang.org: no such host",
    "host x is not among those that the user allows (safety.network)",
]


@pytest.mark.parametrize("words", FILES)
def test_files(words: str) -> None:
    told = blame(f"working\n{words}\n", 1, Leave())
    assert told
    assert told.startswith("(likely because the command is confined: it can write to the project")
    assert blame(words, 0, Leave()) is None
    assert blame(words, 1, Leave(outside=True)) is None


@pytest.mark.parametrize("words", NETWORK)
def test_network(words: str) -> None:
    assert blame(words, 6, Leave()) == "(likely because the command is confined: it has no network)"
    hosts = Leave(hosts=("host.org", "*.nodes.org"))
    told = "(likely because the command is confined: it has no network but host.org, *.nodes.org)"
    assert blame(words, 6, hosts) == told
    assert blame(words, 6, Leave(network=True)) is None


def test_other_failures() -> None:
    for words in ("AssertionError: 1 != 2", "No such file or directory", "", "Connection refused", "Killed"):
        assert blame(words, 1, Leave()) is None
    assert blame("Read-only file system" + "x" * 30_000, 1, Leave()) is None
    setup = "bwrap: Can't mkdir /x: Permission denied\n"
    assert blame(setup, 1, Leave()) == "(the sandbox could not be set up, so the command did not run)"
