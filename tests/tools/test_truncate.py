import resource
import signal
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.core.errors import ToolError
from ferrule.core.messages import Image, Text
from ferrule.core.model import ToolSpec
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.tools.truncate import Capped, Keep, cap
from tests.tools.calling import context_in

LINES = "".join(f"line {number}\n" for number in range(1, 101))


def kept_in(outputs: Path) -> str:
    (file,) = outputs.iterdir()
    return file.read_bytes().decode()


def test_a_short_text_stays_as_it_is_and_no_file_is_made(tmp_path: Path) -> None:
    assert cap("short\n", keep="both", outputs=tmp_path / "o") == "short\n"
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("head", "line 1\nline 2\nline 3\nline 4\n{notice}"),
        ("tail", "{notice}\nline 97\nline 98\nline 99\nline 100\n"),
        ("both", "line 1\nline 2\n{notice}\nline 99\nline 100\n"),
    ],
)
def test_too_many_lines(tmp_path: Path, keep: Keep, expected: str) -> None:
    result = cap(LINES, keep=keep, outputs=tmp_path / "o", max_lines=4)
    (file,) = (tmp_path / "o").iterdir()
    left_out = {"head": "764 bytes", "tail": "759 bytes", "both": "761 bytes"}[keep]
    notice = f"… 96 lines ({left_out}) left out; the whole output is in {file} …"
    assert result == expected.format(notice=notice)
    assert file.read_text() == LINES


def test_the_file_is_private(tmp_path: Path) -> None:
    outputs = tmp_path / "deep" / "outputs"
    cap(LINES, keep="head", outputs=outputs, max_lines=4)
    cap(LINES, keep="head", outputs=outputs, max_lines=4)
    files = list(outputs.iterdir())
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(outputs.stat().st_mode) == 0o700


def test_one_line_too_many_is_not_worth_a_cut(tmp_path: Path) -> None:
    assert cap(LINES, keep="head", outputs=tmp_path / "o", max_lines=99) == LINES
    assert cap(LINES, keep="head", outputs=tmp_path / "o", max_lines=98) != LINES


def test_a_line_longer_than_the_cap_is_cut_inside(tmp_path: Path) -> None:
    text = "é" * 50_000
    result = cap(text, keep="both", outputs=tmp_path / "o")
    head, notice, tail = result.split("\n")
    assert set(head) == set(tail) == {"é"}
    assert 45_000 < len(result.encode()) <= 50_000
    assert "KB of a line left out" in notice
    assert kept_in(tmp_path / "o") == text


def test_a_short_line_before_a_long_one_does_not_waste_the_room(tmp_path: Path) -> None:
    result = cap("title\n" + "x" * 100_000, keep="head", outputs=tmp_path / "o")
    assert len(result) > 49_000
    result = cap("x" * 100_000 + "\nlast", keep="tail", outputs=tmp_path / "o")
    assert len(result) > 49_000
    assert result.endswith("x\nlast")


@pytest.mark.parametrize("cluster", ["e\u0301", "👩\u200d👩\u200d👧", "👍\U0001f3fd", "☎\ufe0f"])
def test_a_character_and_its_marks_stay_together(tmp_path: Path, cluster: str) -> None:
    for room in range(600, 640):
        head, _, tail = cap(cluster * 500, keep="both", outputs=tmp_path / "o", max_bytes=room).split("\n")
        assert head == cluster * head.count(cluster)
        assert tail == cluster * tail.count(cluster)


def test_where_no_file_can_be_written_the_result_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = cap(LINES, keep="head", outputs=tmp_path / "file" / "o", max_lines=4)
    assert result == (
        "line 1\nline 2\nline 3\nline 4\n"
        "… 96 lines (764 bytes) left out; that part is lost, since it could not be written to a file: "
        "Not a directory …"
    )


@pytest.fixture
def _small_files_only() -> Iterator[None]:
    """As on a full disk, writing fails after some bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("_small_files_only")
def test_on_a_full_disk_no_half_file_is_left(tmp_path: Path) -> None:
    result = cap("x\n" * 10_000, keep="tail", outputs=tmp_path / "o")
    assert "that part is lost" in result
    assert result.endswith("x\nx\n")
    assert list((tmp_path / "o").iterdir()) == []


def test_halves_of_surrogate_pairs_are_replaced(tmp_path: Path) -> None:
    assert cap("a\ud83d\udcff b", keep="head", outputs=tmp_path) == "a?? b"
    assert cap("\udc80" * 60_000, keep="head", outputs=tmp_path).startswith("????")


@given(
    text=st.text(st.sampled_from("ab\n\r\u0301é€😀\u200d"), max_size=3_000),
    keep=st.sampled_from(["head", "tail", "both"]),
    max_bytes=st.integers(500, 2_500),
    max_lines=st.integers(1, 40),
)
def test_whatever_the_text_the_result_fits_and_its_ends_are_the_text(
    text: str, keep: Keep, max_bytes: int, max_lines: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        outputs = Path(directory) / "o"
        result = cap(text, keep=keep, outputs=outputs, max_bytes=max_bytes, max_lines=max_lines)
        assert len(result.encode()) <= max_bytes
        assert len(result.removesuffix("\n").split("\n")) <= max_lines + 1
        if not outputs.exists():
            assert result == text
            return
        assert kept_in(outputs) == text
        head, _, rest = result.partition("… ")
        tail = rest.partition(" …")[2].removeprefix("\n")
        assert text.startswith(head.removesuffix("\n"))
        assert text.endswith(tail)
        assert keep != "head" or not tail
        assert keep != "tail" or not head


class Say:
    """A tool that says what it was made with."""

    spec = ToolSpec(name="say", description="", schema={})

    def __init__(self, output: Output | Exception) -> None:
        self.output = output

    def parse(self, input: dict[str, Any]) -> Any:
        return input

    def effects(self, args: Any) -> tuple[Effect, ...]:
        return (Effect("execute", args["x"]),)

    async def run(self, args: Any, context: ToolContext[Any]) -> Output:
        if isinstance(self.output, Exception):
            raise self.output
        return self.output


IMAGE = Image(media_type="image/png", data="AAAA" * 50_000)


def test_a_capped_tool_is_otherwise_the_tool() -> None:
    tool = Say(Output("x"))
    capped = Capped(tool, "head")
    assert capped.spec is tool.spec
    assert capped.parse({"x": "1"}) == {"x": "1"}
    assert capped.effects({"x": "1"}) == (Effect("execute", "1"),)


@pytest.mark.parametrize("content", ["short", "", (Text("a"), IMAGE, Text("b"))])
async def test_short_outputs_pass(tmp_path: Path, content: Any) -> None:
    output = Output(content, is_error=True)
    assert await Capped(Say(output), "head").run({}, context_in(tmp_path)) == output


async def test_the_texts_of_an_output_are_capped_together(tmp_path: Path) -> None:
    blocks = (Text("a" * 30_000), IMAGE, Text("b" * 30_000))
    context = context_in(tmp_path, outputs=tmp_path / "o")
    output = await Capped(Say(Output(blocks)), "both").run({}, context)
    text, image = output.blocks
    assert isinstance(text, Text)
    assert image is IMAGE
    assert text.text.startswith("aaa")
    assert text.text.endswith("bbb")
    assert 49_000 < len(text.text.encode()) <= 50_000
    assert kept_in(tmp_path / "o") == "a" * 30_000 + "\n" + "b" * 30_000


async def test_an_error_is_capped_too(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as caught:
        await Capped(Say(ToolError("x\n" * 50_000)), "tail", max_lines=10).run({}, context_in(tmp_path))
    assert len(str(caught.value).splitlines()) == 11
