"""Ferrule, a coding agent for the terminal; and its library.

    import ferrule

    print(ferrule.run("What does this project do?").text)

Each name is imported when it is first used.
"""

from ferrule.version import __version__

TYPE_CHECKING = False  # type checkers know this name; importing it would cost more than the rest of this file

if TYPE_CHECKING:
    from ferrule.core.agent import Allow, Deny, Limits
    from ferrule.core.errors import FerruleError, ProviderError, ToolError
    from ferrule.core.events import Event, PermissionAsked, RunEnded, ToolEnded, ToolStarted
    from ferrule.core.messages import Assistant, Image, Text, ToolCall, ToolResult, Usage, User, text_of
    from ferrule.core.model import Delta, Finish, Model, Request
    from ferrule.core.permission import Answer
    from ferrule.core.tool import Effect, Output, Tool, ToolContext
    from ferrule.front.library import Result, arun, open_session, run
    from ferrule.llm.script import Chaos, Recorder, Reply, Scripted, calling, load_script
    from ferrule.session.session import Session
    from ferrule.tools.function import tool

_HOMES = {
    "core.agent": ("Allow", "Deny", "Limits"),
    "core.errors": ("FerruleError", "ProviderError", "ToolError"),
    "core.events": ("Event", "PermissionAsked", "RunEnded", "ToolEnded", "ToolStarted"),
    "core.messages": ("Assistant", "Image", "Text", "ToolCall", "ToolResult", "Usage", "User", "text_of"),
    "core.model": ("Delta", "Finish", "Model", "Request"),
    "core.permission": ("Answer",),
    "core.tool": ("Effect", "Output", "Tool", "ToolContext"),
    "front.library": ("Result", "arun", "open_session", "run"),
    "llm.script": ("Chaos", "Recorder", "Reply", "Scripted", "calling", "load_script"),
    "session.session": ("Session",),
    "tools.function": ("tool",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Allow",
    "Answer",
    "Assistant",
    "Chaos",
    "Delta",
    "Deny",
    "Effect",
    "Event",
    "FerruleError",
    "Finish",
    "Image",
    "Limits",
    "Model",
    "Output",
    "PermissionAsked",
    "ProviderError",
    "Recorder",
    "Reply",
    "Request",
    "Result",
    "RunEnded",
    "Scripted",
    "Session",
    "Text",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolEnded",
    "ToolError",
    "ToolResult",
    "ToolStarted",
    "Usage",
    "User",
    "__version__",
    "arun",
    "calling",
    "load_script",
    "open_session",
    "run",
    "text_of",
    "tool",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ferrule' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"ferrule.{_HOME_OF[name]}"), name)
