"""`ferrule permissions`: explain, replay, learn."""

import json
from typing import Any

from tests.cli.conftest import CommandLine


def call(tool: str, **input: Any) -> dict[str, Any]:
    return {"calls": [{"name": tool, "input": input}]}


def test_explain_says_what_and_why(ferrule: CommandLine) -> None:
    ended = ferrule("permissions", "explain", "git status && npm install left-pad")
    assert ended.code == 0
    first, *rest = ended.out.splitlines()
    assert first.startswith("ask: ")
    assert "network" in first
    assert "  runs: git status" in rest
    assert "  runs: npm install left-pad" in rest
    assert ferrule("permissions", "explain", "ls -la").out.startswith("allow: it only reads\n")
    assert ferrule("permissions", "explain", "rm -rf /").out.startswith("deny: ")


def test_lines_of_json_in_and_out(ferrule: CommandLine) -> None:
    lines: list[Any] = [
        "git status",
        "rm -rf ~",
        "make",
        {"tool": "read", "input": {"file_path": "a.txt"}},
        {"name": "Write", "input": {"file_path": "a.txt", "content": "x"}},
        {"tool_name": "Bash", "tool_input": {"command": "cat ~/.ssh/id_rsa"}},
        {"tool": "edit", "input": {"file_path": ".git/hooks/pre-commit", "old_string": "a", "new_string": "b"}},
        {"tool": "edit", "input": {}},
        7,
    ]
    stdin = "".join(json.dumps(line) + "\n" for line in lines) + "no json\n"
    ended = ferrule("permissions", "explain", "--jsonl", stdin=stdin.encode())
    assert ended.code == 0
    answers = ended.messages
    assert [answer["decision"] for answer in answers] == [
        "allow",
        "deny",
        "ask",
        "allow",
        "ask",
        "deny",
        "deny",
        "deny",
        "deny",
        "deny",
    ]
    assert [answer["readonly"] for answer in answers[:4]] == [True, False, False, True]
    assert set(answers[0]) == {"decision", "reason", "rule", "readonly", "parts", "always"}


def test_modes_and_rules_are_obeyed(ferrule: CommandLine) -> None:
    def decision(*options: str) -> str:
        return str(json.loads(ferrule("permissions", "explain", "--json", *options, "make").out)["decision"])

    assert [decision("--mode", mode) for mode in ("plan", "normal", "auto-edit", "auto", "yolo")] == [
        "deny",
        "ask",
        "ask",
        "allow",
        "allow",
    ]
    (ferrule.project / ".ferrule.json").write_text('{"safety": {"deny": ["bash(make *)"]}}')
    assert decision("--mode", "yolo") == "deny"


def test_replay_and_learn_from_what_was_saved(ferrule: CommandLine) -> None:
    steps = [call("bash", command=f"touch file{number}") for number in range(3)]
    steps += [call("write", file_path="src/a.txt", content="x"), call("bash", command="ls")]
    assert ferrule(*ferrule.script(*steps, "Done."), "--mode", "auto", "-p", "go").code == 0
    ended = ferrule("permissions", "replay", "--json")
    now = json.loads(ended.out)["now"]
    assert (now["allow"], now["ask"], now.get("deny", 0)) == (1, 4, 0)
    ended = ferrule("permissions", "replay", "bash(touch *)", "--json")
    assert json.loads(ended.out)["then"]["ask"] == 1
    assert "4 ask" in ferrule("permissions", "replay").out
    learned = json.loads(ferrule("permissions", "learn", "--json", "--least", "1").out)
    rules = ",".join(one["rule"] for one in learned)
    assert json.loads(ferrule("permissions", "replay", rules, "--json").out)["then"]["ask"] == 0
    (ferrule.project / "rules.json").write_text('{"safety": {"deny": ["bash(touch *)"]}} // none of it')
    assert json.loads(ferrule("permissions", "replay", "rules.json", "--json").out)["then"]["deny"] == 3


def test_there_is_nothing_to_explain(ferrule: CommandLine) -> None:
    assert ferrule("permissions", "explain").code == 2
    assert ferrule("permissions").code == 2
