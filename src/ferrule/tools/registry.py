"""The tools of a session, by name."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from ferrule.core.errors import UsageError
from ferrule.core.names import canonical
from ferrule.core.tool import Tool


class Registry(Mapping[str, Tool]):
    """Tools in a fixed order, so that the request's prefix never changes; found under anybody's spelling."""

    def __init__(self, tools: Iterable[Tool], *, disabled: Collection[str] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        hidden = {canonical(name) for name in disabled}
        for tool in sorted(tools, key=lambda tool: tool.spec.name):
            name = tool.spec.name
            if name in self._tools:
                raise UsageError(f"There are two tools named {name}.")
            if canonical(name) not in hidden:
                self._tools[name] = tool

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name if name in self._tools else canonical(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)
