"""What scripts need that shall begin at once: `contextlib`, `signal` and `socket` take longer to load than all they do.

The first command of a session waits for the keeper, and each call of a hook or of an external tool for its runner.
"""

import sys
from _socket import CMSG_LEN, SCM_RIGHTS, SOL_SOCKET, socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_SIZE = 4
"""Bytes of a descriptor's number."""


class suppress:  # noqa: N801 - it stands for the one of `contextlib`
    """Go on behind the block where one of these errors came up in it."""

    def __init__(self, *errors: type[BaseException]) -> None:
        self._errors = errors

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> bool:
        """Say whether that was one of them."""
        return kind is not None and issubclass(kind, self._errors)


def receive(line: socket, most: int) -> tuple[bytes, list[int]]:
    """Read a byte, and as many descriptors as were sent along with it.

    Raises:
        OSError: the line is broken.
    """
    byte, sent, _, _ = line.recvmsg(1, CMSG_LEN(most * _SIZE))
    numbers = b"".join(data for level, kind, data in sent if (level, kind) == (SOL_SOCKET, SCM_RIGHTS))
    ends = range(_SIZE, len(numbers) + 1, _SIZE)
    return byte, [int.from_bytes(numbers[end - _SIZE : end], sys.byteorder) for end in ends]
