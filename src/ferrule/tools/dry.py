"""Tools that say what they would do, and do not do it."""

from typing import Any

from ferrule.core.model import ToolSpec
from ferrule.core.tool import Effect, Output, Tool, ToolContext


class Dry:
    """A tool whose calls are checked and judged, but not run."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    @property
    def spec(self) -> ToolSpec:
        """What the model is told about the tool."""
        return self._tool.spec

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments."""
        return self._tool.parse(input)

    def effects(self, args: Any) -> tuple[Effect, ...]:
        """Say what the call would touch."""
        return self._tool.effects(args)

    async def run(self, args: Any, context: ToolContext[Any]) -> Output:
        """Say what would have happened."""
        would = "; ".join(f"{effect.kind} {effect.target}" for effect in self.effects(args))
        return Output(f"Dry run: the call is valid and allowed, but was not run. It would {would or 'touch nothing'}.")
