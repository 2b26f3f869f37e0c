import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.front.export.markup import Pen
from ferrule.front.export.prose import prose
from ferrule.session.secrets import Mask
from tests.front.export.reading import Reader

PEN = Pen(Mask({}))
WEB = 'rel="noopener noreferrer"'


def shown(text: str) -> str:
    return prose(text, PEN).replace(' dir="auto"', "")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("# A #\n## B\nC\n===", "<h3>A</h3><h4>B</h4><h3>C</h3>"),
        ("####### no", "<p>####### no</p>"),
        (
            "**a** *b* ~~c~~ `d<e`",
            "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d&lt;e</code></p>",
        ),
        (
            "- a\n- b\n\n1. c",
            ('<ul><li><p>a</p></li><li><p>b</p></li></ul><ol><li value="1"><p>c</p></li></ol>'),
        ),
        (
            "- a\n  - b\n    ```\n    c\n    ```\n- d\n\nend",
            (
                '<ul><li><p>a</p><ul><li><p>b</p><pre tabindex="0"><code>c\n</code></pre></li></ul></li>'
                "<li><p>d</p></li></ul><p>end</p>"
            ),
        ),
        (
            "3. a\n3. b",
            '<ol><li value="3"><p>a</p></li><li value="4"><p>b</p></li></ol>',
        ),
        (
            "- [x] a\n- [ ] b",
            (
                '<ul><li class="task"><span class="box">☑</span> <p>a</p></li>'
                '<li class="task"><span class="box">☐</span> <p>b</p></li></ul>'
            ),
        ),
        (
            "> a\nlazy\n>\n> b\n\nc",
            "<blockquote><p>a<br>lazy</p><p>b</p></blockquote><p>c</p>",
        ),
        ("a\n\n---\nb", "<p>a</p><hr><p>b</p>"),
        (
            "```python\nif x:\n\ty = 1 # z",
            (
                '<pre tabindex="0" data-language="python"><code><span class="keyword">if</span> x:\n'
                '\ty = <span class="number">1</span> <span class="comment"># z</span>\n</code></pre>'
            ),
        ),
        ("    a\n\n      b\nc", '<pre tabindex="0"><code>a\n\n  b\n</code></pre><p>c</p>'),
        (
            "| a | b |\n| :- | -: |\n| `c` | 1 |\n| x |\nend",
            (
                '<div class="scroll" tabindex="0"><table><thead><tr><th class="left">a</th>'
                '<th class="right">b</th></tr></thead>'
                '<tbody><tr><td class="left"><code>c</code></td><td class="right">1</td></tr>'
                '<tr><td class="left">x</td><td class="right"></td></tr></tbody></table></div><p>end</p>'
            ),
        ),
        ("<b>x</b> &amp; &lt;", "<p>&lt;b&gt;x&lt;/b&gt; &amp; &lt;</p>"),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert shown(text) == html
    Reader(html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("https://a.org/x?y=1&z=2.", f'<a href="https://a.org/x?y=1&amp;z=2" {WEB}>https://a.org/x?y=1&amp;z=2</a>.'),
        ("[**b** c](http://a.org)", f'<a class="named" href="http://a.org" {WEB}><strong>b</strong> c</a>'),
        ("<mailto:a@b.org>", f'<a href="mailto:a@b.org" {WEB}>a@b.org</a>'),
        (
            "![pic](https://a.org/p.png)",
            f'<span class="dim">image: </span><a class="named" href="https://a.org/p.png" {WEB}>pic</a>',
        ),
        (
            "![p](http://a)![q](http://b/(c))",
            (
                f'<span class="dim">image: </span><a class="named" href="http://a" {WEB}>p</a>'
                f'<span class="dim">image: </span><a class="named" href="http://b/(c)" {WEB}>q</a>'
            ),
        ),
        ("[a](javascript:alert(1))", "a (javascript:alert(1))"),
        ("[a](JaVaScRiPt:alert)", "a (JaVaScRiPt:alert)"),
        ("[a](data:text/html,x)", "a (data:text/html,x)"),
        ("[a](docs/b.md)", "a (docs/b.md)"),
        ("[a](//evil.org)", "a (//evil.org)"),
        ("[docs](docs)", "docs"),
        ('[a](https://b.org/"onclick=x)', "a (https://b.org/&quot;onclick=x)"),
    ],
)
def test_a_link_leads_to_the_web_or_nowhere(text: str, html: str) -> None:
    assert shown(text) == f"<p>{html}</p>"
    Reader(html)


def test_a_secret_that_markdown_pieces_together_is_masked() -> None:
    assert "abcdef" not in prose(r"ghp\_abcdefghijklmnopqrstuvwxyz", PEN)


MARKS = st.sampled_from(
    [
        *"#>-*+_`~|[]()!<>&\"'\\ \n\t1.:x",
        *("```", "~~~", "\n\n", "    ", "- ", "1. ", "> ", "| a | b |\n| - | - |\n"),
        *(
            "<script>",
            "</pre>",
            "javascript:",
            "https://a.b",
            "](",
            "\u202e",
            "\x1b[31m",
            "\x00",
            "\ud800",
            "é",
            "שלום",
        ),
    ]
)


@given(st.lists(MARKS, max_size=60).map("".join))
def test_whatever_comes_the_page_is_whole(text: str) -> None:
    Reader(prose(text, PEN))


@pytest.mark.parametrize(
    "piece",
    [
        *("> " * 50, "[" * 50, "**a", "`" * 3 + "\n"),
        *(
            pytest.param(piece, marks=pytest.mark.slow)
            for piece in ("- " * 50, "| a ", "\t- x\n", "# # ", "<a ", "a@", "![", "\n\n    a")
        ),
    ],
)
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    def cost(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        Reader(prose(text, PEN))
        return time.process_time() - start

    cost(1_000)
    assert cost(32_000) < 40 * cost(4_000) + 0.5  # squared it would be 64 times as much, and not in milliseconds
