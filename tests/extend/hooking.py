"""Sessions with hooks that are real programs, around a scripted model."""

import shlex
from pathlib import Path
from typing import Any, Self

import msgspec

import ferrule
from ferrule.core.events import Event, Notice, ToolEnded
from ferrule.session.session import Session


def group(command: str, *, matcher: str = "", **more: Any) -> list[dict[str, Any]]:
    """One hook as a file of the configuration would say it."""
    return [{"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}]


def saying(**answer: Any) -> str:
    """A command that answers in JSON."""
    return f"printf %s {shlex.quote(msgspec.json.encode(answer).decode())}"


def deciding(verdict: str, reason: str = "", **more: Any) -> str:
    """A command that decides about a call."""
    special = {"hookEventName": "PreToolUse", "permissionDecision": verdict, "permissionDecisionReason": reason}
    return saying(hookSpecificOutput={**special, **more})


class Watched:
    """A session, and all that it told."""

    def __init__(self, project: Path, *steps: Any, hooks: dict[str, Any], **options: Any) -> None:
        self.model = ferrule.Scripted([*steps])
        config = {**options.pop("config", {}), **{f"hooks.{name}": groups for name, groups in hooks.items()}}
        self.session: Session = ferrule.open_session(model=self.model, directory=project, config=config, **options)
        self.events: list[Event] = []
        self.session.subscribe(self.events.append)

    async def __aenter__(self) -> Self:
        await self.session.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.session.__aexit__(*error)

    @property
    def results(self) -> list[str]:
        return [event.result.text for event in self.events if isinstance(event, ToolEnded)]

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def said(self) -> list[str]:
        """What stands in the conversation, message by message."""
        return ["".join(getattr(part, "text", "") for part in one.content) for one in self.session.history.messages]


def payloads(path: Path) -> list[dict[str, Any]]:
    """What a hook that keeps its input was told, one JSON object after another."""
    text = path.read_text() if path.exists() else ""
    return [msgspec.json.decode(line) for line in text.splitlines()]


KEEP = "{ cat; echo; } >> told.jsonl"
"""A command that keeps what it is told."""
