"""Models for the probe: one that can do everything, one that only writes, one that repeats what it hears."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ferrule.probe.cases import Change, cases
from tests.server import Call, Received, Reply, failure

Player = Callable[[Received], Reply]

CALLS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "src/app.py": ("read", {"file_path": "src/app.py"}),
    "hello.txt": ("write", {"file_path": "hello.txt", "content": "Hello, world!\n"}),
    "git status": ("bash", {"command": "git status"}),
    "Which Python files": ("glob", {"pattern": "**/*.py"}),
    "TIMEOUT": ("grep", {"pattern": "TIMEOUT"}),
    "config.ini": ("edit", {"file_path": "config.ini", "old_string": "debug = true", "new_string": "debug = false"}),
    "first 20 lines": ("read", {"file_path": "docs/guide.md", "limit": 20}),
    "pytest": ("bash", {"command": "python3 -m pytest"}),
    "parse_date": ("grep", {"pattern": "def parse_date"}),
    "Markdown": ("glob", {"pattern": "docs/**/*.md"}),
}
WORDS: Mapping[str, str] = {
    "7 + 5": "12",
    "word ready": "ready",
    "Is Python": "Yes.",
    "alphabetical": "apple, pear, plum",
    "JSON object": '{"status": "ok", "count": 3}',
    "from one to twenty": "one, two, three, four",
    "which port does": "The port is 8421, see server.py.",
    "sends the receipt": "send_receipt of mailer does.",
    "gross() raise": "It raises a KeyError.",
    "backups are kept": "14, says backup.toml.",
    "Lumen started": "With `lumen serve`.",
}


def good(request: Received) -> Reply:
    """Does everything right; in texts of 4,000 tokens it no longer finds what is in the middle."""
    asked, body = heard(request), request.body
    if _is_task(asked):
        name, arguments = next(call for words, call in CALLS.items() if words in asked)
        if "tools" in body:
            return Reply(calls=(Call(name=name, arguments=arguments),))
        if "response_format" in body:
            step = {"step": {"tool": name, "arguments": arguments}}
            return Reply(text=msgspec.json.encode(step).decode())
        call = msgspec.json.encode({"name": name, "arguments": arguments}).decode()
        return Reply(text=f"<tool_call>\n{call}\n</tool_call>")
    return Reply(text=_in_words(asked))


def writer(request: Received) -> Reply:
    """Writes and answers well; its server takes neither tools nor schemas, and it calls nothing in words."""
    if "tools" in request.body:
        return failure("bad_request", message="This model does not support tools.")
    if "response_format" in request.body:
        return failure("bad_request", message="response_format is not supported.")
    asked = heard(request)
    return Reply(text="I would look at the files first." if _is_task(asked) else _in_words(asked))


def parrot(request: Received) -> Reply:
    """Repeats what it hears."""
    return Reply(text=heard(request))


def heard(request: Received) -> str:
    """The last thing that the user said."""
    content = next(one["content"] for one in reversed(request.body["messages"]) if one["role"] == "user")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _is_task(asked: str) -> bool:
    return any(asked == one.request for one in cases().tasks)


def _in_words(asked: str) -> str:
    for hidden in cases().hidden:
        if hidden.question in asked:
            is_lost = len(asked) > 16_000 and hidden is cases().hidden[1]
            return hidden.sentence if hidden.sentence in asked and not is_lost else "It does not say."
    if change := next((one for one in cases().changes if one.request in asked), None):
        return _changed(change, asked)
    return next((answer for words, answer in WORDS.items() if words in asked), "I do not know.")


def _changed(change: Change, asked: str) -> str:
    after = change.after[0]
    if "SEARCH" in asked:
        return f"<<<<<<< SEARCH\n{change.before}=======\n{after}>>>>>>> REPLACE"
    if "the part of" in asked:
        was = change.before.split("\n\n\n")
        after = "\n\n".join(part for part in after.split("\n\n\n") if part not in was)
    fence = "```"
    return f"This has to change.\n\n{change.path}\n{fence}python\n{after}\n{fence}"
