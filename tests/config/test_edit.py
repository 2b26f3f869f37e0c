"""Setting one value: the value is there, and not one other byte has changed."""

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.config.edit import add_for_user, project_file, store, user_file, with_items, with_value
from ferrule.config.jsonc import parse
from ferrule.core.errors import ConfigError

WRITTEN = """\
// my settings
{
  "llm": {
    "model": "old", // the good one
    /* keep cool */
    "temperature": 0.5
  },
  # rules
  "safety": { "deny": ["bash(rm *)"] },
}
"""


def changed(text: str, name: str, value: Any) -> str:
    return with_value(parse(text.encode(), "f.json"), name, value)


def test_a_value_is_replaced_where_it_stands() -> None:
    assert changed(WRITTEN, "llm.model", "new") == WRITTEN.replace('"old"', '"new"')
    assert changed(WRITTEN, "safety.deny", ("a", "b")) == WRITTEN.replace('["bash(rm *)"]', '["a", "b"]')


def test_a_key_is_added_behind_the_last_of_its_section() -> None:
    assert changed(WRITTEN, "llm.max_tokens", 9) == WRITTEN.replace(
        '"temperature": 0.5\n', '"temperature": 0.5,\n    "max_tokens": 9\n'
    )
    assert changed(WRITTEN, "safety.mode", "plan") == WRITTEN.replace(
        '["bash(rm *)"] }', '["bash(rm *)"], "mode": "plan" }'
    )


def test_a_section_is_added_behind_the_last_one() -> None:
    assert changed(WRITTEN, "agent.max_turns", 5) == WRITTEN.replace(
        '"] },\n}', '"] },\n  "agent": {\n    "max_turns": 5\n  },\n}'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "llm": {\n    "model": "m"\n  }\n}\n'),
        ("// note", '// note\n{\n  "llm": {\n    "model": "m"\n  }\n}\n'),
        ("// note\r\n", '// note\r\n{\r\n  "llm": {\r\n    "model": "m"\r\n  }\r\n}\r\n'),
        ("{}", '{\n  "llm": {\n    "model": "m"\n  }\n}'),
        ("{ // note\n}\n", '{ // note\n  "llm": {\n    "model": "m"\n  }\n}\n'),
        ('{"ui": {}}', '{"ui": {}, "llm": {"model": "m"}}'),
        ('{"ui": {},}', '{"ui": {}, "llm": {"model": "m"},}'),
        ('{"ui": {} /* x */}', '{"ui": {}, /* x */ "llm": {"model": "m"}}'),
        ('{"llm": {}}', '{"llm": {\n  "model": "m"\n}}'),
        ('{"llm": {"model": "x"}}', '{"llm": {"model": "m"}}'),
        ('{\n\t"ui": {}\n}', '{\n\t"ui": {},\n\t"llm": {\n\t\t"model": "m"\n\t}\n}'),
        ('{\n    "llm": {}\n}', '{\n    "llm": {\n        "model": "m"\n    }\n}'),
        ('{\n  "ui": {} // last\n}', '{\n  "ui": {}, // last\n  "llm": {\n    "model": "m"\n  }\n}'),
        (
            '{\n  "ui": {}\n  // "llm": {}\n}',
            '{\n  "ui": {},\n  // "llm": {}\n  "llm": {\n    "model": "m"\n  }\n}',
        ),
        ('{"ui": {} // x\r}', '{"ui": {}, // x\r"llm": {\r  "model": "m"\r}\r}'),
        ('{"ui":\n{}}', '{"ui":\n{},\n"llm": {\n  "model": "m"\n}}'),
    ],
)
def test_files_of_every_shape(before: str, after: str) -> None:
    assert changed(before, "llm.model", "m") == after


blank = st.sampled_from(["", " ", "\n", "\n  ", "\r\n", "\r", "// n\n", "# n\r", "/* x */", "/* ,} */\n"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    def between() -> str:
        return draw(blank)

    def an_object(depth: int) -> str:
        members = [
            f"{between()}{json.dumps(name)}{between()}:{between()}{an_object(1) if depth == 0 else draw(scalars)}"
            for name in draw(st.lists(st.sampled_from("abcé" if depth == 0 else "xyz"), unique=True, max_size=3))
        ]
        comma = between() + draw(st.sampled_from(["", ","])) if members else ""
        return "{" + (between() + ",").join(members) + comma + between() + "}"

    return between() + an_object(0) + between()


scalars = st.sampled_from(["1", '"}"', "[1, 2]", "true", '"// no"', "[\n1\n]"])


@settings(deadline=None)
@given(documents() | blank, st.sampled_from("abcé"), st.sampled_from("xyz"), st.sampled_from([1, "é\n}", ("p", "q")]))
def test_whatever_the_file_looks_like_the_key_is_set_and_the_rest_is_kept(
    text: str, section: str, key: str, value: Any
) -> None:
    before = parse(text.encode(), "f.json")
    after = with_value(before, f"{section}.{key}", value)
    expected = before.root.plain if before.root else {}
    expected.setdefault(section, {})[key] = list(value) if isinstance(value, tuple) else value
    root = parse(after.encode(), "f.json").root
    assert root is not None
    assert root.plain == expected
    if key not in (before.root.plain if before.root else {}).get(section, {}):
        assert is_spread_over(re.sub(r"[ \t]+}", "}", text), after)  # an empty object may get another form


def is_spread_over(pieces: str, text: str) -> bool:
    """Whether all characters of the first stand in the second, in their order."""
    rest = iter(text)
    return all(char in rest for char in pieces)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "safety": {\n    "allow": ["a", "b"]\n  }\n}\n'),
        ('{"safety": {}}', '{"safety": {\n  "allow": ["a", "b"]\n}}'),
        ('{"safety": {"allow": []}}', '{"safety": {"allow": ["a", "b"]}}'),
        ('{"safety": {"allow": [/* c */]}}', '{"safety": {"allow": [/* c */"a", "b"]}}'),
        ('{"safety": {"allow": [ // c\n]}}', '{"safety": {"allow": [ // c\n"a", "b"]}}'),
        ('{"safety": {"allow": ["x"]}}', '{"safety": {"allow": ["x", "a", "b"]}}'),
        ('{"safety": {"allow": ["x",]}}', '{"safety": {"allow": ["x", "a", "b",]}}'),
        ('{"safety": {"allow": ["a"]}}', '{"safety": {"allow": ["a", "b"]}}'),
        ('{"safety": {"allow": ["b", "a"]}}', '{"safety": {"allow": ["b", "a"]}}'),
        (
            '{"safety": {"allow": [\r\n\t"x" // mine\r\n]}}',
            '{"safety": {"allow": [\r\n\t"x", // mine\r\n\t"a",\r\n\t"b"\r\n]}}',
        ),
    ],
)
def test_items_join_a_list_and_its_comments_stay(before: str, after: str) -> None:
    assert with_items(parse(before.encode(), "f.json"), "safety.allow", ["a", "b", "a"]) == after


@settings(deadline=None)
@given(documents() | blank, st.sampled_from("abcé"), st.lists(st.sampled_from(["p", "q", "// r"]), min_size=1))
def test_whatever_the_file_looks_like_items_join_a_list(text: str, section: str, items: list[str]) -> None:
    text = text.replace("[1, 2]", '["p"/**/]').replace("[\n1\n]", "[ // ]\n]")
    before = parse(text.encode(), "f.json")
    expected = before.root.plain if before.root else {}
    if not isinstance(expected.get(section, {}).get("x", []), list):
        return
    after = parse(with_items(before, f"{section}.x", items).encode(), "f.json")
    old = expected.setdefault(section, {}).get("x", [])
    expected[section]["x"] = list(dict.fromkeys((*old, *items)))
    assert after.root is not None
    assert after.root.plain == expected


def test_what_is_always_allowed_goes_to_the_users_own_file(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    path = tmp_path / ".config/ferrule/config.json"
    assert add_for_user("safety.allow", ["bash(npm test *)"], environ) == path
    assert add_for_user("safety.allow", ["bash(make)", "bash(npm test *)"], environ) == path
    assert json.loads(path.read_text()) == {"safety": {"allow": ["bash(npm test *)", "bash(make)"]}}
    with pytest.raises(ConfigError, match=r"safety\.allow\[0\] must be a rule"):
        add_for_user("safety.allow", ["bash(rm"], environ)


def test_a_new_file_is_private_and_a_second_value_joins_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "config.json"
    assert store(path, "llm.model", "m") == 3
    assert store(path, "agent.max_turns", 7) == 6
    assert path.read_text() == ('{\n  "llm": {\n    "model": "m"\n  },\n  "agent": {\n    "max_turns": 7\n  }\n}\n')
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ['{"llm": }', '{"llm": {"modle": "x"}}', '{"ui": {"color": 3}}', "[]", "\ufeff{}"])
def test_a_file_with_errors_is_not_touched(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"config\.json:1:"):
        store(path, "llm.model", "m")
    assert path.read_text("utf-8") == text
    assert [one.name for one in tmp_path.iterdir()] == ["config.json"]


def test_which_file_is_written_to(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert user_file(environ) == tmp_path / ".config/ferrule/config.json"
    assert project_file(tmp_path) == tmp_path / ".ferrule/config.json"
    (tmp_path / ".ferrule.json").touch()
    assert user_file(environ) == tmp_path / ".ferrule.json"
    assert project_file(tmp_path) == tmp_path / ".ferrule.json"
    (tmp_path / ".ferrule").mkdir()
    (tmp_path / ".ferrule/config.json").touch()
    assert project_file(tmp_path) == tmp_path / ".ferrule/config.json"


SETTING = """
import sys
from pathlib import Path
from ferrule.config.edit import store
path, first = Path(sys.argv[1]), int(sys.argv[2])
for number in range(first, 40, 2):
    store(path, f"safety.{'allow' if number % 2 else 'deny'}", (f"bash({number})",))
    store(path, ("agent.max_turns", "llm.max_tokens")[number % 2], number)
"""


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    workers = [subprocess.Popen([sys.executable, "-c", SETTING, path, first]) for first in ("0", "1")]
    assert [worker.wait(50) for worker in workers] == [0, 0]
    root = parse(path.read_bytes(), "f.json").root
    assert root is not None
    assert root.plain == {
        "safety": {"allow": ["bash(39)"], "deny": ["bash(38)"]},
        "agent": {"max_turns": 38},
        "llm": {"max_tokens": 39},
    }
