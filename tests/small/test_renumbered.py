"""Numbers that are to be others."""

from pathlib import Path

import pytest

from ferrule.small.words.renumbered import renumbered, renumbering
from ferrule.small.words.wish import understand
from tests.server import ModelServer
from tests.small.led import answer, opened

RATES = "DAY_CAP = 24.0\nMAX_GRAMS = 20_000\nTAX = 0.07\nFREE_MINUTES = 10\nTRIES = 3\nPRICE_PER_M3 = 2.10\n"


def changed(request: str, text: str = RATES) -> str | None:
    wish = understand(request)
    change = renumbering(wish)
    found = renumbered(wish, change, {"rates.py": text}) if change else None
    lines = zip(text.split("\n"), found[1].split("\n"), strict=True) if found else ()
    return next((new for old, new in lines if old != new), None)


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("Raise the daily cap in shop/rates.py from 24 to 30.", "DAY_CAP = 30.0"),
        ("The post office now takes parcels up to 30 kg, not just 20 kg. Please change that.", "MAX_GRAMS = 30_000"),
        ("The tax should be 8 % instead of 7 %.", "TAX = 0.08"),
        ("The first 15 minutes of parking should be free, not only 10.", "FREE_MINUTES = 15"),
        ("A cubic metre of water costs 2.35 instead of 2.10. Please change it.", "PRICE_PER_M3 = 2.35"),
        ("Set TRIES to 5.", "TRIES = 5"),
        ("Please let the free minutes be 20.", "FREE_MINUTES = 20"),
        ("The cap is 24, make it 28", "DAY_CAP = 28.0"),
        ("One may try 3 times. Make that 4.", "TRIES = 4"),
    ],
)
def test_the_number_that_is_meant_is_changed(request_: str, line: str) -> None:
    assert changed(request_) == line


@pytest.mark.parametrize(
    "request_",
    [
        "cap(3) gives 24 instead of 30. Fix it.",
        "The report shows 24 instead of 30, please fix that.",
        "Change the limit from 99 to 100.",
        "Let the list have 5 entries at most.",
        "Add a setting for 10 retries.",
        "Rename TRIES to ATTEMPTS.",
    ],
)
def test_what_is_not_plain_is_left_to_the_model(request_: str) -> None:
    assert changed(request_) is None


def test_a_number_in_two_places_is_left_to_the_model() -> None:
    assert changed("Raise the cap from 24 to 30.", "DAY_CAP = 24\nNIGHT_CAP = 24\n") is None
    assert changed("Wait 500 steps instead of 200, please", "DELAY_MS = 200\nMOST = 200\n") is None
    assert (
        changed("Wait 500 ms instead of 200 (see js/a.js), please", "DELAY_MS = 200\nMOST = 200\n") == "DELAY_MS = 500"
    )
    assert changed("please wait 500 ms rather than 200 ms", "pause = 0.2\nleast = 300\n") == "pause = 0.5"
    assert changed("Raise the day cap from 24 to 30.", "# the day cap is 24\nDAY_CAP = 24\n") == "DAY_CAP = 30"


async def test_it_is_done_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "rates.py").write_text(RATES)
    (project / "notes.md").write_text("The cap is 24.\n")
    async with opened(project, server) as session:
        await session.prompt("Raise the daily cap from 24 to 30.")
        assert answer(session) == "Changed rates.py."
    assert (project / "rates.py").read_text() == RATES.replace("24.0", "30.0")
    assert server.requests == []


async def test_it_is_done_in_each_file_that_is_named_or_left_to_the_model(project: Path, server: ModelServer) -> None:
    (project / "labels.js").write_text("const TITLE_LIMIT = 60;\nconst HOUR = 60;\n")
    (project / "form.html").write_text('<input name="title" maxlength="60">\n')
    async with opened(project, server) as session:
        await session.prompt("Allow titles of 80 characters instead of 60, both in form.html and in labels.js.")
    assert "TITLE_LIMIT = 80" in (project / "labels.js").read_text()
    assert 'maxlength="80"' in (project / "form.html").read_text()
    async with opened(project, server, *["I do not know."] * 12) as session:
        await session.prompt("Allow titles of 90 characters instead of 80, both in README.md and in labels.js.")
    assert server.requests
