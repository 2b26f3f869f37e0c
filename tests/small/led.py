"""A session with a small model that is led, and what came of it."""

from pathlib import Path
from typing import Any

import ferrule
from ferrule.core.messages import Assistant
from ferrule.session.session import Session
from tests.server import ModelServer, Reply

FENCE = "```"
CALC = "def double(number):\n    return number + number\n\n\ndef triple(number):\n    return number * 2\n"
CALC_TEST = (
    "import unittest\n\nfrom calc import triple\n\n\nclass TestTriple(unittest.TestCase):\n"
    "    def test_triple(self):\n        self.assertEqual(triple(3), 9)\n"
)
MENDED = "def triple(number):\n    return number * 3\n"


def block(text: str, path: str = "calc.py") -> str:
    return f"This has to change.\n\n{path}\n{FENCE}python\n{text}{FENCE}\n"


def opened(project: Path, server: ModelServer, *replies: Any, **more: Any) -> Session:
    """A session with a led model that gives these replies."""
    server.script += [Reply(text=one) if isinstance(one, str) else one for one in replies]
    config = {
        "llm.endpoint": f"{server.url}/v1",
        "llm.tool_mode": "guided",
        "agent.retry_backoff_base_ms": 1,
        **more.pop("config", {}),
    }
    options = {"mode": "yolo", "provider": "openai-compatible", "model": "tiny", "save": False, **more}
    return ferrule.open_session(directory=project, config=config, **options)


def calls(session: Session) -> list[tuple[str, Any]]:
    """The calls that were made, each with what it is about."""
    made = [call for message in session.history.messages if isinstance(message, Assistant) for call in message.calls]
    about = {"glob": "pattern", "grep": "pattern", "read": "file_path", "write": "file_path", "edit": "file_path"}
    return [(call.name, call.input[about.get(call.name, "command")]) for call in made]


def answer(session: Session) -> str:
    return ferrule.text_of(session.history.messages[-1].content)


def asked(server: ModelServer, number: int = -1) -> str:
    """All that the model was shown with a request."""
    return "\n".join(str(message["content"]) for message in server.requests[number].body["messages"])
