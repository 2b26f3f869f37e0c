"""A project and a home of its own, with real sessions around scripted models, and the desk of a front."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ferrule.assemble import Options, assemble
from ferrule.commands.desk import Desk, Ready, Reply
from ferrule.commands.table import dispatch
from ferrule.front.export.markdown import to_markdown
from ferrule.front.export.plain import to_json
from ferrule.llm.script import Scripted, Step
from ferrule.session.session import Session
from ferrule.session.store import Store
from tests.support import know_the_sandbox

EXPORTS = {"md": to_markdown, "json": to_json}


class Front:
    """Holds one session after another, as a front does."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.did: list[str] = []
        self.window = 0
        self.session: Session
        self.options: Options

    async def begin(self, steps: Iterable[Step] = (), **more: Any) -> Session:
        options = {"directory": self.project, "model": Scripted(steps), "overrides": {"safety.mode": "auto-edit"}}
        return await self.open(Options(**{**options, **more}))

    async def open(self, options: Options, ready: Ready = lambda _session: None) -> Session:
        session = assemble(options)
        await self.close()
        ready(session)
        self.session, self.options = session, msgspec.structs.replace(options, resume=None)
        return session

    async def close(self) -> None:
        if hasattr(self, "session"):
            await self.session.close()

    @property
    def desk(self) -> Desk:
        return Desk(
            session=self.session,
            options=self.options,
            open=self.open,
            quit=lambda: self.did.append("quit"),
            clear=lambda: self.did.append("clear"),
            rename=self._rename,
            exports=EXPORTS,
            window=self.window,
        )

    async def say(self, line: str) -> Reply:
        """What a command replies, which must not refuse."""
        reply = await dispatch(self.desk, line)
        assert reply is not None
        assert not reply.is_error, reply.text
        return reply

    async def refused(self, line: str) -> str:
        """Why a command refuses."""
        reply = await dispatch(self.desk, line)
        assert reply is not None
        assert reply.is_error, reply.text
        return reply.text

    def _rename(self, name: str) -> str:
        log = self.session._log.__self__  # type: ignore[attr-defined]
        return Store(log.path.parent.parent).rename(log, name)


@pytest.fixture
async def front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Front]:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FERRULE_OFFLINE", "1")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    know_the_sandbox(tmp_path / "home/.local/state/ferrule")
    front = Front(tmp_path / "project")
    yield front
    await front.close()
