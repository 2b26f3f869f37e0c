"""The first lines of a session: what it is, what is odd about it, and what was said before; and its last one."""

from ferrule.front.terminal.show.lines import line
from ferrule.front.terminal.show.status import Status, welcome
from ferrule.front.terminal.show.words import count
from ferrule.front.terminal.transcript import Transcript
from ferrule.session.session import Session
from ferrule.version import __version__

_RECALLED = 12
"""Messages of an earlier conversation that are shown again."""


def greet(session: Session, transcript: Transcript, *, status: Status, width: int) -> None:
    """Print the welcome, the warnings, and the end of what was said before."""
    transcript.say(welcome(version=__version__, directory=str(session.directory), status=status, width=width))
    for warning in session.warnings:
        transcript.warn(warning)
    for note in session.notes:
        transcript.remark(note)
    messages = session.history.messages
    if len(messages) > _RECALLED:
        transcript.remark(f"Not shown: {count(len(messages) - _RECALLED, 'earlier message')}")
    transcript.recall(messages[-_RECALLED:])


def take_leave(session: Session | None, transcript: Transcript) -> None:
    """Print how to come back, if something was said."""
    if session and session.is_kept and session.history.messages:
        transcript.say([line("To come back to this: ferrule --continue", "dim")])
