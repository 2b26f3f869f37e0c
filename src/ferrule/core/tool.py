"""What a tool is: it says what a call would touch, and then does it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec

from ferrule.core.messages import Image, Text, Value
from ferrule.core.model import ToolSpec

EffectKind = Literal["read", "write", "execute", "network", "interactive"]


class Effect(Value, frozen=True):
    """One thing that a call would touch: a path that it reads or writes, a command that it executes."""

    kind: EffectKind
    target: str

    @property
    def is_address(self) -> bool:
        """Whether it names what is reached over the network, and not only the call that does."""
        return self.kind == "network" and not any(char.isspace() for char in self.target)


_WOULD = {"read": "read", "write": "change", "execute": "run", "network": "use the network:", "interactive": "ask"}


def would(effect: Effect) -> str:
    """What a call would do, in words that follow on "would"."""
    return f"{'reach' if effect.is_address else _WOULD[effect.kind]} {effect.target}"


class Output(Value, frozen=True):
    """What a tool has to say at its end."""

    content: str | tuple[Text | Image, ...]
    is_error: bool = False

    @property
    def blocks(self) -> tuple[Text | Image, ...]:
        """The content as blocks; silence is said, since no provider takes an empty text."""
        if isinstance(self.content, str):
            return (Text(self.content if self.content.strip() else "(no output)"),)
        return self.content


Host = TypeVar("Host")


class ToolContext(msgspec.Struct, Generic[Host], frozen=True, kw_only=True):
    """All that a tool sees of the world around it."""

    directory: Path
    """The project's directory; relative paths start here."""
    host: Host
    """The machine: files and processes."""
    report: Callable[[str], None]
    """Shows output while the tool still runs."""


class Tool(Protocol):
    """A tool. One file defines one; `tools/schema.py` makes most of it from typed parameters."""

    @property
    def spec(self) -> ToolSpec:
        """What the model is told about the tool."""
        ...

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments and give them their types.

        Raises:
            ArgumentError: the arguments do not fit, in words that the model can act on.
        """
        ...

    def effects(self, args: Any) -> tuple[Effect, ...]:
        """Say what the call would touch. Pure: looks at the arguments alone and does nothing."""
        ...

    async def run(self, args: Any, context: ToolContext[Any]) -> Output:
        """Do it.

        Raises:
            ToolError: it could not be done, in words that the model can act on.
        """
        ...
