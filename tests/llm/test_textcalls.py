"""Calls that are written as text: those that are meant are found, those that are talked about are not."""

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.llm.textcalls import Sifter, find_calls
from tests.llm.written import DEEPSEEK, HARMONY, JSON, KIMI, LS, MEANT, PAIRED, STARTED, TAGGED, TALK, TOOLS


def found(text: str, *, taught: bool = False) -> tuple[str, list[tuple[str, Any]]]:
    prose, calls = find_calls(text, TOOLS, taught=taught)
    return prose, [(call.name, msgspec.json.decode(call.arguments)) for call in calls]


@pytest.mark.parametrize(("text", "prose", "calls"), MEANT, ids=[text[:40] for text, _, _ in MEANT])
def test_a_call_that_is_meant_is_found(text: str, prose: str, calls: list[tuple[str, Any]]) -> None:
    assert found(text) == (prose, calls)


@pytest.mark.parametrize("text", TALK, ids=[text[:40] for text in TALK])
def test_talk_about_calls_stays_talk(text: str) -> None:
    assert found(text) == (text, [])


def test_there_are_enough_cases() -> None:
    assert len(MEANT) >= 40
    assert len(TALK) >= 40


@pytest.mark.parametrize(
    "before",
    ["", "For example:\n\n", *(pytest.param(one, marks=pytest.mark.slow) for one in ("# Heading\n", "  ", "- "))],
)
@pytest.mark.parametrize("taught", [False, True])
def test_letter_by_letter_the_same_is_found(before: str, *, taught: bool) -> None:
    for text in [*(text for text, _, _ in MEANT), *TALK]:
        sifter = Sifter(TOOLS, taught=taught)
        prose = "".join(map(sifter.feed, before + text)) + sifter.end()
        assert (prose, sifter.calls) == find_calls(before + text, TOOLS, taught=taught)


SNIPPETS = [
    "```",
    "```json",
    "~~~",
    "\n",
    "\n\n",
    " ",
    "x",
    "`",
    "{",
    "}",
    "[",
    "]",
    ",",
    "bash(",
    'command="ls")',
    "Action: ",
]
SNIPPETS += [JSON, TAGGED, "<tool_call>", "</tool_call>", "<think>", "</think>", "<|im_end|>", "</s>", "For example:"]
SNIPPETS += ['"name": "bash"', "<function=bash>", "<parameter=command>ls</parameter>", "</function>", "[TOOL_CALLS]"]
SNIPPETS += ['<invoke name="bash">', "</invoke>", "<function_calls>", "</function_calls>", "Action Input: ", "bash"]
SNIPPETS += ["[bash(", 'file_path="a"', ")", "<|tool_call_start|>", "<|tool_call_end|>", "<|call|>", DEEPSEEK, KIMI]
SNIPPETS += ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<|tool_calls_section_begin|>", HARMONY, STARTED, PAIRED]
SNIPPETS += ["<tool_call>bash\n", "<arg_key>command</arg_key>", "<arg_value>ls</arg_value>", "<|start|>assistant"]
snippets = st.sampled_from(SNIPPETS)


samples = st.sampled_from([*(text for text, _, _ in MEANT), *TALK])
halves = st.tuples(samples, st.integers(0, 100)).map(lambda half: half[0][: half[1]])
answers = st.lists(snippets | snippets | samples | halves, max_size=10).map("".join)
sizes = st.lists(st.integers(1, 30), min_size=1)


def check_that_cutting_changes_nothing(text: str, sizes: list[int], *, taught: bool) -> None:
    sifter, at, prose = Sifter(TOOLS, taught=taught), 0, ""
    while at < len(text):
        size = sizes[at % len(sizes)]
        prose += sifter.feed(text[at : at + size])
        at += size
    prose += sifter.end()
    assert (prose, sifter.calls) == find_calls(text, TOOLS, taught=taught)
    if not sifter.calls:
        assert prose == text


@settings(deadline=None)
@given(answers, sizes, st.booleans())
def test_whatever_comes_cutting_it_changes_nothing(text: str, sizes: list[int], taught: bool) -> None:
    check_that_cutting_changes_nothing(text, sizes, taught=taught)


@pytest.mark.slow
@settings(max_examples=8_000, deadline=None)
@given(answers, sizes, st.booleans())
def test_much_cutting_changes_nothing(text: str, sizes: list[int], taught: bool) -> None:
    check_that_cutting_changes_nothing(text, sizes, taught=taught)


# while it streams


def shown_at_once(text: str) -> str:
    return Sifter(TOOLS).feed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Some words",
        "A line.\nAnd half of ano",
        "Look at <div> and {x}",
        "```python\nx = 1\ny",
        '{"version": 1',
        "[link](x",
        '```json\n{\n  "version"',
        "Action: rev",
        "For example:\n" + JSON,
        "<html>",
        "Read the file",
        "read(2) is a call",
        "bash(x) runs",
        "[bash] is",
        'bash(command="ls" or',
        "<|channel|>final<|message|>",
        '{"type": "object", "name": 5}',
    ],
)  # fmt: skip
def test_what_cannot_become_a_call_is_shown_at_once(text: str) -> None:
    shown = shown_at_once(text + " ")
    assert text.startswith(shown.rstrip())
    assert len(shown) >= len(text.rpartition("\n")[0])
    assert shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Let me look.\n\n<tool", "Let me look."),
        ("Let me look.\n{", "Let me look."),
        ('Let me look.\n{"na', "Let me look."),
        ("Let me look.\n``", "Let me look."),
        ("Let me look.\n```json\n", "Let me look."),
        (f"Let me look.\n{JSON}\n", "Let me look."),
        ("Let me look.\nAct", "Let me look."),
        ("Let me look.\nba", "Let me look."),
        ("Let me look.\nbash(comm", "Let me look."),
        ('Let me look.\n[bash(command="', "Let me look."),
        ("Let me look.\n<｜tool▁ca", "Let me look."),
        ("Let me look.\n<|tool_calls_sec", "Let me look."),
        ("Let me look.\n<|channel|>comm", "Let me look."),
        ("Let me look.\n<|tool_call_st", "Let me look."),
        ("Let me look.\n<tool_call>bash\n<arg_", "Let me look."),
    ],
)
def test_what_may_become_a_call_is_held_back(text: str, shown: str) -> None:
    assert shown_at_once(text) == shown


def test_what_turns_out_to_be_talk_is_shown_as_soon_as_that_is_seen() -> None:
    sifter = Sifter(TOOLS)
    assert sifter.feed(f"{JSON}\n") == ""
    assert sifter.feed("is what I sent. " + "x" * 100) == f"{JSON}\nis what I sent. " + "x" * 100
    assert (sifter.end(), sifter.calls) == ("", [])


def test_an_answer_that_was_cut_asks_for_nothing() -> None:
    for text in (JSON, f"```json\n{JSON}\n```", TAGGED, PAIRED, KIMI, 'bash(command="ls")'):
        sifter = Sifter(TOOLS)
        assert (sifter.feed(text) + sifter.end(cut=True), sifter.calls) == (text, [])


def test_where_only_marked_calls_count_json_and_code_are_prose() -> None:
    for text, prose, _ in MEANT:
        sifter = Sifter(TOOLS, marked_only=True)
        shown = "".join(map(sifter.feed, text)) + sifter.end()
        is_marked = text.removeprefix(prose).lstrip()[:3] in {
            "<to",
            "<fu",
            "<in",
            "[TO",
            "<|p",
            "<|t",
            "<|c",
            "<|s",
            "<｜t",
        }
        assert (shown, sifter.calls) == (find_calls(text, TOOLS) if is_marked else (text, []))


# the spelling that the model was taught


def test_a_taught_call_counts_wherever_it_begins_a_line() -> None:
    text = f"For example:\n{TAGGED}\nI wait.\n\n{TAGGED}\nAnd more."
    assert found(text, taught=True) == ("For example:\nI wait.\nAnd more.", [LS, LS])


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{TAGGED}\n```\n",
        f"Write {TAGGED} there.",
        f"<think>\n{TAGGED}\n</think>\nNo.",
        "<tool_call>\nI do not know.\n</tool_call>",
    ],
)
def test_a_taught_call_in_code_or_in_the_midst_of_a_line_is_talk(text: str) -> None:
    assert found(text, taught=True) == (text, [])


@pytest.mark.parametrize(
    ("body", "name", "arguments"),
    [
        ('{"name": "grepp", "arguments": {"a": 1}}', "grepp", '{"a": 1}'),
        ('{"name": "bash", "arguments": {"command": "echo "hi""}}', "bash", '{"command": "echo "hi""}}'),
        ('{"name": "Bash", "arguments": {"command": "rm -rf /tmp/bu', "bash", '{"command": "rm -rf /tmp/bu'),
        ('{"name": "bash", "arguments": {"a": 1, "a": 2}}', "bash", '{"a": 1, "a": 2}}'),
        ("<function=bash><parameter=command>ls", "bash", "<function=bash><parameter=command>ls"),
    ],
)
@pytest.mark.parametrize("closing", ["\n</tool_call>", ""])
def test_a_taught_call_that_is_wrong_is_still_a_call(body: str, name: str, arguments: str, closing: str) -> None:
    prose, (call,) = find_calls(f"I try.\n<tool_call>\n{body}{closing}", TOOLS, taught=True)
    assert (prose, call.name, call.arguments) == ("I try.", name, arguments)


def test_a_taught_call_that_was_cut_keeps_what_came() -> None:
    for body in (JSON, JSON[:-1], JSON[:-3]):
        sifter = Sifter(TOOLS, taught=True)
        sifter.feed(f"<tool_call>\n{body}")
        assert sifter.end(cut=True) == ""
        (call,) = sifter.calls
        assert call.name == "bash"
        assert call.arguments == body.partition('"arguments": ')[2]


def test_other_spellings_are_understood_from_a_taught_model_too() -> None:
    assert found(f"I look.\n```json\n{JSON}\n```", taught=True) == ("I look.", [LS])


# cost


def cpu_seconds(text: str, size: int, *, taught: bool) -> float:
    sifter = Sifter(TOOLS, taught=taught)
    began = time.process_time()
    for at in range(0, len(text), size):
        sifter.feed(text[at : at + size])
    sifter.end()
    return time.process_time() - began


PATHOLOGICAL = [
    "{\n",
    "[\n",
    "```\n",
    "```json\n{\n",
    "<tool_call>\n",
    "<tool_call>",
    '{"name": "\n',
    '{"name":\n',
    "\n",
    " ",
]
PATHOLOGICAL += ["Action: bash\n", "Action: Action: ", "<function=bash>\n", "~~~\n```\n", "[TOOL_CALLS]\n", "<think>\n"]
PATHOLOGICAL += ['<invoke name="bash">\n', "bash(\n", "<|", "<", "`", "<function=", "</tool_call>\n", f"{JSON}\nx\n"]
PATHOLOGICAL += [f"{JSON}\n", '<tool_call>\n{"name": "bash"\n</tool_call>\n', '{"name": "bash", "arguments": {\n']
PATHOLOGICAL += [
    'bash(command="ls")\n',
    'bash(command="ls"\n',
    "bash(command=",
    '[bash(command="ls"), ',
    "[bash(command=\n",
]
PATHOLOGICAL += [
    "<｜tool▁calls▁begin｜>",
    f"{DEEPSEEK}\n",
    f"{KIMI}\n",
    f"{HARMONY}<|call|>\n",
    f"{STARTED}\nx\n",
    "b\n",
]
PATHOLOGICAL += [
    "<|channel|>commentary to=\n",
    "<tool_call>bash\n<arg_key>a</arg_key><arg_value>",
    "<|tool_call_start|>[",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PATHOLOGICAL, ids=lambda piece: piece[:40])
def test_no_answer_takes_long(piece: str) -> None:
    text = (piece * 10_000)[:10_000]
    for taught in (False, True):
        for size in (7, 10_000):
            assert cpu_seconds(text, size, taught=taught) < 2


def test_a_long_call_in_small_pieces_takes_time_in_proportion() -> None:
    call = {"name": "write", "arguments": {"file_path": "a", "content": "x <b>y</b>\n" * 30_000}}
    text = f"<tool_call>\n{msgspec.json.encode(call).decode()}\n</tool_call>"
    for taught in (False, True):
        assert found(text, taught=taught) == ("", [("write", call["arguments"])])
        assert cpu_seconds(text, 5, taught=taught) < 3
