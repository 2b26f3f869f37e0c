"""Calls that are written as text: those that are meant are found, those that are talked about are not."""

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.core.model import ToolSpec
from ferrule.llm.textcalls import Sifter, find_calls


def spec(name: str, **types: str) -> ToolSpec:
    properties = {key: {"type": kind} for key, kind in types.items()}
    return ToolSpec(name=name, description=f"The tool {name}.", schema={"type": "object", "properties": properties})


TOOLS = (
    spec("bash", command="string", timeout="integer", background="boolean"),
    spec("read", file_path="string", offset="integer", limit="integer"),
    spec("write", file_path="string", content="string"),
    spec("ls", path="string"),
    spec("todo", todos="array"),
    spec("mcp__github__search", query="string"),
)
LS: tuple[str, Any] = ("bash", {"command": "ls"})
JSON = '{"name": "bash", "arguments": {"command": "ls"}}'
TAGGED = f"<tool_call>\n{JSON}\n</tool_call>"


def found(text: str, *, taught: bool = False) -> tuple[str, list[tuple[str, Any]]]:
    prose, calls = find_calls(text, TOOLS, taught=taught)
    return prose, [(call.name, msgspec.json.decode(call.arguments)) for call in calls]


MEANT: list[tuple[str, str, list[tuple[str, Any]]]] = [
    # JSON, bare
    (JSON, "", [LS]),
    (f"\n\n{JSON}\n", "", [LS]),
    (f"Let me look.\n\n{JSON}", "Let me look.", [LS]),
    ('{"name": "Bash", "parameters": {"command": "ls"}}', "", [LS]),
    ('{"name": "bash", "input": {"command": "ls"}}', "", [LS]),
    ('{"name": "bash", "args": {"command": "ls"}}', "", [LS]),
    ('{"tool": "bash", "arguments": {"command": "ls"}}', "", [LS]),
    ('{"tool_name": "bash", "tool_input": {"command": "ls"}}', "", [LS]),
    ('{"action": "bash", "action_input": {"command": "ls"}}', "", [LS]),
    ('{"arguments": {"command": "ls"}, "name": "bash"}', "", [LS]),
    ('{"function": {"name": "bash", "arguments": {"command": "ls"}}}', "", [LS]),
    ('{"type": "function", "function": {"name": "bash", "arguments": {"command": "ls"}}}', "", [LS]),
    ('{"function": "bash", "arguments": {"command": "ls"}}', "", [LS]),
    ('{"function_call": {"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}}', "", [LS]),
    ('{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}', "", [LS]),
    (
        '{"tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}}]}',
        "",
        [LS],
    ),
    ('{"role": "assistant", "content": null, "tool_calls": [' + JSON + "]}", "", [LS]),
    (f"[{JSON}, {JSON}]", "", [LS, LS]),
    (f"{JSON}\n{JSON}", "", [LS, LS]),
    ("{'name': 'bash', 'arguments': {'command': 'ls',},}", "", [LS]),
    ('{\n  "name": "bash",\n  "arguments": {\n    "command": "ls"\n  }\n}', "", [LS]),
    ('{"name": "TodoWrite", "arguments": {"todos": []}}', "", [("todo", {"todos": []})]),
    (
        '{"name": "mcp__github__search", "arguments": {"query": "x"}}',
        "",
        [("mcp__github__search", {"query": "x"})],
    ),
    ('{"name": "bash", "arguments": {"cmd": "ls"}}', "", [("bash", {"cmd": "ls"})]),
    # JSON in a fence
    (f"```json\n{JSON}\n```", "", [LS]),
    (f"I'll list the files first:\n```json\n{JSON}\n```\n", "I'll list the files first:", [LS]),
    (f"```\n{JSON}\n```", "", [LS]),
    (f"```tool_call\n{JSON}\n```", "", [LS]),
    (f"~~~json\n{JSON}\n~~~", "", [LS]),
    (f"```json\n{JSON}", "", [LS]),
    (f"```json\n[{JSON}]\n```", "", [LS]),
    (f"```json\n{JSON}\n```\n\n```json\n{JSON}\n```", "", [LS, LS]),
    (f"```json\n{JSON}\n{JSON}\n```", "", [LS, LS]),
    # tags
    (TAGGED, "", [LS]),
    (f"<tool_call>{JSON}</tool_call>", "", [LS]),
    (f"I need to see it.\n\n{TAGGED}\n{TAGGED}", "I need to see it.", [LS, LS]),
    (f"<tool_call>\n{JSON}\n{JSON}\n</tool_call>", "", [LS, LS]),
    (f"<tool_call>\n{JSON}", "", [LS]),
    (f"<tool_call>\n{JSON[:-1]}\n</tool_call>", "", [LS]),
    (f"<function_call>{JSON}</function_call>", "", [LS]),
    (f"<tool_use>{JSON}</tool_use>", "", [LS]),
    ('<tool_call>bash(command="ls")</tool_call>', "", [LS]),
    ('<tool_call>{"name": "ls"}</tool_call>', "", [("ls", {})]),
    (f"```\n{TAGGED}\n```", "", [LS]),
    (f"{TAGGED}<|im_end|>", "", [LS]),
    (
        '<tool_call>{"name": "write", "arguments": {"file_path": "a", "content": "</tool_call>"}}</tool_call>',
        "",
        [("write", {"file_path": "a", "content": "</tool_call>"})],
    ),
    # elements
    ("<function=bash><parameter=command>ls</parameter></function>", "", [LS]),
    (
        "<function=bash>\n<parameter=command>\nls\n</parameter>\n<parameter=timeout>\n5\n</parameter>\n</function>",
        "",
        [("bash", {"command": "ls", "timeout": 5})],
    ),
    ("<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>", "", [LS]),
    ('<function=bash>{"command": "ls"}</function>', "", [LS]),
    ('<invoke name="bash"><parameter name="command">ls</parameter></invoke>', "", [LS]),
    (
        """I look.
<function_calls>
<invoke name="Bash">
<parameter name="command">ls</parameter>
<parameter name="background">true</parameter>
</invoke>
<invoke name="ls">
<parameter name="path">src</parameter>
</invoke>
</function_calls>""",
        "I look.",
        [("bash", {"command": "ls", "background": True}), ("ls", {"path": "src"})],
    ),
    (
        "<function=write><parameter=content>\n<p>5 &lt; 6</p>\n  \n</parameter></function>",
        "",
        [("write", {"content": "<p>5 &lt; 6</p>\n  "})],
    ),
    ("<function=bash><parameter=command>123</parameter></function>", "", [("bash", {"command": "123"})]),
    # marks
    (f"[TOOL_CALLS][{JSON}]", "", [LS]),
    (f"[TOOL_CALLS] [{JSON}]</s>", "", [LS]),
    ('[TOOL_CALLS]bash{"command": "ls"}', "", [LS]),
    ('[TOOL_CALLS]bash[ARGS]{"command": "ls"}[TOOL_CALLS]ls[ARGS]{"path": "."}', "", [LS, ("ls", {"path": "."})]),
    ('<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}}<|eom_id|>', "", [LS]),
    ('<|python_tag|>bash(command="ls")', "", [LS]),
    # Python-like
    ('```\nbash(command="ls")\n```', "", [LS]),
    ("```tool_code\nbash(command='ls', timeout=5, background=True)\n```", "",
     [("bash", {"command": "ls", "timeout": 5, "background": True})]),
    ('```\nbash(command="ls")\nls(path=".")\n```', "", [LS, ("ls", {"path": "."})]),
    ('Thought: I must look.\nAction: bash(command="ls")', "Thought: I must look.", [LS]),
    ('Action: bash\nAction Input: {"command": "ls"}', "", [LS]),
    (f"Action:\n```json\n{JSON}\n```", "", [LS]),
    # thoughts before it
    (f"<think>\nShould I? Perhaps so:\n{TAGGED}\n</think>\n{TAGGED}",
     f"<think>\nShould I? Perhaps so:\n{TAGGED}\n</think>", [LS]),
]  # fmt: skip

README = """\
# frobnicate

The manifest of a plugin looks as follows.

```json
{"name": "read", "version": "1.0.0", "main": "index.js"}
```
"""

TALK: list[str] = [
    "",
    "Done.",
    "Use bash to list the files.",
    # inline, quoted, listed, indented
    f"The reply was `{JSON}`, which is a call.",
    f"You would write {TAGGED} there.",
    f"`{JSON}`",
    f"> {JSON}",
    f"- {JSON}",
    f"1. {JSON}",
    f"    {JSON}",
    f'"{JSON}"',
    'Run bash(command="ls") to see them.',
    'bash(command="ls")',
    # something follows
    f"{JSON}\nThis lists the files.",
    f"```json\n{JSON}\n```\nThis lists the files.",
    f"{TAGGED}\nThat is how a call looks.",
    f"{TAGGED}\n\nThe answer is 5.",
    "<function=bash><parameter=command>ls</parameter></function>\n\nSo it is done.",
    f"{JSON}\n\n{JSON}\n\nBoth do the same.",
    f"{JSON} and so on",
    'Action: bash(command="ls")\nObservation: a.py b.py\nFinal Answer: two files',
    # announced as an example
    f"For example:\n\n```json\n{JSON}\n```",
    f"A call looks like this:\n\n{TAGGED}",
    f"The syntax of a tool call:\n{TAGGED}",
    f"The model then emits:\n\n```json\n{JSON}\n```",
    f"You can call the tool so:\n\n```json\n{JSON}\n```",
    'It would be\n```\nbash(command="ls")\n```',
    f"Here is a sample of the format:\n\n{JSON}",
    f"## Tool calls\n\n```json\n{JSON}\n```",
    f"In Hermes format, agents such as this one answer with:\n\n{TAGGED}",
    # code of another kind
    f"```python\n{JSON}\n```",
    '```python\nbash(command="ls")\n```',
    f"```xml\n{TAGGED}\n```",
    f"```jsonl\n{JSON}\n```",
    f"```markdown\n{TAGGED}\n```",
    '```js\nread({file_path: "a"})\n```',
    f"```\n{JSON}\nthen wait for the result\n```",
    f"```\n$ cat call.json\n{JSON}\n```",
    f"````\n```json\n{JSON}\n```\n````",
    "```\nread(file_path)\n```",
    '```\nread("a.py")\n```',
    '```\nresult = bash(command="ls")\n```',
    # no such tool, or not a call
    '{"name": "foo", "arguments": {"command": "ls"}}',
    '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
    '<tool_call>{"name": "foo", "arguments": {}}</tool_call>',
    "<function=foo><parameter=a>1</parameter></function>",
    '<invoke name="foo"><parameter name="a">1</parameter></invoke>',
    '```\nfoo(command="ls")\n```',
    "Action: Review the pull request.",
    "Action: read the file",
    README,
    '{"name": "bash"}',
    '{"name": "read", "version": "1.0.0"}',
    '{"name": "read", "description": "Reads", "parameters": {"type": "object", "properties": {}}}',
    '{"name": "read", "parameters": {"type": "object", "properties": {"file_path": {"type": "string"}}}}',
    '{"name": "bash", "arguments": {"command": "ls"}, "result": "a.py"}',
    '{"name": "bash", "arguments": ["ls"]}',
    '{"name": "bash", "arguments": "ls -la"}',
    '{"name": "bash", "tool": "ls", "arguments": {}}',
    '{"type": "object", "name": "bash", "arguments": {"command": "ls"}}',
    '{"role": "assistant", "content": "I look.", "tool_calls": [' + JSON + "]}",
    '{"tools": [' + JSON + "]}",
    '{"bash": {"command": "ls"}}',
    "[]",
    "{}",
    "[1, 2]",
    "[x] done\n[ ] open",
    "[a link](https://example.com)",
    # broken or uncertain
    '{"name": "bash", "arguments": {"command": "rm -rf /tmp/bu',
    '<tool_call>{"name": "bash", "arguments": {"command": "rm -rf /tmp/bu',
    '<tool_call>{"name": "bash", "arguments": {"command": "rm -rf /tmp/bu</tool_call>',
    '{"name": "bash", "arguments": {"command": "ls", "command": "rm"}}',
    "<function=bash><parameter=command>rm -rf /tmp/bu",
    "<function=bash><parameter=command>ls</parameter><parameter=command>rm</parameter></function>",
    "<function=bash><parameter=command>a</parameter>b</parameter></function>",
    "<function=bash>",
    '```\nbash(command="ls", command="rm")\n```',
    '```\nbash(command="""ls""")\n```',
    '```\nbash(command=f"ls {x}")\n```',
    "<tool_call></tool_call>",
    "<tool_call>",
    "I use <tool_call> tags.",
    "[TOOL_CALLS]",
    "```json\n```",
    "```json\n",
    "```",
    "<think>\n" + TAGGED,
    f"<think>{JSON}</think>\nI am done.",
]  # fmt: skip


@pytest.mark.parametrize(("text", "prose", "calls"), MEANT, ids=[text[:40] for text, _, _ in MEANT])
def test_a_call_that_is_meant_is_found(text: str, prose: str, calls: list[tuple[str, Any]]) -> None:
    assert found(text) == (prose, calls)


@pytest.mark.parametrize("text", TALK, ids=[text[:40] for text in TALK])
def test_talk_about_calls_stays_talk(text: str) -> None:
    assert found(text) == (text, [])


def test_there_are_enough_cases() -> None:
    assert len(MEANT) >= 40
    assert len(TALK) >= 40


@pytest.mark.parametrize("text", [*(text for text, _, _ in MEANT), *TALK], ids=lambda text: text[:40])
@pytest.mark.parametrize("taught", [False, True])
def test_however_the_answer_is_cut_the_same_is_found(text: str, *, taught: bool) -> None:
    sifter = Sifter(TOOLS, taught=taught)
    prose = "".join(map(sifter.feed, text)) + sifter.end()
    assert (prose, sifter.calls) == find_calls(text, TOOLS, taught=taught)


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
snippets = st.sampled_from(SNIPPETS)


@given(st.lists(snippets, max_size=12).map("".join), st.lists(st.integers(1, 30), min_size=1), st.booleans())
def test_whatever_comes_cutting_it_changes_nothing(text: str, sizes: list[int], taught: bool) -> None:
    sifter, at, prose = Sifter(TOOLS, taught=taught), 0, ""
    while at < len(text):
        size = sizes[at % len(sizes)]
        prose += sifter.feed(text[at : at + size])
        at += size
    prose += sifter.end()
    assert (prose, sifter.calls) == find_calls(text, TOOLS, taught=taught)
    if not sifter.calls:
        assert prose == text


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
    for text in (JSON, f"```json\n{JSON}\n```", TAGGED):
        sifter = Sifter(TOOLS)
        assert (sifter.feed(text) + sifter.end(cut=True), sifter.calls) == (text, [])


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
