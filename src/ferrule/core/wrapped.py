"""A tool around a tool: the same to the model, other in how it runs."""

from typing import Any

from ferrule.core.model import ToolSpec
from ferrule.core.tool import Effect, Tool


class Wrapped:
    """Passes everything on but `run`, which is for those who inherit."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    @property
    def spec(self) -> ToolSpec:
        """What the model is told about the tool."""
        return self._tool.spec

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments and give them their types."""
        return self._tool.parse(input)

    def effects(self, args: Any) -> tuple[Effect, ...]:
        """Say what the call would touch."""
        return self._tool.effects(args)
