"""Arguments that are not quite JSON: the syntax is repaired, content is neither invented nor dropped."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ferrule.llm.repair import Arguments, CutError, Reading, Refusal, UnreadableError, read_value, repair
from tests.llm.arguments import REFUSED, REPAIRED


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


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(objects, st.data())
def test_whatever_the_damage_the_same_object_comes_back(value: dict[str, Any], data: st.DataObject) -> None:
    damage = Damaging(data.draw)
    read = repair(damage.wrap(damage.write(value)))
    assert isinstance(read, Arguments)
    assert repr(read.input) == repr(value)
    assert repr(json.loads(read.text)) == repr(value)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(objects, st.data())
def test_a_key_that_stands_twice_is_always_refused(value: dict[str, Any], data: st.DataObject) -> None:
    key, one, other = data.draw(texts), data.draw(values), data.draw(values)
    value.pop(key, None)
    items = [f"{json.dumps(name)}: {json.dumps(item)}" for name, item in [*value.items(), (key, one), (key, other)]]
    text = "{" + ", ".join(data.draw(st.permutations(items))) + "}"
    assert isinstance(repair(text), Refusal)
    assert isinstance(repair('{"deep": [' + text + "]}"), Refusal)


@settings(deadline=None)
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


@pytest.mark.slow
@settings(max_examples=1_500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(objects, st.data())
def test_much_damage_changes_nothing(value: dict[str, Any], data: st.DataObject) -> None:
    damage = Damaging(data.draw)
    text = damage.write(value)
    read = repair(damage.wrap(text))
    assert isinstance(read, Arguments)
    assert repr(read.input) == repr(value)
    for place in _places_inside_strings(text):
        assert isinstance(repair(text[:place]), Refusal)
