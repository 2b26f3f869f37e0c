"""The reader of JSON with comments: it agrees with JSON, and says where and what is wrong."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ferrule.config.jsonc import DEEPEST, MOST_PROBLEMS, Document, Node, parse
from ferrule.core.errors import ConfigError

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)
blanks = st.sampled_from(["", " ", "\n", "\t\r\n", "// note\n", "# note\r\n", "/* a\n * b */", "/***/", "//\n#\n"])


def read(text: str) -> Any:
    root = parse(text.encode(), "f.json").root
    return root.plain if root else None


def refusal(data: bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(data, "f.json")
    return str(caught.value)


@settings(deadline=None)
@given(values, st.sampled_from([None, 0, 2]), st.booleans())
def test_it_agrees_with_json_on_all_json(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read(text) == json.loads(text)
    assert repr(read(text)) == repr(json.loads(text))  # 1 is not 1.0, and -0.0 is not 0.0


@settings(deadline=None)
@given(st.data(), values)
def test_comments_blanks_and_trailing_commas_change_nothing(data: st.DataObject, value: Any) -> None:
    def blank() -> str:
        return data.draw(blanks)

    def written(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value)
        items = [written(one) for one in (value.values() if isinstance(value, dict) else value)]
        if isinstance(value, dict):
            keys = [json.dumps(key) + blank() + ":" + blank() for key in value]
            items = [key + item for key, item in zip(keys, items, strict=True)]
        comma = data.draw(st.sampled_from(["", ","])) if items else ""
        inside = ",".join(blank() + item + blank() for item in items) + comma + blank()
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"

    assert read(blank() + written(value) + blank()) == value


@settings(deadline=None)
@given(st.binary() | st.text(alphabet='{}[]",:/*#\\u0 \n1e-+.tfnDd8c"', max_size=40).map(str.encode))
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b"/*" * 100_000)
@example(b"9" * 100_000)
@example(b'"\\ud83d\\u')
def test_no_bytes_raise_anything_but_a_configuration_error(data: bytes) -> None:
    try:
        words = parse(data, "f.json").name + ":"
    except ConfigError as error:
        words = str(error)
    assert words.startswith("f.json:")
    assert words.isprintable()


def test_every_key_and_value_knows_where_it_stands() -> None:
    text = '// first\n{\n  "a": [1, "x"], # why\n  "b": {"c": true}\n}\n'
    document = parse(text.encode(), "f.json")
    assert document.root is not None
    a, b = document.root.value["a"], document.root.value["b"]
    c = b.node.value["c"]
    pieces = [text[node.start : node.end] for node in (a.node, *a.node.value, b.node, c.node)]
    assert pieces == ['[1, "x"]', "1", '"x"', '{"c": true}', "true"]
    places = [document.place(offset) for offset in (document.root.start, a.start, a.node.value[1].start, c.start)]
    assert places == ["f.json:2:1", "f.json:3:3", "f.json:3:12", "f.json:4:9"]
    assert document.line(c.start) == 4


@pytest.mark.parametrize("text", ["", "  \n", "// nothing yet", "/* one */ # two\n"])
def test_a_file_of_blanks_and_comments_holds_nothing(text: str) -> None:
    assert parse(text.encode(), "f.json") == Document("f.json", text, None, ())


def test_what_looks_like_a_comment_in_a_string_is_none() -> None:
    assert read('{"a": "http://x/*y*/#z"} // "b"') == {"a": "http://x/*y*/#z"}


def test_escapes() -> None:
    assert read(r'"\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00"') == '"\\/\b\f\n\r\té😀'


def test_keys_given_twice_are_all_told_and_the_rest_is_read() -> None:
    document = parse(b'{"a": 1,\n "b": {"c": 1, "c": 2},\n "a": 3}', "f.json")
    assert document.root is not None
    assert document.root.plain == {"a": 1, "b": {"c": 1}}
    assert document.problems == (
        'f.json:2:16: The key "c" stands here a second time; the first is in line 2.',
        'f.json:3:2: The key "a" stands here a second time; the first is in line 1.',
    )


def test_a_file_full_of_doubles_is_told_in_bounds() -> None:
    document = parse(b"{" + b'"a":1,' * 10_000 + b"}", "f.json")
    assert len(document.problems) == MOST_PROBLEMS


def test_nesting_is_bounded() -> None:
    deep = b"[" * DEEPEST + b"1" + b"]" * DEEPEST
    root = parse(deep, "f.json").root
    assert isinstance(root, Node)
    assert refusal(b"[" + deep + b"]") == "f.json:1:102: This is nested more than 100 deep."


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a": 1 "b": 2}', '1:9: A comma or "}" must stand before "b".'),
        (b'{"a": 1\n"b": 2}', '2:1: A comma or "}" must stand before "b".'),
        (b"[1 2]", '1:4: A comma or "]" must stand before "2".'),
        (b"[1}", '1:3: A comma or "]" must stand before "}".'),
        (b"{'a': 1}", "1:2: A key in double quotes must stand here, not a single quote."),
        (b"['a']", "1:2: A value must stand here, not a single quote."),
        (b"{llm: 1}", '1:2: A key stands in double quotes: "llm".'),
        (b"{,}", '1:2: A key in double quotes must stand here, not ",".'),
        (b'{"a" 1}', '1:6: A colon must follow the key "a", not "1".'),
        (b'{"a":}', '1:6: A value must stand here, not "}".'),
        (b'{"a":', "1:6: A value must stand here, not the end of the file."),
        (b"[1,,2]", '1:4: A value must stand here, not ",".'),
        (b'\n{"a": 1', '2:1: This object does not end: "}" is missing.'),
        (b'{"a": 1,', '1:1: This object does not end: "}" is missing.'),
        (b"[1", '1:1: This list does not end: "]" is missing.'),
        (b"[1,", '1:1: This list does not end: "]" is missing.'),
        (b"{} {}", '1:4: The configuration ends here, but "{" follows.'),
        (b'{"a": "b\n"}', "1:7: This string does not end on its line: a double quote is missing."),
        (b'"a', "1:1: This string does not end on its line: a double quote is missing."),
        (b'"a\tb"', "1:3: A control character stands in this string; write it as \\u0009."),
        (b'"C:\\Users"', "1:4: \\U is no escape that JSON knows; a backslash itself is \\\\."),
        (b'"\\u12"', "1:2: Four hexadecimal digits must follow \\u."),
        (b'"\\u-123"', "1:2: Four hexadecimal digits must follow \\u."),
        (b'"\\ud83d"', "1:2: \\ud83d is half of a character; the other half is missing."),
        (b'"\\ude00\\ud83d"', "1:2: \\ude00 is half of a character; the other half is missing."),
        (b'"\\ud83d\\u0041"', "1:2: \\ud83d is half of a character; the other half is missing."),
        (b"{} /* x", '1:4: This comment does not end: "*/" is missing.'),
        (b"{} /", '1:4: The configuration ends here, but "/" follows.'),
        (b"NaN", "1:1: NaN is no value that JSON knows; a number looks like 12, -0.5 or 1e6."),
        (b"-Infinity", "1:1: -Infinity is no value that JSON knows; a number looks like 12, -0.5 or 1e6."),
        (b"01", "1:1: 01 is no value that JSON knows; a number looks like 12, -0.5 or 1e6."),
        (b"True", "1:1: True is no value that JSON knows; true was meant."),
        (b"None", "1:1: None is no value that JSON knows; null was meant."),
        (b"yes", "1:1: yes is no value that JSON knows; a string stands in double quotes."),
        (b"1e999", "1:1: This number is too large."),
        (b"-" + b"9" * 5000, "1:1: This number is too large."),
        (b"\xef\xbb\xbf{}", "1:1: The file begins with a byte order mark; save it without one."),
        (b"\xff\xfe{\x00}\x00", "1:1: The file is in UTF-16; save it as UTF-8."),
        (b'{\n "\xc3\xa9": "\xe9"}', "2:8: The byte 0xe9 is not UTF-8."),
        ("{\u00a0}".encode(), "1:2: A key in double quotes must stand here, not the invisible character U+00A0."),
        (b"{}\x00", "1:3: The configuration ends here, but the invisible character U+0000 follows."),
    ],
)
def test_what_is_wrong_is_said_with_its_place(data: bytes, words: str) -> None:
    assert refusal(data) == f"f.json:{words}"


def test_nothing_that_a_terminal_would_act_on_gets_into_the_words() -> None:
    with pytest.raises(ConfigError, match="must stand here") as caught:
        parse(b"\x1b]0;title\x07", "/tmp/\x1b[31mred\u202e.json")
    assert str(caught.value) == (
        "/tmp/\\u001b[31mred\\u202e.json:1:1: A value must stand here, not the invisible character U+001B."
    )
