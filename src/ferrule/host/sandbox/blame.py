"""Whether a command failed because it was confined: read off its words, so it is a guess."""

from ferrule.core.regex import lazy
from ferrule.host.sandbox.profile import Leave

_MOST_READ = 20_000
_FILES = lazy(
    r"read-only file ?system|EROFS|\[Errno 30\]|os error 30\b"
    r"|permission denied|EACCES|\[Errno 13\]|operation not permitted|EPERM|\[Errno 1\] "
    r"|(?:is|file system is|directory is) not writable|could not lock config file",
    2,
)
_NETWORK = lazy(
    r"network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND"
    r"|could not resolve (?:host|proxy)|couldn't resolve host|unable to resolve host"
    r"|temporary failure in name resolution|name or service not known|nodename nor servname"
    r"|failed to (?:lookup address|resolve|establish a new connection)|getaddrinfo|no route to host"
    r"|dial tcp: lookup|no such host|is not among those that the user allows",
    2,
)
"""2 is `re.IGNORECASE`, without importing `re` for it."""


def blame(output: str, code: int, leave: Leave) -> str | None:
    """Say, for the model, that a failed command was likely held up by its sandbox; None if it was not."""
    if code == 0 or leave.outside:
        return None
    if output.startswith("bwrap: "):
        return "(the sandbox could not be set up, so the command did not run)"
    end = output[-_MOST_READ:]
    if not leave.network and _NETWORK.search(end):
        whom = f"no network but {', '.join(leave.hosts)}" if leave.hosts else "no network"
        return f"(likely because the command is confined: it has {whom})"
    if _FILES.search(end):
        return (
            "(likely because the command is confined: it can write to the project and to $TMPDIR alone, "
            "and not to protected files such as .git/config and .git/hooks)"
        )
    return None
