"""The rows of questions: orders, calls of tools in each mode, changes in each form, questions about a file."""

import ast
import re
from collections.abc import Sequence
from typing import Any

from ferrule.core.errors import UsageError
from ferrule.core.messages import Assistant, Text, said
from ferrule.core.model import Model, Request, ToolSpec
from ferrule.llm.connect import Connection
from ferrule.llm.modes import WRITES_CALLS, Mending, ToolMode, in_mode
from ferrule.probe.asking import Answer
from ferrule.probe.cases import Asked, Change, Task, Told, Wanted, cases
from ferrule.probe.series import Question, Row
from ferrule.small.code.blocks import blocks_of
from ferrule.small.code.merge import merged
from ferrule.small.code.splice import UnusableError
from ferrule.small.profile import EditFormat
from ferrule.small.prompts import ANSWER, BEGUN, CHANGE, HOW, NOT_YET, PART, REWRITE, language_of, shown_file
from ferrule.small.words.reply import joined, read_reply
from ferrule.tools.builtin import builtin

ORDERS, QUESTIONS = "follows orders", "questions"
CALLS: dict[ToolMode, str] = {"native": "native calls", "schema": "calls by schema", "text": "written calls"}
EDITS: dict[EditFormat, str] = {"file": "whole file", "function": "whole function", "replace": "search and replace"}
_LONGEST_CALL = 600
"""Characters; none of the tasks needs as many."""
NEEDED_CALLS, NEEDED_BOUND_CALLS, NEEDED_EDITS = 0.8, 0.7, 0.6
"""The part that must be right: of native calls, of calls in the other modes, of changes."""

REPLACE = """\
Write the change as one block, exactly so:

<<<<<<< SEARCH
    return "Hello"
=======
    return "Hello!"
>>>>>>> REPLACE

The lines below SEARCH are copied from the file as they are, and those below ======= take their place. Change only \
what the request needs."""
_WORKS = "You are Ferrule, a coding agent. Carry out the request with the tools."
_TOOLS = frozenset({"read", "write", "edit", "bash", "glob", "grep"})
_BLOCK = re.compile(r"^<{5,9} ?SEARCH\s*?\n(.*?)^={5,9}\s*?\n(.*?)^>{5,9} ?REPLACE", re.MULTILINE | re.DOTALL)


def tools() -> tuple[ToolSpec, ...]:
    """The tools that most work is done with, exactly as a session gives them."""
    return tuple(tool.spec for tool in builtin() if tool.spec.name in _TOOLS)


def orders(model: Model, most: int | None = None) -> Row:
    """Whether it does as it is told."""
    return Row(probe=ORDERS, model=model, questions=[_order(one) for one in cases().orders[:most]], most=300)


def questions(model: Model, most: int | None = None) -> Row:
    """Whether it finds the answer in a file that it is shown."""
    return Row(probe=QUESTIONS, model=model, questions=[_about(one) for one in cases().questions[:most]], most=800)


def calls(connection: Connection, mode: ToolMode, most: int | None = None) -> Row:
    """Whether its first call for a small request is the right one.

    Raises:
        UsageError: the model cannot be held to a schema.
    """
    asked = [_task(one) for one in cases().tasks[:most]]
    model, moved = connection.model, list[str]()
    if mode == "native":
        mending = Mending(model, on_change=lambda _mode, why: moved.append(why))
        return Row(
            probe=CALLS[mode],
            model=mending,
            questions=asked,
            needed=NEEDED_CALLS,
            most=_LONGEST_CALL,
            ended=lambda: _moved(model, moved),
        )
    if mode == "schema" and connection.constrain is None:
        raise UsageError("its server offers no way to hold it to a schema")
    wrapped = in_mode(model, mode, constrain=connection.constrain)
    return Row(probe=CALLS[mode], model=wrapped, questions=asked, needed=NEEDED_BOUND_CALLS, most=_LONGEST_CALL)


def _moved(model: Model, why: Sequence[str]) -> str:
    """Why a session would no longer give it tools natively, if it would not."""
    if not why:
        return ""
    return "it writes them as text" if why[0] == WRITES_CALLS.format(name=model.name) else "its server takes no tools"


def edits(model: Model, form: EditFormat, most: int | None = None) -> Row:
    """Whether a small change is right, if it is written in this form."""
    asked = [_change(one, form) for one in cases().changes[:most]]
    return Row(probe=EDITS[form], model=model, questions=asked, needed=NEEDED_EDITS)


def ask_plainly(system: str, text: str, *, given: Sequence[ToolSpec] = (), begun: str = "") -> Request:
    """A request of one message; `begun` is how its answer begins."""
    answer = (Assistant(content=(Text(begun),), model="", stop="end_turn"),) if begun else ()
    return Request(system=system, tools=tuple(given), messages=(said(text), *answer))


def said_in_answer(system: str, text: str, right: str) -> Question:
    """A question whose answer has to hold something."""
    pattern = re.compile(right)
    return Question(request=ask_plainly(system, text), is_right=lambda answer: bool(pattern.search(answer.text)))


def _order(case: Told) -> Question:
    right = re.compile(case.right)
    request = ask_plainly("You are a helpful assistant.", case.order)
    return Question(request=request, is_right=lambda answer: bool(right.fullmatch(answer.text.strip())))


def _about(case: Asked) -> Question:
    return said_in_answer(ANSWER, f"{shown_file(case.path, case.text)}\n\nQuestion: {case.question}", case.right)


def _task(case: Task) -> Question:
    request = ask_plainly(_WORKS, case.request, given=tools())
    return Question(request=request, is_right=lambda answer: _calls_right(answer, case.calls))


def _calls_right(answer: Answer, wanted: Sequence[Wanted]) -> bool:
    if not answer.calls:
        return False
    first = answer.calls[0]
    return any(
        first.name == one.tool and all(_fits(first.input.get(key), right) for key, right in one.arguments.items())
        for one in wanted
    )


def _fits(value: Any, right: str) -> bool:
    return value is not None and bool(re.fullmatch(right, str(value).strip(), re.DOTALL))


def _change(case: Change, form: EditFormat) -> Question:
    """The request for a change as a session puts it to a model that is led; its answer is begun for it."""
    own = [one for one in blocks_of(case.path, case.before) if one.name and one.name in case.request]
    shown = shown_file(case.path, case.before, own if form == "function" else None).partition("\n")[2]
    frame, how = (PART, HOW) if form == "function" else (REWRITE, REPLACE if form == "replace" else HOW)
    parts = [frame.format(path=case.path, shown=shown), NOT_YET.format(request=case.request), how]
    begun = "" if form == "replace" else BEGUN.format(path=case.path, language=language_of(case.path))
    accepted = {_meaning(one) for one in case.after}

    def is_right(answer: Answer) -> bool:
        text = joined(begun, answer.text)
        made = _replaced(case, text) if form == "replace" else _written(case, text)
        return _meaning(made) in accepted

    return Question(request=ask_plainly(CHANGE, "\n\n".join(parts), begun=begun), is_right=is_right)


def _written(case: Change, text: str) -> str:
    """The file with what the model wrote in place, as a session would put it there; else nothing."""
    made = case.before
    try:
        for one in read_reply(text).written:
            if not one.is_shell and one.path in {"", case.path}:
                made = merged(case.path, made, one.text)
    except UnusableError:
        return ""
    return made


def _replaced(case: Change, text: str) -> str:
    made = case.before
    for old, new in _BLOCK.findall(text):
        if made.count(old) != 1:
            return ""
        made = made.replace(old, new)
    return made


def _meaning(text: str) -> str:
    """A Python file without its comments, docstrings and layout; nothing where it is none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1 and _is_docstring(body[0]):
            del body[0]
    return ast.dump(tree)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
