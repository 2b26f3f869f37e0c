"""Where a session is kept: a new file, one to go on with, a copy of one, or none at all."""

import os
from contextlib import suppress
from pathlib import Path

from ferrule.config.paths import data_home, expand
from ferrule.config.schema import Config
from ferrule.core.errors import FerruleError, SessionError
from ferrule.core.events import Event
from ferrule.session.changes import steps_of
from ferrule.session.log import SessionLog
from ferrule.session.reading import read_log
from ferrule.session.secrets import Mask
from ferrule.session.store import Store


def open_log(
    config: Config, directory: Path, *, model: str, edited: int, resume: str | None, fork: bool, save: bool
) -> SessionLog | None:
    """The session file: a new one, one to go on with, a copy of one; or none where nothing is to be kept.

    A new one begins with this model, and with so many files edited.

    Raises:
        SessionError: there is none to go on with, or it cannot be read or written.
    """
    store = store_of(config)
    mask = Mask(also=[header.partition(":")[2] for one in config.llm.endpoints for header in one.headers])
    if resume is None:
        if not (save and config.session.auto_save):
            return None
        store.prune(directory)
        return store.create(directory, model=model, edited=edited, mask=mask)
    summary = store.find(directory, resume) if resume else store.latest(directory)
    if summary is None:
        raise SessionError(f"There is no session to go on with in {directory}.")
    return store.fork(summary, mask=mask) if fork else SessionLog.open(summary.path, mask=mask)


def store_of(config: Config) -> Store:
    """Where sessions lie, and how many are kept."""
    where = config.session.storage_path
    return Store(
        expand(where) if where else data_home() / "sessions",
        max_sessions=config.session.max_sessions,
        retention_days=config.session.retention_days,
    )


def nameless() -> Path:
    """A place for a session that leaves nothing behind; whoever needs it first makes it."""
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"ferrule-{os.urandom(8).hex()}"  # noqa: S108


def forget(_: Event) -> None:
    """Keep nothing."""


def other_records(log: SessionLog) -> frozenset[str]:
    """The records that the other sessions of the project may still need."""
    found: set[str] = set()
    for path in log.path.parent.glob("*.jsonl"):
        with suppress(FerruleError):
            found |= steps_of(read_log(path).events).records()
    return frozenset(found)
