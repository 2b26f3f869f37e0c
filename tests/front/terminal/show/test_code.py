from ferrule.front.terminal.show.code import Highlighter
from ferrule.front.terminal.show.lines import Line, Span, text_of


def coloured(language: str, text: str) -> list[Line]:
    highlighter = Highlighter(language)
    return [highlighter.line(one) for one in text.split("\n")]


def test_python_is_coloured_line_by_line() -> None:
    assert coloured("python", 'def f(x):\n    """Doc\n    more"""; return 1  # why\n') == [
        (Span("def", "keyword"), Span(" "), Span("f"), Span("("), Span("x"), Span("):")),
        (Span("    "), Span('"""Doc', "string")),
        (
            Span('    more"""', "string"),
            Span("; "),
            Span("return", "keyword"),
            Span(" "),
            Span("1", "number"),
            Span("  "),
            Span("# why", "comment"),
        ),
        (),
    ]


def test_a_comment_runs_over_lines() -> None:
    assert coloured("ts", "a /* b\nc */ 'd'") == [
        (Span("a"), Span(" "), Span("/* b", "comment")),
        (Span("c */", "comment"), Span(" "), Span("'d'", "string")),
    ]


def test_keys_and_values() -> None:
    assert coloured("json", '{"a": "b", "c": true}') == [
        (
            Span("{"),
            Span('"a"', "name"),
            Span(": "),
            Span('"b"', "string"),
            Span(", "),
            Span('"c"', "name"),
            Span(": "),
            Span("true", "keyword"),
            Span("}"),
        )
    ]
    assert coloured("yaml", "a: 1 # x")[0][0] == Span("a", "name")
    assert coloured("SQL", "SELECT a")[0][0] == Span("SELECT", "keyword")


def test_a_diff_is_coloured_by_its_marks() -> None:
    assert coloured("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z") == [
        (Span("--- a", "dim"),),
        (Span("+++ b", "dim"),),
        (Span("@@ -1 +1 @@", "dim"),),
        (Span("-x", "remove"),),
        (Span("+y", "add"),),
        (Span(" z"),),
    ]


def test_an_unknown_language_stays_plain() -> None:
    assert coloured("brainfuck", "+[->+<] 'x'") == [(Span("+[->+<] 'x'"),)]


def test_nothing_is_lost_or_added() -> None:
    hostile = '"\'`/* # // <!-- \'\'\' \\ $x ${y 0x1f """ --[[ a_b @c !d é 漢" \' \\" */ x'
    for language in ("py", "js", "go", "rust", "sh", "sql", "html", "css", "toml", "yaml", "lua", "hs", "php", "make"):
        rows = coloured(language, f"{hostile}\n{hostile}\n{hostile}")
        assert [text_of(row) for row in rows] == [hostile] * 3
