"""What a loop collects, as values tell that it should."""

import pytest

from ferrule.small.mends.collected import unwanted, with_lists
from ferrule.small.mends.slips import Trial

STRUNG = """def read(codes):
    names = {"a": "Ann", "b": "Ben", "x": "STOP"}
    found = ""
    for code in codes:
        if code in names:
            found += names[code]
    return found
"""
LISTED = STRUNG.replace('found = ""', "found = []").replace("found += names[code]", "found.append(names[code])")
PAIRS = {"read": [("AnnBen", ["Ann", "Ben"]), ("AnnSTOPBen", ["Ann"])]}


def test_texts_that_are_strung_together_become_a_list() -> None:
    assert with_lists(STRUNG, PAIRS) == LISTED


@pytest.mark.parametrize(
    "text",
    [
        LISTED,
        STRUNG.replace("return found", "return found.strip()"),
        STRUNG.replace("if code in names", "if code not in found"),
        STRUNG.replace("            found +=", "            pass; found +="),
        "no python",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert with_lists(text, PAIRS) == text
    assert with_lists(STRUNG, {"read": [("Ann", ["Ann"]), (["Ann"], ["Ben"])]}) == STRUNG
    assert with_lists(STRUNG, {}) == STRUNG


@pytest.mark.parametrize(("text", "line"), [(STRUNG, "found += names[code]"), (LISTED, "found.append(names[code])")])
def test_what_is_never_wanted_ends_it_or_is_passed_over(text: str, line: str) -> None:
    inner = " " * 12
    ways = [f"{inner}if names[code] == 'STOP':\n{inner}    {way}\n{inner}{line}" for way in ("break", "continue")]
    assert unwanted(text, None, PAIRS) == [Trial(5, way) for way in ways]
    assert unwanted(text, None, {"read": [("AnnBen", ["Ann", "Ben"])]}) == []
