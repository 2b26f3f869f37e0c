"""Scripts that check other files, whatever they are called."""

from pathlib import Path

import pytest

from ferrule.small.checks.check import asserted_in, asserting_check
from ferrule.small.mends.possible import possible
from ferrule.small.words.wish import understand
from tests.server import ModelServer
from tests.small.led import answer, block, opened

BASKET = 'def total(prices, discount=0):\n    """Less so many per cent."""\n    return sum(prices) * (1 - discount)\n'
CHECK = "from basket import total\n\nassert total([10, 20]) == 30\nassert total([10, 20], discount=10) == 27\n"


@pytest.mark.parametrize("request_", ["check.py fails; mend it", "`python3 check.py` fails, please mend it"])
async def test_what_it_checks_is_mended_and_not_the_script(request_: str, project: Path, server: ModelServer) -> None:
    (project / "basket.py").write_text(BASKET)
    (project / "check.py").write_text(CHECK)
    async with opened(project, server, *[block(BASKET, "basket.py")] * 6) as session:
        await session.prompt(request_)
        assert answer(session) == "Changed basket.py. Checked: `python3 -B check.py`."
    assert (project / "basket.py").read_text() == BASKET.replace("- discount", "- discount / 100")
    assert (project / "check.py").read_text() == CHECK


async def test_a_slip_may_be_in_the_file_that_is_less_likely(project: Path, server: ModelServer) -> None:
    total = "from rates import taxed\n\n\ndef total(prices):\n    return sum(map(taxed, prices))\n"
    rates = "def taxed(price):\n    if price > 3:\n        return 2 * price\n    return price\n"
    (project / "basket.py").write_text(total)
    (project / "rates.py").write_text(rates)
    cases = "assert [total([1, price]) for price in (1, 2, 3, 4)] == [2, 3, 7, 9]"
    (project / "check.py").write_text(f"import rates\nfrom basket import total\n\n{cases}\n")
    async with opened(project, server, *[block(total)] * 4, block(rates)) as session:
        await session.prompt("check.py fails; mend it. The total of three things is wrong.")
        assert answer(session) == "Changed rates.py. Checked: `python3 -B check.py`."
    assert (project / "rates.py").read_text() == rates.replace("> 3", ">= 3")


async def test_what_does_not_help_is_left_in_no_file_that_was_only_guessed(project: Path, server: ModelServer) -> None:
    (project / "basket.py").write_text("import rates\n\n\ndef total(prices):\n    return rates.odd(prices)\n")
    (project / "rates.py").write_text("def odd(prices):\n    return 7\n")
    (project / "check.py").write_text(
        "from basket import total\nimport rates\n\nassert total([1]) == total([2]) - 90\n"
    )
    before = {path.name: path.read_text() for path in project.glob("*.py")}
    junk = [block("def more():\n    return 1\n"), block("def less():\n    return 2\n")]
    async with opened(project, server, *junk * 6) as session:
        await session.prompt("check.py fails; mend it. The total is wrong.")
        assert answer(session).startswith("Nothing was changed.")
    assert {path.name: path.read_text() for path in project.glob("*.py")} == before


async def test_a_model_that_changes_nothing_is_told_of_in_words_for_people(project: Path, server: ModelServer) -> None:
    odd = "def total(prices):\n    return 7\n"
    (project / "basket.py").write_text(odd)
    (project / "check.py").write_text("from basket import total\nassert total([1]) == total([2]) - 90\n")
    async with opened(project, server, *[block(odd, "basket.py")] * 12) as session:
        await session.prompt("check.py fails; mend it")
        assert "Make the change" not in answer(session)
    assert (project / "basket.py").read_text() == odd


@pytest.mark.parametrize(
    ("request_", "text", "is_one"),
    [
        ("check.py fails", CHECK, True),
        ("check.py is failing", CHECK, True),
        ("check.py fails", "def check():\n    assert True\n", False),
        ("check.py should be faster", CHECK, False),
        ("deploy.sh fails", "assert true\n", False),
    ],
)
def test_which_scripts_these_are(request_: str, text: str, is_one: bool) -> None:
    found = asserting_check(understand(request_), {"check.py": text, "deploy.sh": text})
    assert (found.command if found else "") == ("python3 -B check.py" if is_one else "")


def test_whose_assertion_it_is() -> None:
    frame = 'Traceback (most recent call last):\n  File "/p/check.py", line 4, in <module>\n    assert f() == 1\n'
    assert asserted_in(f"{frame}AssertionError: got 2\n") == "/p/check.py"
    assert asserted_in(f"{frame}TypeError: no\n") == ""
    assert asserted_in("AssertionError") == ""


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("    names = rows.sort(key=len)", "    names = sorted(rows, key=len)"),
        ("    return price * (1 - rate)", "    return price * (1 - rate / 100)"),
        (
            "    return max(rows, key=lambda one: one['n'])",
            "    return max(rows, key=lambda one: int(one['n']))",
        ),
        ("    return row['size'] > 'ä' + x['ü']", "    return row['size'] > 'ä' + float(x['ü'])"),
    ],
)
def test_what_is_computed_with_may_be_something_else(line: str, other: str) -> None:
    text = f"def f(rows):\n{line}\n"
    assert other in [one.line for one in possible("calc.py", text, None, [], {"calc.py": text})]


@pytest.mark.parametrize(
    ("line", "other"),
    [
        (
            '    return sorted(rows, key=lambda row: row["due"] or "")',
            "    return sorted(rows, key=lambda row: (not row['due'], row['due'] or ''))",
        ),
        (
            "    return max(0, (rows.due() - last).days)",
            "    return max(0, (last - rows.due()).days)",
        ),
        (
            '    text = rows.strip().split(",")[0]',
            "    text = rows.strip().replace(',', '')",
        ),
        (
            "    return [CODES[one] for one in rows]",
            "    return [{value: key for key, value in CODES.items()}[one] for one in rows]",
        ),
    ],
)
def test_what_else_a_line_may_mean(line: str, other: str) -> None:
    text = f"def f(rows):\n{line}\n"
    assert other in [one.line for one in possible("calc.py", text, None, ["KeyError: 'x'"], {"calc.py": text})]
