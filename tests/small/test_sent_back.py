"""Answers that are no change, or too much of one."""

from pathlib import Path

import pytest

from tests.server import ModelServer
from tests.small.led import CALC, FENCE, MENDED, answer, block, opened

BILL = """\
def bill(items, member):
    total = 0
    for item in items:
        total += item["price"]
    if member:
        total *= 0.9
    if total > 100:
        total -= 5
    return total
"""
ANEW = """\
def bill(items, member):
    sums = [one["price"] * one.get("count", 1) for one in items]
    whole = sum(sums)
    reduced = whole * 0.9 if member else whole
    return reduced - 5 if reduced > 100 else reduced
"""
SPARING = BILL.replace('item["price"]', 'item["price"] * item.get("count", 1)')


@pytest.mark.parametrize(
    ("request_", "replies", "text"),
    [
        ("bill in bill.py should count how many there are of each item.", [ANEW, SPARING], SPARING),
        ("bill in bill.py should count how many there are of each item.", [ANEW, ANEW], ANEW),
        ("Refactor bill in bill.py and count how many there are of each item.", [ANEW], ANEW),
    ],
)
async def test_who_writes_everything_anew_is_told_once(
    project: Path, server: ModelServer, request_: str, replies: list[str], text: str
) -> None:
    (project / "bill.py").write_text(BILL)
    async with opened(project, server, *(block(one, "bill.py") for one in replies)) as session:
        await session.prompt(request_)
    assert (project / "bill.py").read_text() == text
    assert len(server.requests) == len(replies)


async def test_an_import_that_nothing_uses_is_no_change(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, block(f"import math\n\n\n{CALC}"), block(MENDED)) as session:
        await session.prompt("triple in calc.py should multiply by 3")
    assert "import math" not in (project / "calc.py").read_text()
    assert "number * 3" in (project / "calc.py").read_text()


async def test_other_blanks_are_no_change_where_they_mean_nothing(project: Path, server: ModelServer) -> None:
    code = "function slug(text) {\n  return text.trim();\n}\n\nmodule.exports = { slug };\n"
    (project / "slug.js").write_text(code)
    same = f"{FENCE}javascript\n{code.replace('  return', 'return')}{FENCE}\n"
    better = f"{FENCE}javascript\n{code.replace('trim()', 'toLowerCase()')}{FENCE}\n"
    async with opened(project, server, same, better) as session:
        await session.prompt("slug in slug.js should make letters small.")
        assert answer(session) == "Changed slug.js."
    assert (project / "slug.js").read_text() == code.replace("trim()", "toLowerCase()")


@pytest.mark.parametrize("before", ["", '"""Ours."""\n'])
async def test_a_package_that_imports_more_is_another(project: Path, server: ModelServer, before: str) -> None:
    (project / "shop").mkdir()
    (project / "shop" / "cart.py").write_text("def total(): ...\n")
    if before:
        (project / "shop" / "__init__.py").write_text(before)
    new = f"{before}from shop.cart import total\n"
    async with opened(project, server, block(new, "shop/__init__.py")) as session:
        await session.prompt("Let shop/__init__.py offer total of shop/cart.py as its own.")
    assert "from shop.cart import total" in (project / "shop" / "__init__.py").read_text()
