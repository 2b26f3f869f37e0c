"""The weights of embedded models, as the fronts need them: which there are, fetch, remove, and offer to fetch.

Names are those of the library, or the path of a GGUF file of the user's own, which needs no fetching.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from ferrule.core.messages import Value
from ferrule.llm.local.fetch import Progress, Watcher, adopt
from ferrule.llm.local.fetch import pull as fetch
from ferrule.llm.local.library import DEFAULT, Weights, amount, library, named
from ferrule.llm.local.sources import OwnFile, sources_of
from ferrule.llm.local.store import find, is_path, own_store, users_of

__all__ = [
    "DEFAULT", "Listed", "Progress", "Watcher", "amount", "concern", "kept", "listing", "needed", "offer", "pull",
    "pull_if_wanted", "pulled", "remove", "with_name",
]  # fmt: skip


class Listed(Value, frozen=True, kw_only=True, omit_defaults=False):
    """An embedded model, and how much of it is here."""

    name: str
    size: int
    held: int
    """Bytes that are here; all of them where it can be used."""
    licence: str
    memory: int
    purpose: str
    path: str
    """Its file, where it is whole."""
    users: tuple[str, ...] = ()
    """The programs that use it just now."""

    @property
    def present(self) -> bool:
        """Whether it can be used."""
        return self.held == self.size


def listing(environ: Mapping[str, str] = os.environ) -> tuple[Listed, ...]:
    """All embedded models.

    Raises:
        ConfigError: the user's own list of models cannot be read.
    """
    return tuple(_listed(one, environ) for one in library(environ).values())


def with_name(name: str, environ: Mapping[str, str] = os.environ) -> Listed:
    """The embedded model of a name.

    Raises:
        UsageError: there is none; the error names the nearest.
        ConfigError: the user's own list of models cannot be read.
    """
    return _listed(named(name, environ), environ)


def needed(name: str = DEFAULT, environ: Mapping[str, str] = os.environ) -> int:
    """How many bytes would have to be fetched before a model can be used; 0 where it is here.

    Raises:
        UsageError: there is no such model or file.
        ConfigError: the user's own list of models cannot be read.
    """
    if is_path(name):
        find(name, environ)
        return 0
    weights = named(name, environ)
    return weights.size - own_store(environ).held(weights)


def concern(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """What speaks against a model on this machine, in a sentence; mostly nothing.

    Raises:
        UsageError: there is no such model.
        ConfigError: the user's own list of models cannot be read.
    """
    weights = named(name, environ)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if weights.memory > memory:
        return f"{weights.name} takes {amount(weights.memory)} of memory, and this machine has {amount(memory)}."
    return ""


async def pulled(
    name: str, *, watcher: Watcher, source: str | None = None, environ: Mapping[str, str] = os.environ
) -> Path:
    """Fetch a model's weights unless they are here, and give their path.

    Raises:
        UsageError: there is no such model, file or source.
        ConfigError: the user's own list of models cannot be read.
        WeightsError: they could not be fetched or kept; what came is kept for the next time.
    """
    if is_path(name):
        return find(name, environ)
    weights, store = named(name, environ), own_store(environ)
    sources = sources_of(weights, source, store=store, environ=environ)
    if isinstance(sources[0], OwnFile):
        return await adopt(weights, sources[0].path, store=store, watcher=watcher)
    return await fetch(weights, store=store, sources=sources, watcher=watcher)


def pull(name: str = DEFAULT, *, watcher: Watcher, source: str | None = None) -> Path:
    """Fetch a model's weights outside of any event loop: see `pulled`. A signal to end leaves nothing running.

    Raises:
        UsageError: there is no such model, file or source.
        ConfigError: the user's own list of models cannot be read.
        WeightsError: they could not be fetched or kept; what came is kept for the next time.
        KeyboardInterrupt: it was interrupted, or told to end; what came is kept.
    """

    async def until_told_to_end() -> Path:
        task = asyncio.current_task()
        assert task is not None
        for number in (signal.SIGTERM, signal.SIGHUP):
            with suppress(RuntimeError, ValueError):  # signals come to the main thread alone
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await pulled(name, watcher=watcher, source=source)

    try:
        return asyncio.run(until_told_to_end())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def kept(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """What is kept of a model whose fetching was broken off, in a sentence.

    Raises:
        UsageError: there is no such model.
        ConfigError: the user's own list of models cannot be read.
    """
    weights = named(name, environ)
    if held := own_store(environ).held(weights):
        goes_on = f"`ferrule models pull {weights.name}` goes on from there"
        return f"{amount(held)} of {amount(weights.size)} are kept; {goes_on}."
    return "Nothing had come yet."


def offer(name: str = DEFAULT, environ: Mapping[str, str] = os.environ) -> str:
    """One sentence that offers a model to someone who has none.

    Raises:
        UsageError: there is no such model.
        ConfigError: the user's own list of models cannot be read.
    """
    weights = named(name, environ)
    size = amount(needed(name, environ))
    return f"No key and no model server were found: fetch {weights.name} ({size}, {weights.licence}) to run it here?"


def pull_if_wanted(name: str = DEFAULT, *, agrees: Callable[[str], bool], watcher: Watcher) -> Path | None:
    """Give a model's weights, fetching them if the user agrees; nothing if not.

    `agrees` is shown the sentence of `offer`; where somebody agreed beforehand, it just says so.

    Raises:
        UsageError: there is no such model or file.
        ConfigError: the user's own list of models cannot be read.
        WeightsError: they could not be fetched or kept; what came is kept for the next time.
        KeyboardInterrupt: it was interrupted; what came is kept.
    """
    if needed(name) and not agrees(offer(name)):
        return None
    return find(name) if not needed(name) else pull(name, watcher=watcher)


def remove(name: str, environ: Mapping[str, str] = os.environ) -> int:
    """Remove a model's weights, and whatever came of them; how many bytes that were.

    Raises:
        UsageError: there is no such model.
        ConfigError: the user's own list of models cannot be read.
        WeightsError: a program uses them, they are being fetched, or the disk refuses.
    """
    return own_store(environ).remove(named(name, environ))


def _listed(weights: Weights, environ: Mapping[str, str]) -> Listed:
    store = own_store(environ)
    path = store.path(weights) if store.has(weights) else None
    return Listed(
        name=weights.name,
        size=weights.size,
        held=store.held(weights),
        licence=weights.licence,
        memory=weights.memory,
        purpose=weights.purpose,
        path=str(path or ""),
        users=users_of(path) if path else (),
    )
