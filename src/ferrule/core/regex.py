"""Regular expressions that are compiled when they are first used: a run uses few of them, and starting is quick."""

import re
from typing import Any, AnyStr, cast


class _Lazy:
    __slots__ = ("_compiled", "_flags", "_text")

    def __init__(self, text: Any, flags: int) -> None:
        self._text, self._flags = text, flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return getattr(self._compiled, name)


def lazy(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern for its methods (`search`, `sub`, …); the functions of `re` do not take it."""
    return cast("re.Pattern[AnyStr]", _Lazy(text, flags))
