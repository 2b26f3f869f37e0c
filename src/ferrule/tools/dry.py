"""Tools that say what they would do, and do not do it."""

from typing import Any

from ferrule.core.tool import Output, ToolContext, would
from ferrule.core.wrapped import Wrapped


class Dry(Wrapped):
    """A tool whose calls are checked and judged, but not run."""

    async def run(self, args: Any, context: ToolContext[Any]) -> Output:
        """Say what would have happened."""
        words = "; ".join(map(would, self.effects(args)))
        return Output(f"Dry run: the call is valid and allowed, but was not run. It would {words or 'touch nothing'}.")
