"""Slash commands at a terminal: what the terminal gives to them, and what becomes of what they say."""

from collections.abc import Awaitable, Callable

from ferrule.assemble import Options
from ferrule.commands.desk import Desk, Ready, Reply
from ferrule.commands.table import BY_NAME, complete, dispatch
from ferrule.front.export.html import to_html
from ferrule.front.export.markdown import to_markdown
from ferrule.front.export.plain import to_json
from ferrule.front.terminal.complete import Candidate
from ferrule.front.terminal.talk import Talk
from ferrule.session.session import Session

EXPORTS = {"md": to_markdown, "json": to_json, "html": to_html}


class Slash:
    """The commands, for the session that is open."""

    def __init__(
        self,
        talk: Talk,
        options: Options,
        *,
        open: Callable[[Options, Ready], Awaitable[Session]],
        quit: Callable[[], None],
        clear: Callable[[], None] = lambda: None,
    ) -> None:
        self._talk, self._options = talk, options
        self._open, self._quit, self._clear = open, quit, clear

    async def run(self, line: str) -> Reply:
        """Carry a command out: print what it says, and do what it asks for."""
        session, transcript = self._talk.session, self._talk.transcript
        if session is None:
            return Reply(text="There is no session yet.", is_error=True)
        transcript.echo(line)
        reply = await self._reply(session, line)
        if reply.is_error:
            transcript.complain(reply.text)
        elif reply.text:
            transcript.markdown(reply.text)
        if reply.prompt:
            self._talk.say(reply.prompt)
        return reply

    async def _reply(self, session: Session, line: str) -> Reply:
        """What a command says; of those that need the session to themselves there is one at a time."""
        name = line.split(maxsplit=1)[0].lower()
        command = BY_NAME.get(name.removeprefix("/"))
        work = dispatch(self._desk(session), line)
        if command is None or not command.idle or session.is_running:
            return await work or Reply(prompt=line)
        if self._talk.command:
            work.close()
            return Reply(text=f"{name} has to wait until {self._talk.command} is done; Esc stops it.", is_error=True)
        return await self._talk.attend(name, work) or Reply(text=f"{name} was interrupted.", is_error=True)

    @staticmethod
    def takes_no_words(line: str) -> bool:
        """Whether a line is a command of ours that is complete as it stands."""
        command = BY_NAME.get(line.strip().removeprefix("/"))
        return line.startswith("/") and command is not None and not command.usage

    def complete(self, line: str) -> list[Candidate]:
        """What a line that begins with `/` could go on with."""
        session = self._talk.session
        if session is None:
            return []
        return [Candidate(one.text, one.note) for one in complete(self._desk(session), line)]

    def _desk(self, session: Session) -> Desk:
        return Desk(
            session=session,
            options=self._options,
            open=self._open,
            quit=self._quit,
            clear=self._clear,
            rename=session.rename,
            exports=EXPORTS,
            window=session.window,
        )
