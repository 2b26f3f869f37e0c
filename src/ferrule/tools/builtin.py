"""The tools that Ferrule comes with."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ferrule.core.messages import Message
from ferrule.tools.ask_user import AskUser, Question
from ferrule.tools.bash import Bash
from ferrule.tools.edit import Edit
from ferrule.tools.glob import Glob
from ferrule.tools.grep import Grep
from ferrule.tools.ls import Ls
from ferrule.tools.read import Read
from ferrule.tools.recall import Recall
from ferrule.tools.schema import TypedTool
from ferrule.tools.todo import Todo
from ferrule.tools.write import Write


def builtin(
    *,
    images: bool = False,
    ask_user: Callable[[Question], Awaitable[str | None]] | None = None,
    messages: Callable[[], Sequence[Message]] = tuple,
) -> list[TypedTool[Any]]:
    """All of them, in the order in which the model is told of them."""
    return [
        Read(images=images),
        Write(),
        Edit(),
        Bash(),
        Glob(),
        Grep(),
        Ls(),
        Todo(),
        AskUser(ask_user),
        Recall(messages),
    ]
