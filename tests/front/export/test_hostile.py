import pytest

from ferrule.core.events import (
    Appended,
    Compacted,
    Event,
    Notice,
    PermissionAsked,
    PermissionDecided,
    Retrying,
    RunEnded,
    RunStarted,
    ToolEnded,
    TurnEnded,
    Undone,
)
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, ToolResult, Usage, User
from ferrule.front.export.html import to_html
from ferrule.session.reading import LoadedLog
from ferrule.session.records import Header
from ferrule.session.secrets import Mask
from tests.front.export.reading import Reader
from tests.front.export.sessions import START, answer, call, ended, log, page, prompt

SECRET = "sk-ant-api03-abcdefghijklmnop"
HOSTILE = [
    f"Edited.\n@@ -{'1' * 5000} +1 @@\n-a\n+b",
    "<script>alert(1)</script>",
    "</title></style></script></pre></details></article><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "[a](javascript:alert(1)) <javascript:alert(1)> [b](data:text/html;base64,AAAA)",
    "\u202egpj.exe \u2066x\u200b\ufeff \x1b]0;title\x07 \x1b[2J \x00\x07\x9b31m \u2028",
    "<!-- --> <![CDATA[ ]]> <?php ?> &#x3c;script&#x3e; &lt;b",
    "\ud800 half a character",
    "diff --git a/<b> b/<b>\n@@ -1 +1 @@\n-<i>\n+</code>",
    "Edited <x>; <y>.\n--- <a>\n+++ <b>\n@@ -1,1 +1,1 @@\n-<c>\n+<d>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text_wherever_it_stands(text: str) -> None:
    calls = [
        ToolCall(id=f"{text}{name}", name=name, input={text: text, key: text, "deep": {text: [text]}})
        for name, key in (
            ("bash", "command"),
            ("edit", "file_path"),
            ("write", "content"),
            ("todo", "todos"),
            (text, "x"),
        )
    ]
    calls.append(call("list", "todo", todos=[{"content": text, "status": text}]))
    calls.append(call("ask", "ask_user", question=text, options=[{"label": text, "description": text}]))
    calls.append(ToolCall(id="cut", name="bash", input={}, malformed=text))
    events: list[Event] = [
        RunStarted(),
        prompt(text),
        answer(Text(text), Text(f"```{text}\n{text}\n```\n| {text} | b |\n| - | - |\n| {text} |"), Thinking(text=text)),
        Appended(message=Assistant(content=tuple(calls), model=text, stop="tool_use", at=START)),
        *(PermissionAsked(id=text, call=one, reason=text, preview=f"---{text}") for one in calls),
        *(PermissionDecided(call_id=one.id, allowed=True, reason=text) for one in calls[::2]),
        *(ended(one.id, one.name, text) for one in calls[:-1]),
        Notice(text=text),
        Retrying(attempt=1, delay=1, reason=text),
        Undone(step=1, kept=(text,)),
        Compacted(before=1, after=1, summary=text),
        RunEnded(reason="error", turns=1, error=text),
    ]
    whole = to_html(log(*events, name=text, warnings=(text,), directory=text), Mask({}))
    whole.encode()
    assert "alert(1)" not in "".join(Reader(whole).texts.values())


def test_secrets_are_masked_however_they_are_written() -> None:
    env = {"ACME_API_KEY": "canary-of-the-key"}
    odd = SECRET.replace("api03", "\x1b[0mapi03")
    secrets = f"{SECRET} canary-of-the-key {odd} **{SECRET}**"
    run = call("1", "bash", command=f"{'x' * 225}canary-of-the-key", **{secrets: secrets})
    whole = to_html(
        log(
            prompt(secrets),
            answer(
                Text(secrets + r" ghp\_abcdefghijklmnopqrstuvwxyz"),
                Text(f"```\n{secrets}\n```"),
                Thinking(text=secrets),
                run,
            ),
            ended("1", "bash", secrets),
            Appended(message=User(content=(Image(media_type="image/png", data="canary-of-the-key"),), at=START)),
            Notice(text=secrets),
            name=secrets,
            warnings=(secrets,),
            directory=secrets,
        ),
        Mask(env),
    )
    text = Reader(whole).text
    assert "[masked]" in text
    for leaked in ("canary", "ghijklmnop", "of-the-key"):
        assert leaked not in whole


def test_a_secret_that_is_a_word_of_the_format_hides_the_event() -> None:
    whole = page(prompt("appended"), mask=Mask({"API_KEY": "appended"}))
    assert "cannot be told without a secret" in Reader(whole).text


def test_damaged_numbers_do_no_harm() -> None:
    huge = Usage(input=2**60, output=-5)
    whole = page(
        RunStarted(),
        prompt("a"),
        Appended(message=Assistant(content=(call("1", "x"),), model="", stop="tool_use", at=-1e300, usage=huge)),
        ToolEnded(result=ToolResult(call_id="1", tool="x", content=(), at=1e300), seconds=-1e300),
        TurnEnded(turn=1, usage=huge, cost=-1.0),
        answer(),
        TurnEnded(turn=2, usage=Usage(input=1), cost=1e300),
        Undone(step=-(2**60)),
    )
    assert "nan" not in Reader(whole).text.lower()


def test_an_empty_session_is_a_page() -> None:
    read = Reader(to_html(LoadedLog(header=Header(id="x")), Mask({})))
    assert "A session" in read.text
    assert read.links == ["#conversation"]
