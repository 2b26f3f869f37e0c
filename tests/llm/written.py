"""Answers with calls written in them, and answers that merely talk about calls."""

from typing import Any

from ferrule.core.model import ToolSpec


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
    ("I'll read the README first:\n" + JSON, "I'll read the README first:", [LS]),
    ("It looks like nothing is there. Let me check the configuration:\n" + JSON,
     "It looks like nothing is there. Let me check the configuration:", [LS]),
    ("We should look at the example file.\n\n" + JSON, "We should look at the example file.", [LS]),
    ("Let me check the syntax of main.py and the format of a.json:\n" + JSON,
     "Let me check the syntax of main.py and the format of a.json:", [LS]),
    ("To see it, I will use the bash tool.\n" + JSON, "To see it, I will use the bash tool.", [LS]),
    ("You can rely on me. I look. I list.\n" + JSON, "You can rely on me. I look. I list.", [LS]),
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
    (f"I look.\n<tool_use>{JSON[:-1]}</tool_use>", "I look.", [LS]),
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
    ("```\nTodoWrite(todos=[])\n```", "", [("todo", {"todos": []})]),
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
    f"Mistral models write calls as follows.\n\n[TOOL_CALLS][{JSON}]",
    f"The agents then write\n\n{TAGGED}".replace("write", "emit"),
    f"The request uses the OpenAI tool call format.\n```json\n{JSON}\n```",
    f"e.g.\n{JSON}",
    f"That would look so.\n\n```json\n{JSON}\n```",
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
    '<tool_call>{"name": "bash", "arguments": {}} and so on</tool_call>',
    "```json\n\n```",
    "Action: bash\nAction Input: ls",
    'Action: bash\nAction Input: ["ls"]',
    "[[]]",
    '[{"name": "bash", "arguments": {}}, 5]',
    "[TOOL_CALLS]5",
    "<tool_call>",
    "I use <tool_call> tags.",
    "[TOOL_CALLS]",
    "```json\n```",
    "```json\n",
    "```",
    "<think>\n" + TAGGED,
    f"<think>{JSON}</think>\nI am done.",
]  # fmt: skip
