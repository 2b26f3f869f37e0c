"""Where the sessions of this project lie, and what is kept of the one that is open."""

from ferrule.commands.desk import Desk, configuration
from ferrule.config.paths import data_home, expand
from ferrule.core.errors import SessionError
from ferrule.core.events import Appended, Event, ToolEnded
from ferrule.core.messages import Message, ToolResult
from ferrule.session.reading import LoadedLog, read_log
from ferrule.session.records import Header
from ferrule.session.store import Store
from ferrule.session.summary import Summary, summarise


def store_of(desk: Desk) -> Store:
    """All sessions of the user."""
    where = configuration(desk).config.session.storage_path
    return Store(expand(where) if where else data_home() / "sessions")


def summary_of(desk: Desk) -> Summary | None:
    """The open session as a listing shows it; None where nothing of it is on disk."""
    store, session = store_of(desk), desk.session
    if found := summarise(store.folder(session.directory) / f"{session.id}.jsonl"):
        return found
    try:
        return store.find(session.directory, session.id)  # it may have begun in another directory
    except SessionError:
        return None


def kept(desk: Desk) -> LoadedLog | None:
    """What is on disk of the open session; None where there is nothing."""
    found = summary_of(desk)
    return read_log(found.path) if found else None


def record_of(desk: Desk) -> LoadedLog:
    """The open session whole: as it was kept, or as far as the conversation tells."""
    session = desk.session
    began = session.history.messages[0].at if session.history.messages else 0.0
    header = Header(id=session.id, directory=str(session.directory), model=session.model, created=began)
    return kept(desk) or LoadedLog(header=header, events=tuple(map(_event, session.history.messages)))


def _event(message: Message) -> Event:
    return ToolEnded(result=message) if isinstance(message, ToolResult) else Appended(message=message)
