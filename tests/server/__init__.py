"""A strict, scripted model server on loopback, which speaks all four wire formats.

    async with ModelServer([Reply(text="Hello."), failure("overloaded")]) as server:
        ...  # server.url, server.requests

By hand: `python -m tests.server --script FILE --port N`.
"""

from tests.server.http import ModelServer
from tests.server.script import Call, Received, Reply, Step, Tokens, failure

__all__ = ["Call", "ModelServer", "Received", "Reply", "Step", "Tokens", "failure"]
