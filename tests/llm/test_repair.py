"""Arguments that are not quite JSON: the syntax is repaired, content is neither invented nor dropped."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.llm.repair import Arguments, CutError, Reading, Refusal, UnreadableError, read_value, repair

BIG = 123456789012345678901234567890

REPAIRED: list[tuple[str, dict[str, Any]]] = [
    # nothing to repair
    ('{"a": 1}', {"a": 1}),
    ("{}", {}),
    (' \n{"a": {"b": [1, "x", null, true]}}\t', {"a": {"b": [1, "x", None, True]}}),
    ('{"a": "\\u00e9\\n\\"\\\\"}', {"a": 'é\n"\\'}),
    ('{"a": {"k": 1}, "b": {"k": 1}}', {"a": {"k": 1}, "b": {"k": 1}}),
    ('{"a": "{\\"a\\": 1, \\"a\\": 2}"}', {"a": '{"a": 1, "a": 2}'}),
    ('{"a": 1e3, "b": -0.5}', {"a": 1000.0, "b": -0.5}),
    (f'{{"a": {BIG}}}', {"a": BIG}),
    # no arguments at all
    ("", {}),
    ("  \n", {}),
    ("null", {}),
    ("None", {}),
    ('""', {}),
    ('"null"', {}),
    ("```json\n```", {}),
    # commas
    ('{"a": 1,}', {"a": 1}),
    ('{"a": 1 , }', {"a": 1}),
    ('{"a": [1, 2,],}', {"a": [1, 2]}),
    ('{"a": {"b": 1,},\n}', {"a": {"b": 1}}),
    ('{"a": [[1,],],}', {"a": [[1]]}),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
    ('{"a": true\n "b": null\n "c": 1}', {"a": True, "b": None, "c": 1}),
    ('{"a": [1] "b": {"c": 2} "d": 3}', {"a": [1], "b": {"c": 2}, "d": 3}),
    # quotes
    ("{'a': 'x'}", {"a": "x"}),
    ("{'a': \"it's\"}", {"a": "it's"}),
    ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
    ("{'a': 'it\\'s'}", {"a": "it's"}),
    ('{"a": "it\\\'s"}', {"a": "it's"}),
    ("{'a': 'back\\\\slash'}", {"a": "back\\slash"}),
    ("{'a': 'end\\\\\"'}", {"a": 'end\\"'}),
    ("{'a': ''}", {"a": ""}),
    ("{'a': 'x', \"b\": [\"y\", 'z']}", {"a": "x", "b": ["y", "z"]}),
    ("{“a”: “b”}", {"a": "b"}),
    ("{“a”: “it's”, “b”: 2}", {"a": "it's", "b": 2}),
    # words of Python
    ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
    ("{'a': [True, None], 'b': {'c': False}}", {"a": [True, None], "b": {"c": False}}),
    ('{"a": "True"}', {"a": "True"}),
    # bare keys
    ("{a: 1}", {"a": 1}),
    ("{file_path: 'a.py', $x: 2, a1: 3}", {"file_path": "a.py", "$x": 2, "a1": 3}),
    ('{-A: 3, "-B": 2, head-limit: 5}', {"-A": 3, "-B": 2, "head-limit": 5}),
    ("{a : {b :1}}", {"a": {"b": 1}}),
    ("{true: 1}", {"true": 1}),
    # comments
    ('{"a": 1 // one\n}', {"a": 1}),
    ('{"a": 1, # one\n "b": 2}', {"a": 1, "b": 2}),
    ('{/* x */ "a": /* y */ 1 /* , "b": 2 */}', {"a": 1}),
    ('// the arguments\n{"a": 1}', {"a": 1}),
    ('{"a": 1} // done', {"a": 1}),
    ('{"a": 1} /* done */', {"a": 1}),
    ('{"a": "http://x", "b": "# no", "c": "/* no */"}', {"a": "http://x", "b": "# no", "c": "/* no */"}),
    ('{"a": "http://x", "b": "# no",}', {"a": "http://x", "b": "# no"}),
    ('{"a": [1, // one\n 2, // two\n]}', {"a": [1, 2]}),
    # around it
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('```\n{"a": 1}\n```', {"a": 1}),
    ('\n```json\n{"a": 1,}\n```\n', {"a": 1}),
    ('```json\n{"a": 1}', {"a": 1}),
    ('{"a": 1}\n```', {"a": 1}),
    ('```JSON {"a": 1} ```', {"a": 1}),
    ('`{"a": 1}`', {"a": 1}),
    ('```tool_call\n{"a": "```"}\n```', {"a": "```"}),
    ('\ufeff{"a": 1}', {"a": 1}),
    ('\ufeff\n{"a": 1,}', {"a": 1}),
    ('{"a": 1};', {"a": 1}),
    ('{"a": 1}\n;\n', {"a": 1}),
    ('\xa0{"a":\xa01}', {"a": 1}),
    ('\u200b{"a": 1}\u200b', {"a": 1}),
    # raw characters in strings
    ('{"a": "x\ny"}', {"a": "x\ny"}),
    ('{"a": "x\ty\r\nz"}', {"a": "x\ty\r\nz"}),
    ('{"a": "x\x00\x1b"}', {"a": "x\x00\x1b"}),
    ("{'a': 'x\n\ty'}", {"a": "x\n\ty"}),
    ('{"a": "x\n\\n\\ty"}', {"a": "x\n\n\ty"}),
    ('{"content": "def f():\n    return \\"x\\"\n"}', {"content": 'def f():\n    return "x"\n'}),
    # brackets that are missing at the very end
    ('{"a": "x"', {"a": "x"}),
    ('{"command": "rm -rf /tmp/build"\n', {"command": "rm -rf /tmp/build"}),
    ('{"a": ["x", "y"]', {"a": ["x", "y"]}),
    ('{"a": ["x", "y"', {"a": ["x", "y"]}),
    ('{"a": {"b": "x"}', {"a": {"b": "x"}}),
    ('{"a": {"b": {"c": "x"', {"a": {"b": {"c": "x"}}}),
    ('{"a": []', {"a": []}),
    ("{'a': 'x'", {"a": "x"}),
    ('{"todos": [{"content": "x", "status": "pending"}', {"todos": [{"content": "x", "status": "pending"}]}),
    # numbers
    ('{"a": .5, "b": -.5}', {"a": 0.5, "b": -0.5}),
    ('{"a": +5}', {"a": 5}),
    ('{"a": 5., "b": 5.e3}', {"a": 5.0, "b": 5000.0}),
    (f'{{"a": {BIG},}}', {"a": BIG}),
    ('{"a": 0, "b": -0,}', {"a": 0, "b": 0}),
    # backslashes that start no escape
    ('{"pattern": "\\d+"}', {"pattern": "\\d+"}),
    ('{"pattern": "\\w+\\s*\\(\\)"}', {"pattern": "\\w+\\s*\\(\\)"}),
    ('{"pattern": "a\\.py\\d"}', {"pattern": "a\\.py\\d"}),
    ('{"pattern": "\\\\d\\s"}', {"pattern": "\\d\\s"}),
    ('{"command": "find . -exec ls {} \\;"}', {"command": "find . -exec ls {} \\;"}),
    ('{"command": "ls my\\ file"}', {"command": "ls my\\ file"}),
    ('{"pattern": "\\d\\u00e9"}', {"pattern": "\\dé"}),
    # strings of JSON
    ('"{\\"a\\": 1}"', {"a": 1}),
    ('"{\\"a\\": 1,}"', {"a": 1}),
    ("'{\"a\": 1}'", {"a": 1}),
    (json.dumps(json.dumps({"a": "x\n"})), {"a": "x\n"}),
    (json.dumps(json.dumps(json.dumps({"a": 1}))), {"a": 1}),
    # several at once
    ("```json\n{a: 'x', // one\n b: [True, None,], \"c\": .5,\n};\n```", {"a": "x", "b": [True, None], "c": 0.5}),
    ("\ufeff{'pattern': '\\d+', 'path': None,}", {"pattern": "\\d+", "path": None}),
]

REFUSED: list[tuple[str, str]] = [
    # strings that are cut
    ('{"command": "rm -rf /tmp/bu', "inside a string"),
    ('{"a": "', "inside a string"),
    ('{"a": "x\\', "inside a string"),
    ('{"a": "x\\"', "inside a string"),
    ('{"a": "x\\u00', "inside a string"),
    ('{"a": "x", "b', "inside a string"),
    ("{'a': 'x", "inside a string"),
    ("{“a”: “b", "inside a string"),
    ('"{\\"a\\": \\"x', "inside a string"),
    (json.dumps('{"a": "x'), "inside a string"),
    ('```json\n{"a": "x\n```', "inside a string"),
    ('{"a": ["x", "y', "inside a string"),
    # values and objects that are cut
    ("{", "before they are complete"),
    ('{"a"', "before they are complete"),
    ('{"a":', "before they are complete"),
    ('{"a": 1', "before they are complete"),
    ('{"a": 12', "before they are complete"),
    ('{"a": true', "before they are complete"),
    ('{"a": [1, 2', "before they are complete"),
    ('{"a": "x",', "before they are complete"),
    ('{"a": ["x",', "before they are complete"),
    ('{"a": [', "before they are complete"),
    ('{"a": {', "before they are complete"),
    ('{"a": tru', "a value was expected"),
    ('{"a": -', "JSON was expected"),
    ('{"a": "x" // note', "before they are complete"),
    ('{"a": "x" # }', "before they are complete"),
    ('{"a": "x", /* b', "a key was expected|JSON was expected"),
    # objects glued together, and words around
    ('{"a": 1}{"b": 2}', "more behind"),
    ('{"a": 1}\n{"b": 2}', "more behind"),
    ('{"a": 1}, {"b": 2}', "more behind"),
    ('{"a": 1}}', "more behind"),
    ('{"a": 1}]', "more behind"),
    ('{"a": 1} done', "more behind"),
    ('{"a": 1}</tool_call>', "more behind"),
    ('{}{"command": "rm"}', "more behind"),
    ('null{"a": 1}', "more behind"),
    ('{"a": 1};{"b": 2}', "more behind"),
    ('```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```', "more behind"),
    ('Here: {"a": 1}', "a value was expected"),
    ('arguments = {"a": 1}', "a value was expected"),
    ('"a": 1', "more behind"),
    ('"a": 1}', "more behind"),
    # keys that stand twice
    ('{"a": 1, "a": 2}', 'the key "a" stands twice'),
    ('{"a": 1, "a": 1}', 'the key "a" stands twice'),
    ('{"a": {"b": 1, "c": 2, "b": 3}}', 'the key "b" stands twice'),
    ('{"a": [{"b": 1}, {"b": 1, "b": 2}]}', 'the key "b" stands twice'),
    ('{"a": 1, "\\u0061": 2}', "stands twice"),
    ("{'a': 1, \"a\": 2}", "stands twice"),
    ("{a: 1, 'a': 2}", "stands twice"),
    ('{"a": {"x": 1}, "b": 2, "a": {"x": 1}}', "stands twice"),
    (json.dumps('{"a": 1, "a": 2}'), "stands twice"),
    # not an object
    ("[]", "not an object"),
    ('[{"a": 1}]', "not an object"),
    ("5", "not an object"),
    ("true", "not an object"),
    ('"x"', "a value was expected"),
    ('"[1]"', "not an object"),
    ("ls -la", "a value was expected"),
    ("# ls -la", "before they are complete"),
    ("// nothing", "before they are complete"),
    (json.dumps(json.dumps(json.dumps(json.dumps(json.dumps({"a": 1}))))), "not an object"),
    # values that are none
    ('{"a": NaN}', "NaN is no value"),
    ('{"a": Infinity}', "Infinity is no value"),
    ('{"a": [-Infinity]}', "-Infinity is no value"),
    ('{"a": undefined}', "a value was expected"),
    ('{"a": x}', "a value was expected"),
    ('{"a": src/main.py}', "a value was expected"),
    ('{"a": TRUE}', "a value was expected"),
    ('{"a": 1e400}', "out of range"),
    ('{"a": "\\ud800"}', "out of range"),
    ('{"a": 007}', "begins with a zero"),
    ('{"a": 0x1F}', "JSON was expected"),
    ('{"a": 1_000}', "JSON was expected"),
    ('{"a": 1.2.3}', "JSON was expected"),
    ('{"a": 12abc}', "JSON was expected"),
    # syntax with more than one reading
    ('{"a": "x" "b": "y"}', "a comma was expected"),
    ('{"a": "say "hi" now"}', "a comma was expected"),
    ("{'a': 'it's'}", "a comma was expected"),
    ('{"a": """x"""}', "a comma was expected"),
    ('{"a": "x" + "y"}', "a comma was expected"),
    ('{"a": [1 2]}', "a comma was expected"),
    ('{"a": [{"b": 1} {"b": 2}]}', "a comma was expected"),
    ('{"a": 1,, "b": 2}', "a key was expected"),
    ('{, "a": 1}', "a key was expected"),
    ('{"a": [1,,2]}', "a value was expected"),
    ('{"a": [,]}', "a value was expected"),
    ('{"a": [1, 2}', "a comma was expected"),
    ('{"a": {"b": 1]}', "a key was expected"),
    ('{"a" "b"}', "not followed by a colon"),
    ('{"a"}', "not followed by a colon"),
    ('{"a" = 1}', "JSON was expected"),
    ('{"a": , "b": 1}', "a value was expected"),
    ('{"a": }', "a value was expected"),
    ("{1: 2}", "a key was expected"),
    ("{a}", "a key was expected"),
    ('{"a": (1, 2)}', "JSON was expected"),
    ('{"a": `x`}', "JSON was expected"),
    ('{“a”: “say "hi"”}', "inside a string"),
    ('{"a": ...}', "JSON was expected"),
    ("{{'a': 1}}", "a key was expected"),
    # backslashes with more than one reading
    ('{"a": "\\d+\\n"}', "a backslash is not escaped: \\\\d"),
    ('{"a": "C:\\dir\\file"}', "a backslash is not escaped: \\\\d"),
    ('{"a": "\\bword\\s"}', "a backslash is not escaped"),
    ('{"a": "\\x41"}', "a backslash is not escaped: \\\\x"),
    ('{"a": "\\0"}', "a backslash is not escaped: \\\\0"),
    ('{"a": "(a)\\1"}', "a backslash is not escaped: \\\\1"),
    ('{"a": "\\$HOME"}', "a backslash is not escaped"),
    ('{"a": "\\`x\\`"}', "a backslash is not escaped"),
    ('{"a": "x \\\n y"}', "a backslash is not escaped"),
    ('{"a": "\\u12"}', "a backslash is not escaped: \\\\u"),
    ('{"a": "\\U0001F600"}', "a backslash is not escaped: \\\\U"),
    ('{"a": "\\é"}', "a backslash is not escaped"),
    # too much
    ('{"a": ' + "[" * 101 + "]" * 101 + "}", "nested deeper than 100"),
    ('{"a":' * 300 + "1" + "}" * 300, "nested deeper than 100"),
    ('{"a": "' + "x" * 10_000_000 + '"}', "longer than 10,000,000"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), REPAIRED, ids=[text[:40] for text, _ in REPAIRED])
def test_repaired(text: str, value: dict[str, Any]) -> None:
    read = repair(text)
    assert isinstance(read, Arguments)
    assert repr(read.input) == repr(value)
    assert repr(json.loads(read.text)) == repr(value)


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=[text[:40] for text, _ in REFUSED])
def test_refused(text: str, why: str) -> None:
    read = repair(text)
    assert isinstance(read, Refusal)
    with pytest.raises(UnreadableError, match=why):
        raise UnreadableError(read.why)


def test_there_are_enough_cases() -> None:
    assert len(REPAIRED) >= 90
    assert len(REFUSED) >= 100


def test_what_is_strict_stays_the_very_text() -> None:
    text = '{ "a" : 1.10 , "b":"\\u0061" }'
    read = repair(text)
    assert isinstance(read, Arguments)
    assert read.text is text


def test_numbers_are_kept_as_they_were_written() -> None:
    assert repair('{"a": 1.10, "b": 1e2,}') == Arguments(input={"a": 1.1, "b": 100.0}, text='{"a": 1.10, "b": 1e2}')


@pytest.mark.parametrize("text", ['{"a": "x"', '{"a": ["x"', "", "  "])
def test_in_an_answer_that_was_cut_nothing_is_merely_forgotten(text: str) -> None:
    assert isinstance(repair(text, cut=True), Refusal)


@pytest.mark.parametrize("text", ['{"a": "x",}', "{'a': 'x'}", '{"a": "x"}', '```json\n{"a": "x"}'])
def test_what_closes_itself_was_not_cut(text: str) -> None:
    read = repair(text, cut=True)
    assert isinstance(read, Arguments)
    assert read.input == {"a": "x"}


def test_a_value_is_read_out_of_a_text() -> None:
    text = "before ['a', {b: 1,},] behind"
    assert read_value(text, 7) == Reading('["a", {"b": 1}]', len(text) - len(" behind"))
    with pytest.raises(CutError):
        read_value("['a'", may_close=False)
    with pytest.raises(CutError):
        read_value("{'a': tr", may_close=False)
    with pytest.raises(UnreadableError) as caught:
        read_value("{'a': tr, 'b': 1}")
    assert not isinstance(caught.value, CutError)


def is_done_within(limit: float, function: Callable[[], object]) -> bool:
    """Whether it takes no more CPU time than that, at best: other programs run here too."""
    for _ in range(5):
        began = time.process_time()
        function()
        if time.process_time() - began < limit:
            return True
    return False


PIECES = [*"[{\"\\'`“*/#\n1.-a}]\u200b", '{"a":', "/*", "//", '"\\', "[1,", '{"a":1', "[]", '""', '"a":', '{"a":[']
PIECES += ["\\d", "\\u", "\\\\", "1e", "true ", ", ", ": ", "/* */"]


@pytest.mark.parametrize("before", ["", '{"a": ', '{"a": "', "{'", '"'])
def test_no_small_text_takes_long(before: str) -> None:
    for piece in PIECES:
        for behind in ("", '"}'):
            text = before + (piece * 10_000)[:10_000] + behind
            assert is_done_within(0.05, lambda text=text: repair(text)), text[:40]  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "' + "x\\n" * 300_000 + '"}',
        '{"a": "' + "x\\n" * 300_000 + '",}',
        '{"a": [' + "1, " * 300_000 + "1]}",
        '{"a": [' + '{"b": "c"}, ' * 80_000 + "1]}",
    ],
    ids=["text", "text with a comma too many", "numbers", "objects"],
)
def test_a_megabyte_is_read_quickly(text: str) -> None:
    assert isinstance(repair(text), Arguments)
    assert is_done_within(1, lambda: repair(text))


def test_what_is_damaged_and_has_too_many_parts_is_refused() -> None:
    assert repair('{"a": [' + "1, " * 300_000 + "]}") == Refusal(
        "they are no strict JSON, and too large to be repaired"
    )


# properties

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
odd_texts = st.lists(st.sampled_from(["\\", '"', "'", "\n", "\t", "//", "#", "{", "}", "[", ",", ":", "`", "d"])).map(
    "".join
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts | odd_texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts | st.sampled_from(["a", "file_path", "-A"]), values, max_size=4)


class Damaging:
    """Writes a value down as JSON, with damage at random that leaves one reading."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def _one_of(self, *options: str) -> str:
        return str(self._draw(st.sampled_from(options)))

    def _blank(self) -> str:
        return self._one_of("", "", " ", "\n", "/* x */", "// y\n", "# z\n", "\xa0")

    def _string(self, text: str) -> str:
        body = json.dumps(text, ensure_ascii=False)[1:-1]
        if self._one_of("raw", "escaped") == "raw":
            body = "".join({"\\n": "\n", "\\t": "\t", "\\r": "\r"}.get(part, part) for part in _escapes(body))
        if self._one_of('"', "'") == "'":
            parts = [{'\\"': '"', "'": "\\'"}.get(part, part) for part in _escapes(body)]
            return "'" + "".join(parts) + "'"
        return f'"{body}"'

    def _key(self, key: str) -> str:
        if key in {"a", "file_path", "-A"} and self._one_of("bare", "quoted") == "bare":
            return key
        return self._string(key)

    def write(self, value: Any) -> str:
        around = self._blank()
        return around + self._value(value) + ("" if around.startswith(("//", "#")) else around)

    def _value(self, value: Any) -> str:
        match value:
            case None | True | False:
                return self._one_of(json.dumps(value), str(value))
            case str():
                return self._string(value)
            case dict():
                items = [
                    f"{self._blank()}{self._key(key)}{self._one_of(': ', ':')}{self.write(one)}"
                    for key, one in value.items()
                ]
                return "{" + self._joined(items) + "}"
            case list():
                return "[" + self._joined([self.write(one) for one in value]) + "]"
        return json.dumps(value)

    def _joined(self, items: list[str]) -> str:
        return ",".join(items) + (self._one_of("", ",", ", ") if items else "")

    def wrap(self, text: str) -> str:
        match self._one_of("", "fence", "mark", "semicolon", "string", "blank"):
            case "fence":
                return f"```{self._one_of('json', '')}\n{text}\n```"
            case "mark":
                return "\ufeff" + text
            case "semicolon":
                return text + ";"
            case "string":
                return json.dumps(text)
            case "blank":
                return f" \n{text}\n "
        return text


def _escapes(body: str) -> list[str]:
    """A body of a JSON string, cut into characters and escapes."""
    parts, at = [], 0
    while at < len(body):
        size = 1 if body[at] != "\\" else 6 if body[at + 1] == "u" else 2
        parts.append(body[at : at + size])
        at += size
    return parts


@given(objects, st.data())
def test_whatever_the_damage_the_same_object_comes_back(value: dict[str, Any], data: st.DataObject) -> None:
    damage = Damaging(data.draw)
    read = repair(damage.wrap(damage.write(value)))
    assert isinstance(read, Arguments)
    assert repr(read.input) == repr(value)
    assert repr(json.loads(read.text)) == repr(value)


@given(objects, st.data())
def test_a_cut_inside_a_string_is_always_refused(value: dict[str, Any], data: st.DataObject) -> None:
    text = Damaging(data.draw).write(value) if data.draw(st.booleans()) else json.dumps(value)
    inside = _places_inside_strings(text)
    if inside:
        assert isinstance(repair(text[: data.draw(st.sampled_from(inside))]), Refusal)


def _places_inside_strings(text: str) -> list[int]:
    places: list[int] = []
    at = 0
    while at < len(text):
        if text[at] in "\"'":
            quote, begin = text[at], at
            at += 1
            while text[at] != quote:
                at += 2 if text[at] == "\\" else 1
            places += range(begin + 1, at + 1)
        elif text.startswith("/*", at):
            at = text.index("*/", at) + 1
        elif text.startswith(("//", "#"), at):
            at = text.index("\n", at)
        at += 1
    return places


@given(objects, st.data())
def test_a_key_that_stands_twice_is_always_refused(value: dict[str, Any], data: st.DataObject) -> None:
    key, one, other = data.draw(texts), data.draw(values), data.draw(values)
    value.pop(key, None)
    items = [f"{json.dumps(name)}: {json.dumps(item)}" for name, item in [*value.items(), (key, one), (key, other)]]
    text = "{" + ", ".join(data.draw(st.permutations(items))) + "}"
    assert isinstance(repair(text), Refusal)
    assert isinstance(repair('{"deep": [' + text + "]}"), Refusal)


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from([*"{}[]:,\"'\\/#`\n 1a", "//", "/*", "*/", "null", '"a"']), max_size=30).map("".join)
)
def test_whatever_comes_the_answer_is_strict_json_or_words(text: str) -> None:
    read = repair(text)
    if isinstance(read, Arguments):
        assert repair(read.text) == read
        assert repr(json.loads(read.text)) == repr(read.input)
    else:
        assert read.why
