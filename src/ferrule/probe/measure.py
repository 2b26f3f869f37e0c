"""A model, measured: all probes in the order of what they tell, within the time that there is."""

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Protocol

from ferrule.config.layers import load
from ferrule.core.errors import FerruleError, UsageError
from ferrule.llm.connect import Connection, connect
from ferrule.llm.modes import ToolMode
from ferrule.probe import figures, rows
from ferrule.probe.asking import Interview
from ferrule.probe.series import Result, Row, ask_row

_QUICK_CALLS, _QUICK_OTHERS = 4, 3


class Watcher(Protocol):
    """Sees the measurement while it goes on."""

    def begins(self, probe: str) -> None:
        """Take what is measured now."""
        ...

    def came(self, result: Result) -> None:
        """Take what came of it."""
        ...


def subject(directory: Path, *, file: Path | None, overrides: Mapping[str, object]) -> Connection:
    """The model that the configuration and the command line name.

    Raises:
        UsageError: there is none, or it needs something that is not set.
        ConfigError: the configuration has errors.
    """
    config = load(directory, file=file, overrides=overrides).config
    return connect(config.llm, directory=directory, local=config.local)


async def measure(connection: Connection, *, seconds: float, quick: bool, watcher: Watcher) -> None:
    """Measure a model; each result is told as it comes.

    Raises:
        FerruleError: the model does not answer at all.
    """
    async for result in _Measuring(connection, seconds=seconds, quick=quick, begins=watcher.begins).results():
        watcher.came(result)
        if result.probe == rows.ORDERS and not result.asked:
            raise FerruleError(f"{connection.model.name} does not answer: {result.note}.")


class _Measuring:
    """One measurement. Calls are asked for as a session does it, words and files as of a model that is led."""

    def __init__(self, connection: Connection, *, seconds: float, quick: bool, begins: Callable[[str], None]) -> None:
        self._connection, self._begins, self._quick = connection, begins, quick
        self._interview = Interview(seconds=seconds)
        self._steady = connection.at(0.0) if connection.at else connection.model
        self._few = _QUICK_OTHERS if quick else None
        self._more = _QUICK_CALLS if quick else None

    async def results(self) -> AsyncIterator[Result]:
        """What comes of each probe, those that matter most for the verdict first."""
        model, few = self._steady, self._few
        yield await self._row(rows.orders(model, few))
        self._begins("speed")
        reading, writing = await figures.speed(model, self._interview)
        yield reading
        yield writing
        yield await self._row(rows.edits(model, "file", few))
        native = await self._calls("native")
        yield native
        yield await self._row(rows.edits(model, "function", few))
        yield await self._calls("schema")
        if (native.share or 0) < rows.NEEDED_CALLS:
            yield await self._calls("text")
        yield await self._row(rows.questions(model, few))
        yield await self._row(rows.edits(model, "replace", few))
        window = self._connection.known.window or 0
        yield await figures.context(
            model, self._interview, window=window, reading=reading.number, quick=self._quick, begins=self._begins
        )

    async def _row(self, row: Row) -> Result:
        self._begins(row.probe)
        return await ask_row(row, self._interview)

    async def _calls(self, mode: ToolMode) -> Result:
        try:
            row = rows.calls(self._connection, mode, self._more)
        except UsageError as error:
            return Result(probe=rows.CALLS[mode], state="refused", note=str(error))
        return await self._row(row)
