import os
from pathlib import Path

from ferrule.core.tool import Effect
from ferrule.tools.ls import Ls
from tests.tools.calling import context_in, make_tree, refusal_of, words_of


async def test_entries_by_name_without_regard_to_case(tmp_path: Path) -> None:
    make_tree(tmp_path, {"b.txt": "", "A.txt": "", ".hidden": "", "src/x.py": "", "B/y": "", "ünder": ""})
    (tmp_path / "link").symlink_to("src/x.py")
    (tmp_path / "dangling").symlink_to("../no\nwhere/")
    lines = (await words_of(Ls(), context_in(tmp_path))).split("\n")
    assert lines == [
        ".hidden",
        "A.txt",
        "B/",
        "b.txt",
        "dangling -> ../no\\nwhere/",
        "link -> src/x.py",
        "src/",
        "ünder",
    ]
    assert await words_of(Ls(), context_in(tmp_path), path="src") == "x.py"


async def test_places_elsewhere(tmp_path: Path) -> None:
    make_tree(tmp_path, {"here/a": "", "there/b": ""})
    context = context_in(tmp_path / "here")
    assert await words_of(Ls(), context, path="../there") == "b"
    assert await words_of(Ls(), context, path=str(tmp_path / "there")) == "b"


async def test_an_empty_directory(tmp_path: Path) -> None:
    assert await words_of(Ls(), context_in(tmp_path)) == "The directory is empty."


async def test_five_hundred_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    make_tree(tmp_path, {f"{number:04}": "" for number in range(1_001)})
    lines = (await words_of(Ls(), context_in(tmp_path))).split("\n")
    assert lines == [*(f"{number:04}" for number in range(500)), "(500 of 1,001 entries shown)"]


async def test_odd_names_are_shown_on_one_line(tmp_path: Path) -> None:
    make_tree(tmp_path, {"new\nline": "", "\x1b]0;title\x07": "", "right\u202eleft": ""})
    (tmp_path / os.fsdecode(b"bad\xff")).mkdir()
    assert await words_of(Ls(), context_in(tmp_path)) == ("\\x1b]0;title\\x07\nbad\\xff/\nnew\\nline\nright\\u202eleft")


async def test_refusals(tmp_path: Path) -> None:
    make_tree(tmp_path, {"file.txt": "", "src/x": ""})
    context = context_in(tmp_path)
    assert await refusal_of(Ls(), context, path="file.txt") == (
        "file.txt is a file, not a directory; use read to see what is in it."
    )
    assert "there is src" in await refusal_of(Ls(), context, path="scr")
    assert "does not exist" in await refusal_of(Ls(), context, path="file.txt/below")
    assert "too long" in await refusal_of(Ls(), context, path="x" * 5_000)
    assert "NUL" in await refusal_of(Ls(), context, path="a\0")


def test_effects() -> None:
    assert Ls().effects(Ls().parse({})) == (Effect("read", "."),)
    assert Ls().effects(Ls().parse({"path": "~/x"})) == (Effect("read", "~/x"),)
