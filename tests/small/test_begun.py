"""Sums that nobody begins."""

import pytest

from ferrule.small.mends.begun import with_begun

LISTED = """\
def listed(rows):
    rows_text = "a"
    for row in rows:
        {} += row
    return rows_text
"""


def test_the_name_that_is_meant_is_taken() -> None:
    assert with_begun(LISTED.format("row_text")) == LISTED.format("rows_text")


@pytest.mark.parametrize(
    "text",
    [
        LISTED.format("rows_text"),
        LISTED.format("total"),
        f"row_text = ''\n{LISTED.format('row_text')}",
        LISTED.format("row_text").replace("    for", "    global row_text\n    for"),
        LISTED.format("row_text").replace("(rows)", "(rows, row_text)"),
        LISTED.format("self.row_text"),
        "def f(:\n    x += 1\n",
        "rows += 1\n",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert with_begun(text) == text
