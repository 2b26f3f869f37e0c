"""Fetches weights: from source to source until the file is whole, by its hash, and then gives it its name."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, Protocol

from ferrule.config.files import remove_tree
from ferrule.core.messages import Value
from ferrule.llm.local.draft import Draft, drafted, is_whole
from ferrule.llm.local.library import Weights, amount
from ferrule.llm.local.sources import OwnFile, Source
from ferrule.llm.local.store import BusyError, DiskError, Store, WeightsError, refused, users_of

Phase = Literal["fetch", "check"]
_PATIENCE = 0.2
"""Seconds between two looks at whether another Ferrule is done."""


class Progress(Value, frozen=True, kw_only=True):
    """How far it is."""

    name: str
    source: str
    done: int
    total: int
    phase: Phase = "fetch"


class Watcher(Protocol):
    """Who wants to know how far it is."""

    def say(self, words: str) -> None:
        """Take a sentence for the person."""

    def moved(self, progress: Progress) -> None:
        """Take how far it is; this comes often."""


async def pull(weights: Weights, *, store: Store, sources: Sequence[Source], watcher: Watcher) -> Path:
    """Fetch weights unless they are here, and give their path. What is interrupted goes on from there next time.

    Raises:
        DiskError: the disk is too small, or refuses.
        WeightsError: no source has them, or what is here is damaged and in use.
    """
    store.make()
    async with _alone(weights, store, watcher):
        target = store.path(weights)
        if await _is_here(weights, store, watcher):
            return target
        with drafted(store.draft(weights), weights) as draft:
            if draft.size:
                await draft.cut_what_is_wrong(_tells(watcher, weights, "what is here", "check"))
                if draft.size:
                    watcher.say(f"{amount(draft.size)} of {amount(weights.size)} are here already.")
            problems: list[str] = []
            for number, source in enumerate(sources, 1):
                if problem := await _tried(source, draft, store, watcher):
                    problems.append(problem)
                    if number < len(sources):
                        watcher.say(f"{problem} Trying {sources[number].name}.")
                    continue
                draft.finish(target)
                remove_tree(store.scratch(weights))
                return target
        raise WeightsError(f"{weights.name} could not be fetched. {' '.join(problems)}")


async def adopt(weights: Weights, path: Path, *, store: Store, watcher: Watcher) -> Path:
    """Take a file that the user has: by a second name for it where that can be, else as a copy.

    Raises:
        DiskError: the disk is too small, or refuses.
        WeightsError: it is another file, or cannot be read; or what is here is damaged and in use.
    """
    store.make()
    async with _alone(weights, store, watcher):
        if await _is_here(weights, store, watcher):
            return store.path(weights)
        linked = await _linked(weights, path, store, watcher)
    return linked or await pull(weights, store=store, sources=[OwnFile(path)], watcher=watcher)


async def _tried(source: Source, draft: Draft, store: Store, watcher: Watcher) -> str:
    """Let a source fill the draft; what went wrong, in a sentence, or nothing."""
    weights = draft.weights
    fetching = _tells(watcher, weights, source.name, "fetch")
    checking = _tells(watcher, weights, source.name, "check")
    while True:
        _check_room(source, draft, store)
        uncertain = draft.size - draft.boundary()
        try:
            fetching(draft.size)
            if draft.size < weights.size:
                await source.fill(draft, fetching)
        except DiskError:
            raise
        except WeightsError as error:
            return str(error)
        if await draft.is_right(checking):
            return ""
        await draft.cut_what_is_wrong(checking)
        if not uncertain:
            return f"What came from {source.name} is not {weights.name}: its hash is wrong, and it was removed."
        watcher.say("What was here already did not fit; that part is fetched anew.")


def _check_room(source: Source, draft: Draft, store: Store) -> None:
    needs, free = draft.weights.size - draft.size + source.room, store.free()
    if needs > free:
        raise DiskError(
            f"{draft.weights.name} needs {amount(needs)} more on the disk of {store.directory}, "
            f"and {amount(free)} are free. XDG_DATA_HOME can name another place."
        )


@asynccontextmanager
async def _alone(weights: Weights, store: Store, watcher: Watcher) -> AsyncIterator[None]:
    """Wait until no other Ferrule fetches the same, and keep others out."""
    told = False
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(store.locked(weights))
                break
            except BusyError as error:
                if not told:
                    watcher.say(f"{error} Waiting for it.")
                    told = True
                await asyncio.sleep(_PATIENCE)
        yield


async def _is_here(weights: Weights, store: Store, watcher: Watcher) -> bool:
    """Whether the file is here and right; a wrong one becomes a draft, of which the right part is kept."""
    path = store.path(weights)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise refused(path, error) from None
    try:
        if await is_whole(descriptor, weights, _tells(watcher, weights, "what is here", "check")):
            return True
    finally:
        os.close(descriptor)
    if users := users_of(path):
        raise WeightsError(f"{path} is damaged, and {', '.join(users)} uses it; end that first.")
    watcher.say(f"{path} is damaged: it is fetched anew as far as needed.")
    try:
        if path.stat().st_nlink > 1:  # the other name's file is not ours to change
            path.unlink()
        else:
            path.replace(store.draft(weights))
    except OSError as error:
        raise refused(path, error) from None
    return False


async def _linked(weights: Weights, path: Path, store: Store, watcher: Watcher) -> Path | None:
    """Give the user's own file our name too, once it is known to be right; nothing where that cannot be."""
    try:
        with path.open("rb") as file:
            if not await is_whole(file.fileno(), weights, _tells(watcher, weights, str(path), "check")):
                raise WeightsError(f"{path} is not {weights.name}: its hash is another.")
            info = os.fstat(file.fileno())
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror}.") from None
    return _with_second_name(path, info, store.path(weights))


def _with_second_name(path: Path, checked: os.stat_result, target: Path) -> Path | None:
    if checked.st_uid != os.getuid():  # another user could change it later
        return None
    second = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
    try:
        second.hardlink_to(path.resolve())
        if second.stat().st_ino == checked.st_ino:
            return second.replace(target)
    except OSError:  # another disk, or one without such names
        pass
    finally:
        with suppress(OSError):
            second.unlink()
    return None


def _tells(watcher: Watcher, weights: Weights, source: str, phase: Phase) -> Callable[[int], None]:
    return lambda done: watcher.moved(
        Progress(name=weights.name, source=source, done=done, total=weights.size, phase=phase)
    )
