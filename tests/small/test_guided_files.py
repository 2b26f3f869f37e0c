"""Files of every form, read and changed through a small model that is led: nothing but the change changes."""

from pathlib import Path

import pytest

from tests.server import ModelServer
from tests.small.led import CALC, MENDED, answer, asked, block, opened

BIG = "".join(f"LINE_{number} = {number}\n" for number in range(2_400)) + "\n\n" + CALC


async def test_a_long_file_is_read_to_its_end(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(BIG)
    async with opened(project, server, *[block(MENDED)] * 4) as session:
        await session.prompt("Make triple in calc.py multiply by 3")
    assert (project / "calc.py").read_text() == BIG.replace("number * 2", "number * 3")
    assert len(asked(server)) < 20_000


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n" * 200_000,
        b"x = '" + b"a" * 5_000 + b"'\n" + CALC.encode(),
        b"\x7fELF\0\0\0" + CALC.encode(),
    ],
    ids=["huge", "long line", "binary"],
)
async def test_what_cannot_be_seen_whole_stays_as_it_is(project: Path, server: ModelServer, data: bytes) -> None:
    (project / "calc.py").write_bytes(data)
    async with opened(project, server, *[block(MENDED)] * 8) as session:
        ended = await session.prompt("Make triple in calc.py multiply by 3")
        assert ended.reason == "end_turn"
        assert answer(session).startswith("Nothing was changed.")
    assert (project / "calc.py").read_bytes() == data


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CALC.replace("\n", "\r\n").encode(), CALC.replace("* 2", "* 3").replace("\n", "\r\n").encode()),
        (CALC.rstrip("\n").encode(), CALC.replace("* 2", "* 3").rstrip("\n").encode()),
        (b"\xef\xbb\xbf" + CALC.encode(), b"\xef\xbb\xbf" + CALC.replace("* 2", "* 3").encode()),
        (
            f"# Größe\n{CALC}".encode("latin-1"),
            f"# Größe\n{CALC}".replace("* 2", "* 3").encode("latin-1"),
        ),
        (CALC.replace("    ", "\t").encode(), CALC.replace("    ", "\t").replace("* 2", "* 3").encode()),
        (f"\f\n{CALC}".encode(), f"\f\n{CALC}".replace("* 2", "* 3").encode()),
    ],
    ids=["CRLF", "no end of line", "byte order mark", "latin-1", "tabs", "form feed"],
)
async def test_the_form_of_a_file_is_kept(project: Path, server: ModelServer, before: bytes, after: bytes) -> None:
    (project / "calc.py").write_bytes(before)
    async with opened(project, server, *[block(MENDED)] * 4) as session:
        await session.prompt("Make triple in calc.py multiply by 3")
    assert (project / "calc.py").read_bytes() == after


@pytest.mark.parametrize("name", ["my calc.py", "calc:12:x.py", "-calc.py", "[calc].py", "(calc).py", "ca\nlc.py"])
async def test_files_with_strange_names_are_read(project: Path, server: ModelServer, name: str) -> None:
    (project / name).write_text(CALC)
    async with opened(project, server, "It doubles.") as session:
        ended = await session.prompt("What does the function double do?")
        assert ended.reason == "end_turn"
    assert ("def double(number):" in asked(server)) == ("\n" not in name)


async def test_of_a_long_part_that_matters_some_is_shown(project: Path, server: ModelServer) -> None:
    words = "".join(f"word {number}\n" for number in range(1_500))
    (project / "words.txt").write_text(f"{words}the melon is ripe\n{words}")
    async with opened(project, server, "It is ripe.") as session:
        await session.prompt("Is the melon ripe?")
    assert "the melon is ripe\nword 0\n" in asked(server)
    assert len(asked(server)) < 6_000
