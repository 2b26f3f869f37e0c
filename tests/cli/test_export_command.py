import re
from pathlib import Path

import msgspec
import pytest

from ferrule.core.events import (
    Appended,
    Event,
    Notice,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, ToolResult, Usage, User, said
from ferrule.session.store import Store
from tests.cli.conftest import CommandLine
from tests.front.export.reading import Reader

SECRET = "sk-ant-api03-abcdefghijklmnop"
LS = ToolCall(id="1", name="bash", input={"command": "ls", "timeout": 5})
EDIT = ToolCall(id="2", name="edit", input={"file_path": "a`b.md", "new_string": "```\ncode\n```"})
CUT = ToolCall(id="3", name="bash", input={}, malformed='{"command": "rm')
CONVERSATION: tuple[Event, ...] = (
    RunStarted(),
    Appended(message=said("Fix the test,\nplease.\n\n# not a heading")),
    TurnStarted(turn=1),
    Appended(
        message=Assistant(
            content=(Thinking(text="Hm.\nHm."), Text("I look:\n\n~~~python\nprint(1)"), LS, EDIT, CUT),
            model="acme/large",
            stop="tool_use",
        )
    ),
    ToolStarted(call=LS),
    ToolEnded(
        result=ToolResult(call_id="1", tool="bash", content=(Text("\n".join(map(str, range(30)))),)), seconds=0.26
    ),
    ToolEnded(
        result=ToolResult(
            call_id="2",
            tool="edit",
            content=(
                Text("Not found:\n````\n\x1b[2J\x1b[31mred\x1b[0m"),
                Image(media_type="image/png", data="AAAA" * 400),
            ),
            is_error=True,
        )
    ),
    TurnEnded(turn=1, usage=Usage(input=1200, output=40), cost=0.0125),
    Notice(text="Look out."),
    Appended(message=User(content=(Text("You repeat yourself."),), by="ferrule")),
    Appended(message=Assistant(content=(Text(f"Done; the key is {SECRET}."),), model="acme/large", stop="end_turn")),
    RunEnded(reason="max_turns", turns=1, usage=Usage(input=1200, output=40), cost=0.0125),
)
PAGE = """\
# Fix the test, please. # not a heading

Session `ID` · `PROJECT` · acme/large · WHEN

## Prompt

> Fix the test,
> please.
>
> # not a heading

## Answer

<details><summary>Thinking</summary>

> Hm.
> Hm.

</details>

I look:

~~~python
print(1)
~~~

**bash** · command: `ls` · timeout: `5` · 0.3 s

<details><summary>Result: 30 lines</summary>

```
NUMBERS
```

</details>

**edit** · file_path: `` a`b.md `` · 0.0 s

new_string:

````
```
code
```
````

Error:

`````
Not found:
````
\\x1b[2Jred
`````

*(an image, image/png, 1,200 bytes)*

> **Warning:** Look out.

**bash** · arguments: `{"command": "rm`

*It was interrupted and has no result.*

> **Ferrule to the model:** You repeat yourself.

Done; the key is [masked].

> **The run ended with `max_turns`**.

## Usage

| turns | messages | input | output | cache read | cache write | cost |
| --: | --: | --: | --: | --: | --: | --: |
| 1 | 6 | 1,200 | 40 | 0 | 0 | $0.0125 |
"""


@pytest.fixture
def store(ferrule: CommandLine) -> Store:
    return Store(ferrule.home / "data" / "ferrule" / "sessions")


def add(store: Store, project: Path, *events: Event) -> Path:
    with store.create(project, model="acme/large") as log:
        for event in events or CONVERSATION:
            log.write(event)
    return log.path


def test_a_session_becomes_a_page(ferrule: CommandLine, store: Store) -> None:
    path = add(store, ferrule.project)
    ended = ferrule("export", "--last")
    assert (ended.code, ended.err) == (0, "")
    page = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "WHEN", ended.out)
    page = page.replace(path.stem, "ID").replace(str(ferrule.project), "PROJECT")
    assert page == PAGE.replace("NUMBERS", "\n".join(map(str, range(30))))


def test_a_session_becomes_one_json_object(ferrule: CommandLine, store: Store) -> None:
    path = add(store, ferrule.project)
    ended = ferrule("export", path.stem, "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    document = msgspec.json.decode(ended.out)
    assert list(document) == ["session", "name", "messages", "totals", "warnings"]
    assert document["session"]["id"] == path.stem
    roles = ["user", "assistant", "tool_result", "tool_result", "tool_result", "user", "assistant"]
    assert [message["role"] for message in document["messages"]] == roles
    assert document["messages"][-1]["content"] == [{"type": "text", "text": "Done; the key is [masked]."}]
    assert document["totals"] == {"turns": 1, "messages": 6, "usage": {"input": 1200, "output": 40}, "cost": 0.0125}
    assert not set(ended.out) & set("\x1b\x9b")


def test_secrets_in_the_file_are_masked_in_the_export(ferrule: CommandLine, store: Store) -> None:
    path = add(store, ferrule.project, Appended(message=said("the secret is PLACEHOLDER and canary-of-the-key")))
    path.write_bytes(path.read_bytes().replace(b"PLACEHOLDER", SECRET.encode()))
    env = {**ferrule.env, "ACME_API_KEY": "canary-of-the-key"}
    for words in (
        ["export", "1"],
        ["export", "1", "--format", "json"],
        ["export", "1", "--format", "html"],
        ["sessions"],
        ["sessions", "--json"],
    ):
        out = ferrule(*words, env=env).out
        assert "the secret is [masked] and [masked]" in out
        assert SECRET not in out


def test_the_name_of_the_file_says_the_format(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project)
    for name in ("page.md", "page.txt", "page.json"):
        ended = ferrule("export", "1", "-o", name)
        assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert (ferrule.project / "page.md").read_text().startswith("# Fix the test")
    assert (ferrule.project / "page.txt").read_text().startswith("# Fix the test")
    assert msgspec.json.decode((ferrule.project / "page.json").read_bytes())["name"] == ""
    ended = ferrule("export", "1", "-o", "page.json", "--format", "md")
    assert (ferrule.project / "page.json").read_text().startswith("# Fix the test")


def test_a_session_becomes_a_page_for_browsers(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project)
    ended = ferrule("export", "1", "--format", "html")
    assert (ended.code, ended.err) == (0, "")
    Reader(ended.out)
    assert '<h1 dir="auto">Fix the test,</h1>' in ended.out
    for name in ("page.html", "page.HTM"):
        assert ferrule("export", "1", "-o", name).code == 0
        assert (ferrule.project / name).read_text() == ended.out


def test_what_a_damaged_session_lost_is_said(ferrule: CommandLine, store: Store) -> None:
    path = add(store, ferrule.project)
    path.write_bytes(path.read_bytes() + b'{"n":')
    ended = ferrule("export", "1")
    assert ended.code == 0
    assert ended.err == "ferrule: The last line was cut off and was left out.\n"
    assert "> **Warning:** The last line was cut off and was left out." in ended.out


def test_what_cannot_be_is_an_error(ferrule: CommandLine, store: Store) -> None:
    for words in (
        ["export"],
        ["export", "1", "--last"],
        ["export", "1", "--format", "pdf"],
        ["export", "--cwd", "/no"],
    ):
        ended = ferrule(*words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err
    assert ferrule("export", "--last").err == f"ferrule: There are no sessions of {ferrule.project} yet.\n"
    assert ferrule("export", "--last").code == 1
    add(store, ferrule.project)
    ended = ferrule("export", "1", "-o", "no/such/place.md")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "ferrule: The session cannot be written to no/such/place.md (No such file or directory).\n"


def test_a_reader_that_leaves_is_no_error(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project, Appended(message=said("a long prompt\n" * 50_000)))
    for format_, first in (("md", b"# a long prompt"), ("html", b"<!doctype html>")):
        with ferrule.start(["export", "--last", "--format", format_]) as process:
            assert process.stdout
            assert process.stdout.readline().startswith(first)
            process.stdout.close()
            assert process.stderr
            assert (process.wait(30), process.stderr.read()) == (0, b"")
