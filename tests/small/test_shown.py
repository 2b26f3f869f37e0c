"""What is shown wrongly, as a check."""

import subprocess
from pathlib import Path

import pytest

from ferrule.small.checks.shown import check_of, search_command, shown_check, shown_in, takers
from tests.server import ModelServer
from tests.small.led import answer, block, calls, opened

AMOUNTS = """\
def to_amount(text):
    text = text.strip().split(",")[0]
    return float(text or 0)


def to_text(amount, digits=2):
    return f"{amount:.{digits}f}"


def both(one, other):
    return one + other


class Sum:
    def add(self, one):
        return 1
"""
COUNTED = (
    'The totals of totals.py are too low: an amount like "1,160.50" is counted as 1.00 instead of 1160.50. Fix it.'
)


@pytest.mark.parametrize(
    ("text", "call", "wrong", "right"),
    [
        ("a song of 185 seconds is shown as 3:5, it shoud be 3:05. fix as_text", "as_text(185)", "3:5", "3:05"),
        ("as_text: 185 is shown as 3:5 instead of 3:05", "as_text(185)", "3:5", "3:05"),
        ("In as_text 'a b' becomes `a+b`, but it should be `a-b`.", "as_text('a b')", "a+b", "a-b"),
    ],
)
def test_what_is_shown_wrongly_becomes_a_check(text: str, call: str, wrong: str, right: str) -> None:
    check = shown_check(text, {"as_text": "clock.py", "other": "clock.py"})
    assert check is not None
    assert (check.expects, check.now) == (((f"str({call})", repr(right)),), (repr(wrong),))
    assert check.is_meant(f"{wrong!r}\nExit code: 0")
    assert not check.is_meant("'x'\nExit code: 0")


@pytest.mark.parametrize(
    "text", ["185 is shown as 3:5, it should be 3:05", "as_text is wrong", "185 seconds in as_text"]
)
def test_what_is_not_said_clearly_is_no_check(text: str) -> None:
    assert shown_check(text, {"as_text": "clock.py"}) is None


@pytest.mark.parametrize(
    ("text", "expects"),
    [
        ("format_time should show hours: 3725 seconds should be 1:02:05.", [("str(format_time(3725))", "'1:02:05'")]),
        ('format_time: 0 should become "none", please', [("str(format_time(0))", "'none'")]),
        ("In format_time the default 60 should be 90.", []),
        ("In format_time 3 should be a number.", []),
    ],
)
def test_what_should_come_of_a_value_is_checked(text: str, expects: list[tuple[str, str]]) -> None:
    check = shown_check(text, {"format_time": "clock.py", "other": "clock.py"})
    assert (list(check.expects) if check else []) == expects


def test_functions_of_one_value() -> None:
    assert takers("amounts.py", AMOUNTS) == ["to_amount", "to_text"]
    assert takers("my amounts.py", AMOUNTS) == []
    assert takers("amounts.py", "def (") == []


def test_the_function_that_does_so_is_searched(tmp_path: Path) -> None:
    (tmp_path / "amounts.py").write_text(AMOUNTS)
    shown = shown_in(COUNTED)
    assert shown is not None
    command = search_command(shown, {"to_text": "amounts.py", "to_amount": "amounts.py", "gone": "none.py"})
    ended = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout == "found to_amount\n"
    check = check_of(shown, ["to_amount"], {"to_amount": "amounts.py"})
    assert (check.expects, check.told) == ((('to_amount("1,160.50")', "1160.50"),), '`to_amount("1,160.50")`')


async def test_what_is_wrong_is_mended_where_it_is(project: Path, server: ModelServer) -> None:
    totals = "from amounts import to_amount\n\n\ndef total(rows):\n    return sum(map(to_amount, rows))\n"
    (project / "totals.py").write_text(totals)
    (project / "amounts.py").write_text(AMOUNTS)
    wrong = AMOUNTS.replace("float(text or 0)", 'float(text.replace(",", "") or 0)')
    right = AMOUNTS.replace('.split(",")[0]', '.replace(",", "")')
    replies = [block(totals, "totals.py"), *[block(wrong, "amounts.py"), block(right, "amounts.py")] * 3]
    async with opened(project, server, *replies) as session:
        await session.prompt(COUNTED)
        assert answer(session) == 'Changed amounts.py. Checked: `to_amount("1,160.50")`.'
        assert sum("found" in command for name, command in calls(session) if name == "bash") == 1
    assert (project / "totals.py").read_text() == totals
    assert (project / "amounts.py").read_text() == right
