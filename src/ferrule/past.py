"""A saved session, opened without a model: what it changed can be looked at, undone and made again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ferrule.config.layers import load
from ferrule.config.paths import data_home, expand
from ferrule.core.errors import SessionError
from ferrule.core.events import Event
from ferrule.session.changes import Changes
from ferrule.session.checkpoints import checkpoints_of
from ferrule.session.log import SessionLog
from ferrule.session.reading import rebuild
from ferrule.session.store import Store

__all__ = ["past_changes"]


@contextmanager
def past_changes(directory: Path, session: str | None = None) -> Iterator[Changes]:
    """The changes of a session by number, name or id, or of the last one of the directory.

    Raises:
        SessionError: there is no such session, or another Ferrule has it open.
    """
    settings = load(directory).config.session
    where = settings.storage_path
    store = Store(expand(where) if where else data_home() / "sessions")
    found = store.find(directory, session) if session else store.latest(directory)
    if found is None:
        raise SessionError(f"There is no session in {directory} yet.")
    with SessionLog.open(found.path) as log:
        history, loaded = rebuild(log.loaded), log.loaded

        def tell(event: Event) -> None:
            log.write(event)
            history.apply(event)

        root = Path(loaded.header.directory) if loaded.header.directory else directory
        yield Changes(lambda: checkpoints_of(root, largest_mb=settings.max_file_mb), history, loaded.events, tell)
