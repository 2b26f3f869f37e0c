import re
import time
import tracemalloc
from base64 import b64encode
from hashlib import sha256

import pytest

from ferrule.core.events import (
    Appended,
    Compacted,
    Event,
    Notice,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    Redone,
    Retrying,
    Rewound,
    RunEnded,
    RunStarted,
    Stepped,
    TurnEnded,
    TurnStarted,
    Undone,
)
from ferrule.core.messages import Image, Text, Thinking, ToolCall, Usage, User
from ferrule.front.export.html import html_pieces, to_html
from ferrule.session.reading import LoadedLog
from ferrule.session.secrets import Mask
from tests.front.export.reading import Reader
from tests.front.export.sessions import START, answer, call, ended, log, page, prompt

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def conversation(*events: Event) -> str:
    """What stands between the beginning and the end, without what is the same everywhere."""
    whole = page(*events)
    Reader(whole)
    main = whole.partition('<main id="conversation">')[2].partition("</main>")[0]
    return re.sub(r' dir="auto"| tabindex="-?\d"|<time title="[^"]*">[^<]*</time> · |<time[^>]*>[^<]*</time>', "", main)


def body(*calls: ToolCall, after: tuple[Event, ...]) -> str:
    """The calls of one answer, as they are shown."""
    shown = conversation(answer(*calls), *after)
    return shown.partition("</p>")[2].removesuffix("</article>\n")


def test_a_conversation_becomes_articles() -> None:
    assert conversation(
        RunStarted(),
        prompt("Fix <it>,\nplease."),
        TurnStarted(turn=1),
        answer(Thinking(text="Hm.\n*Hm.*"), Text("I **look**."), usage=Usage(input=1_200, output=40)),
        TurnEnded(turn=1, usage=Usage(input=1_200, output=40), cost=0.0125),
        prompt("You repeat yourself.", by_person=False),
        answer(Text("Done."), after=7),
        RunEnded(reason="end_turn", turns=1),
    ) == (
        '<article class="prompt" id="p1"><p class="label"><b>Prompt</b> · </p>'
        '<div class="words">Fix &lt;it&gt;,\nplease.</div></article>\n'
        '<article class="answer" id="t1"><p class="label"><b>Turn 1</b> · '
        "acme/large · 5.0 s · 1.2k in · 40 out · $0.013</p>"
        '<details class="thinking"><summary>Thinking</summary><div class="words">Hm.\n*Hm.*</div></details>'
        '<div class="prose"><p>I <strong>look</strong>.</p></div></article>\n'
        '<article class="told"><p class="label"><b>Ferrule to the model</b> · </p>'
        '<div class="words">You repeat yourself.</div></article>\n'
        '<article class="answer" id="t2"><p class="label"><b>Turn 2</b> · 2.0 s</p>'
        '<div class="prose"><p>Done.</p></div></article>\n'
    )


def test_a_command_shows_what_was_run_and_what_it_said() -> None:
    run = call("1", "bash", command="make <all>", timeout=5)
    assert body(run, after=(ended("1", "bash", "a\nb & c\nExit code: 2", seconds=1.5, is_error=True),)) == (
        '<details class="call" open><summary><span class="error">● </span><span class="tool">bash</span>'
        " make &lt;all&gt;"
        '<span class="dim"> · exit 2 · 1.5 s</span> <span class="badge error">failed</span></summary>'
        "<dl><dt>timeout</dt><dd><code>5</code></dd></dl>"
        '<pre data-language="bash"><code>make &lt;all&gt;\n</code></pre>'
        '<div class="output error"><pre><code>a\nb &amp; c\nExit code: 2\n</code></pre></div></details>'
    )


def test_an_edit_shows_its_diff_and_who_allowed_it() -> None:
    edit = call("1", "edit", file_path="a.py", old_string="x", new_string="y")
    shown = body(
        edit,
        after=(
            PermissionAsked(id="q", call=edit, reason="it writes a file"),
            PermissionDecided(call_id="1", allowed=True, reason="You allowed it once."),
            ended("1", "edit", "Edited a.py; new text indented.\n--- a.py\n+++ a.py\n@@ -7,2 +7,2 @@\n <a>\n-x\n+y\n"),
        ),
    )
    assert shown == (
        '<details class="call" open><summary><span class="good">● </span><span class="tool">edit</span>'
        '<span class="path"> a.py</span><span class="dim"> · +1 −1</span>'
        ' <span class="badge good">allowed</span></summary>'
        '<p class="decision"><b>Allowed.</b> You allowed it once.'
        ' <span class="dim">It was asked since: it writes a file</span></p>'
        '<pre class="diff"><code><span class="row "><span class="number">7</span> &lt;a&gt;\n</span>'
        '<span class="row remove"><span class="number">8</span>-x\n</span>'
        '<span class="row add"><span class="number">8</span>+y\n</span></code></pre>'
        '<p class="dim">new text indented.</p></details>'
    )


def test_calls_that_did_not_run_say_so() -> None:
    denied, cut, malformed = (
        call("1", "bash", command="rm x"),
        call("2", "read", file_path="a"),
        ToolCall(id="3", name="bash", input={}, malformed='{"command": "rm'),
    )
    shown = body(
        denied,
        cut,
        malformed,
        after=(
            PermissionDecided(call_id="1", allowed=False, reason="A rule says no."),
            ended("1", "bash", "Denied.", is_error=True),
            ended("3", "bash", "No JSON.", is_error=True),
        ),
    )
    assert shown.count("<details") == 3
    assert (
        '<span class="badge error">denied</span></summary><p class="decision"><b>Denied.</b> A rule says no.</p>'
        in shown
    )
    assert "<pre><code>{&quot;command&quot;: &quot;rm\n</code></pre>" in shown
    assert shown.endswith(
        '<summary><span class="busy">● </span><span class="tool">read</span><span class="path"> a</span> '
        '<span class="badge warning">interrupted</span></summary><dl><dt>file_path</dt><dd><code>a</code></dd></dl>'
        '<p class="mark">It was interrupted and has no result.</p></details>'
    )


def test_lists_questions_and_strange_tools_are_shown() -> None:
    todo = call(
        "1", "TodoWrite", todos=[{"content": "<a>", "status": "completed"}, {"content": "b", "status": "odd"}, 3]
    )
    ask = call("2", "ask_user", question="Which?", options=[{"label": "A", "description": "first"}, "B"])
    odd = call("3", "deploy", target="x", more={"a": [1, "b" * 90]})
    shown = body(
        todo,
        ask,
        odd,
        after=(
            ended("1", "todo", "[x] a"),
            ended("2", "ask_user", "The person answered: A"),
            ended("3", "deploy", "fine"),
        ),
    )
    assert (
        '<ul class="todo"><li class="task completed"><span class="box">☑</span> &lt;a&gt;</li>'
        '<li class="task pending"><span class="box">☐</span> b</li></ul></details>'
    ) in shown
    assert '<p>Which?</p><ul><li><b>A</b> first</li></ul><p class="words">→ <b>A</b></p></details>' in shown
    assert "<dt>target</dt><dd><code>x</code></dd><dt>more</dt><dd><pre><code>{\n  &quot;a&quot;: [\n" in shown
    assert shown.count(" open>") == 2


def test_what_happened_in_between_is_marked() -> None:
    shown = conversation(
        prompt("a"),
        answer(Text("b")),
        Stepped(number=1, before="x", after="y", messages=1),
        Retrying(attempt=1, delay=2.5, reason="<busy>"),
        Notice(text="Look out."),
        Undone(step=1, kept=("<c>",)),
        Redone(step=1),
        Rewound(messages=2),
        Pinned(number=1),
        Compacted(before=120_000, after=2_000, summary="# All"),
        RunEnded(reason="error", turns=1, error="<no>"),
    )
    assert shown[shown.index('<p class="mark"') :] == (
        '<p class="mark" id="s1">Step 1 changed files.</p>'
        '<p class="notice info">The model was asked again after 2.5 s (attempt 1): &lt;busy&gt;</p>'
        '<p class="notice warning"><b>Warning:</b> Look out.</p></article>\n'
        '<p class="mark">The changes of <a href="#s1">step 1</a> were undone.'
        " Left as they are, since someone changed them: <code>&lt;c&gt;</code>.</p>\n"
        '<p class="mark">The changes of <a href="#s1">step 1</a> were made again.</p>\n'
        '<p class="mark">The conversation was rewound: it goes on after its message 2.</p>\n'
        '<p class="mark">Message 1 was pinned: it is never summarised.</p>\n'
        '<p class="mark">From here on the model is told less: 120,000 tokens became 2,000.</p>\n'
        '<details class="summary"><summary>The summary</summary><div class="prose"><h3>All</h3></div></details>'
        '<p class="notice error"><b>The run ended with <code>error</code></b>: &lt;no&gt;</p>'
    )


def test_pictures_are_inside_the_page_or_not_there() -> None:
    pictures = (
        Image(media_type="image/png", data=PIXEL),
        Image(media_type="image/svg+xml", data=PIXEL),
        Image(media_type='image/png" onerror="x', data=PIXEL),
        Image(media_type="image/png", data='A" onerror="x'),
        Image(media_type="image/png", data=PIXEL + "\n"),
    )
    whole = page(Appended(message=User(content=pictures, at=START)))
    assert Reader(whole).text.count("is not shown") == 4
    assert f'<img loading="lazy" alt="an image of 70 bytes" src="data:image/png;base64,{PIXEL}">' in whole


def test_a_long_prompt_is_folded() -> None:
    shown = conversation(prompt("\n".join(map(str, range(50)))))
    assert "<details><summary>30 more lines</summary>" in shown
    assert (
        Reader(shown).text
        == "Prompt · " + "\n".join(map(str, range(20))) + "30 more lines" + "\n".join(map(str, range(20, 50))) + "\n"
    )


def test_the_beginning_tells_what_the_session_was() -> None:
    loaded = log(
        RunStarted(),
        prompt("First <one>\nmore"),
        TurnStarted(turn=1),
        answer(Text("b"), usage=Usage(input=10)),
        TurnEnded(turn=1, usage=Usage(input=1_500, output=20, cache_read=9_000), cost=0.5),
        prompt("Second"),
        warnings=("A line was <cut>.",),
    )
    whole = to_html(loaded, Mask({}))
    read = Reader(whole)
    assert "<title>First &lt;one&gt;</title>" in whole
    assert '<li><a href="#p2" dir="auto">Second</a></li>' in whole
    assert '<p class="notice warning"><b>Warning:</b> A line was &lt;cut&gt;.</p>' in whole
    for words in ("acme/large", "/home/ann/parser", "1 turn, 3 messages", "1.5k in, 9.0k cached, 20 out", "$0.500"):
        assert words in read.text
    assert {*read.links} == {"#conversation", "#p1", "#p2", "#t1"}
    assert "<title>A name</title>" in to_html(log(prompt("a"), name="A name"), Mask({}))


def test_the_policy_forbids_all_but_the_own_style_and_script() -> None:
    whole = page(prompt("a"))
    texts = Reader(whole).texts
    hashes = {tag: b64encode(sha256(texts[tag].encode()).digest()).decode() for tag in ("style", "script")}
    assert whole.count("Content-Security-Policy") == 1
    assert (
        f"default-src 'none'; img-src data:; style-src 'sha256-{hashes['style']}'; "
        f"script-src 'sha256-{hashes['script']}'; base-uri 'none'; form-action 'none'"
    ) in whole
    assert not re.search(r"url\(|@import|fetch\(|https?:", texts["style"] + texts["script"])


def many(number: int) -> LoadedLog:
    events: list[Event] = []
    for turn in range(number // 3):
        events += [
            prompt(f"Prompt {turn}"),
            answer(Text("A **paragraph** with `code`.\n\n- a\n- b"), call(f"c{turn}", "bash", command="ls")),
            ended(f"c{turn}", "bash", "a line of output\n" * 20),
        ]
    return log(*events)


def test_a_page_is_written_in_pieces() -> None:
    loaded = many(900)
    pieces = list(html_pieces(loaded, Mask({})))
    assert "".join(pieces) == to_html(loaded, Mask({}))
    assert len(pieces) > 4
    assert max(map(len, pieces)) < 100_000


@pytest.mark.slow
def test_a_page_is_never_held_whole() -> None:
    loaded = many(12_000)
    tracemalloc.start()
    size = sum(map(len, html_pieces(loaded, Mask({}))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size / 2


@pytest.mark.slow
def test_ten_times_the_messages_take_ten_times_as_long() -> None:
    def cost(number: int) -> float:
        loaded = many(number)
        start = time.process_time()
        for _ in html_pieces(loaded, Mask({})):
            pass
        return time.process_time() - start

    cost(300)
    assert cost(10_000) < 20 * cost(1_000)
