"""Tables with wrong values."""

from pathlib import Path

import pytest

from ferrule.small.mends.tables import with_told_values
from tests.server import ModelServer
from tests.small.led import block, opened

WRONG = "def pair(one):\n    pairs = {'ü': 'C', 'C': 'G', 'G': 'A'}\n    return ''.join(pairs[each] for each in one)\n"
RIGHT = WRONG.replace("'ü': 'C'", "'ü': 'U'").replace("'G': 'A'", "'G': 'C'")


def test_several_values_of_a_line_are_put_right() -> None:
    wrong = [("pair('ü')", "'U'", "'C'"), ("pair('G')", "'C'", "'A'"), ("pair('üG')", "'UC'", "'CA'")]
    assert with_told_values(WRONG, wrong) == RIGHT


@pytest.mark.parametrize(
    "wrong",
    [
        ("pair('ü')", "'U'", "'X'"),  # it does not come of that table
        ("pair('C', 2)", "'U'", "'G'"),
        ("pair('C')", "3", "'G'"),
        ("pair('C')", "'U'", "raises KeyError: 1"),
        ("pair(x)", "'U'", "'G'"),
        ("pair(", "'U'", "'G'"),
    ],
)
def test_all_else_stays(wrong: tuple[str, str, str]) -> None:
    assert with_told_values(WRONG, [wrong]) == WRONG
    assert with_told_values("no python", [wrong]) == "no python"


async def test_a_model_is_not_asked_again_for_what_tests_tell(project: Path, server: ModelServer) -> None:
    (project / "pairs.py").write_text("def pair(one):\n    pass\n")
    pasted = "".join(
        f"FAIL: test_{n} (t.T.test_{n})\n    self.assertEqual(pair({key!r}), {value!r})\nAssertionError: 1 != 2\n\n"
        for n, (key, value) in enumerate({"ü": "U", "G": "C", "üG": "UC"}.items())
    )
    async with opened(project, server, block(WRONG, "pairs.py")) as session:
        await session.prompt("pair(one) in pairs.py gives for each letter the other one. Fill it in.")
        await session.prompt(f"The tests fail:\n\n{pasted}\nFix it.")
    assert (project / "pairs.py").read_text() == RIGHT
    assert len(server.requests) == 1
