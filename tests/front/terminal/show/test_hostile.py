"""Whatever models and tools say, nothing but colours reaches the terminal."""

import random
import re

import pytest

from ferrule.core.events import Notice, PermissionAsked, Retrying, RunEnded
from ferrule.core.messages import Text, ToolCall, ToolResult
from ferrule.core.tool import Effect
from ferrule.front.terminal.show.ansi import ansi
from ferrule.front.terminal.show.calls import call_ended, call_running, call_started
from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Line
from ferrule.front.terminal.show.markdown import Markdown
from ferrule.front.terminal.show.notices import notice, prompted, retrying, run_ended, thinking
from ferrule.front.terminal.show.question import question
from ferrule.front.terminal.show.status import Status, queue, spinner, status_line, welcome

POISON = [
    *("\x1b[2J", "\x1b[H", "\x1b[31m", "\x1b[?1049h", "\x1b[", "m", "\x1b", "\x1bc", "\x1b(0", "\x9b5A"),
    *("\x1b]0;title\x07", "\x1b]52;c;aGk=\x1b\\", "\x1b]8;;http://x\x07", "\x1bP1$r\x1b\\", "\x9d0;x\x9c"),
    *("\r", "\b\b\b", "\x07", "\x0b", "\x0c", "\x7f", "\t", "\n", "\x00", "\u0085"),
    *("\u202e", "\u2066", "\u200f", "\u2028", "\u200b", "\U000e0041", "\ud83d"),
]
WORDS = [
    *("rm", " ", "漢字", "e\u0301", "**", "`", "- ", "> ", "|", "|-|\n", "```py\n", "+x", "1\t"),
    "--- a\n+++ a\n@@ -1 +1 @@\n",
]
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\U000e0000-\U000e0fff]"
)


def outputs() -> list[str]:
    chance = random.Random(5)
    return ["".join(chance.choices(POISON + WORDS, k=chance.randint(3, 60))) for _ in range(200)]


def everything(text: str, names: list[str], width: int) -> list[Line]:
    markdown = Markdown(width)
    lines = [*markdown.feed(text), *markdown.tail(), *markdown.end()]
    todos = [{"content": text, "status": text}]
    inputs = {"file_path": text, "command": text, "content": text, "question": text, "todos": todos, text: text}
    for name in names:
        call = ToolCall(id="1", name=name, input=inputs)
        lines += [*call_started(call, width=width), *call_running(call, text, seconds=1, width=width)]
        for is_error in (False, True):
            result = ToolResult(call_id="1", tool=name, content=(Text(text),), is_error=is_error)
            lines += call_ended(call, result, 1, width=width, preview=text, whole=is_error)
        effects = (Effect("write", text),)
        lines += question(
            PermissionAsked(id="1", call=call, effects=effects, reason=text, parts=(text,), always=(text,)), width=width
        )
        lines += question(PermissionAsked(id="1", call=call, preview=f"---{text}"), width=width)
    lines += [*notice(Notice(text=text), width=width), *thinking(text, width=width), *prompted(text, width=width)]
    lines += retrying(Retrying(attempt=1, delay=1, reason=text), 1, width=width)
    lines += run_ended(RunEnded(reason="error", turns=1, error=text), 1, width=width)
    status = Status(model=text, mode=text, sandbox=text, branch=text)
    lines += [status_line(status, width=width), spinner(text, 1, width=width), *queue([text], width=width)]
    return [*lines, *welcome(version="1", directory=text, status=status, width=width)]


@pytest.mark.slow
def test_nothing_but_colours_reaches_the_terminal() -> None:
    for number, text in enumerate(outputs()):
        names = [["read", "grep", "edit", "write", "bash", "todo", "ask_user"][number % 7], text]
        width = [20, 40, 80, 200][number % 4]
        lines = everything(text, names, width)
        written = ansi(lines, colour=True, width=width)
        assert FORBIDDEN.findall(re.sub(r"\x1b\[[\d;]*m", "", written)) == []
        assert written.count("\n") == len(lines)
        assert max(map(columns_of, lines)) <= width
