"""Output is kept within bounds, and nothing of it is lost that fits."""

import stat
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ferrule.host.capture import MOST_BYTES, MOST_LINES, Output


def test_what_is_short_is_kept_whole_and_needs_no_file(tmp_path: Path) -> None:
    output = Output(tmp_path / "outputs" / "one.txt")
    output.feed(b"one\ntwo\nthr")
    output.feed(b"ee\nunfinished")

    assert (output.line, output.last_line) == ("unfinished", "unfinished")
    assert output.take() == "one\ntwo\nthree\nunfinished"
    assert output.take() == ""
    assert not (tmp_path / "outputs").exists()


@given(st.lists(st.binary(max_size=6), max_size=12))
def test_characters_survive_any_split(pieces: list[bytes]) -> None:
    text = "é日✓".encode()
    whole, split = Output(Path("unused")), Output(Path("unused"))
    whole.feed(text + b"".join(pieces) + text)
    for piece in [*(bytes([byte]) for byte in text), *pieces, text]:
        split.feed(piece)
    whole.close()
    split.close()

    assert split.take() == whole.take()


def test_two_sources_do_not_mix_their_characters(tmp_path: Path) -> None:
    output = Output(tmp_path / "one.txt")
    first, second = "é".encode()
    output.feed(bytes([first]))
    output.feed(b"prompt: ", source=1)
    output.feed(bytes([second]) + b"\n")

    assert output.take() == "prompt: é\n"


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    output = Output(tmp_path / "one.txt")
    output.feed(b"\xff\xfe\x00ok\xc3\n\xe2\x82")
    output.close()

    assert output.take() == "��ok�\n�"


def test_many_lines_are_cut_in_the_middle_and_kept_in_a_private_file(tmp_path: Path) -> None:
    file = tmp_path / "outputs" / "one.txt"
    output = Output(file)
    lines = [f"line {number}\n" for number in range(5_000)]
    for line in lines:
        output.feed(line.encode())
    text = output.take()
    output.close()

    shown = text.splitlines(keepends=True)
    assert shown[: MOST_LINES // 10] == lines[: MOST_LINES // 10]
    assert shown[MOST_LINES // 10] == f"… 3,100 lines (30.2 KB) left out; the whole output is in {file} …\n"
    assert shown[MOST_LINES // 10 + 1 :] == lines[-(MOST_LINES - MOST_LINES // 10) :]
    assert file.read_text() == "".join(lines)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_many_short_lines_at_once_keep_both_ends(tmp_path: Path) -> None:
    output = Output(tmp_path / "one.txt")
    output.feed(b"\n" * 3_000 + b"end\n")
    text = output.take()
    output.close()

    assert text.endswith("\n\nend\n")
    assert text.count("\n") == MOST_LINES + 1


def test_a_long_line_keeps_both_ends_and_no_half_characters(tmp_path: Path) -> None:
    output = Output(tmp_path / "one.txt")
    for _ in range(300):
        output.feed(("日本" * 500).encode())
    output.feed(b"the end")
    text = output.take()
    output.close()

    head, notice, tail = text.split("\n")
    assert set(head) == {"日", "本"}
    assert tail.endswith("the end")
    assert set(tail.removesuffix("the end")) == {"日", "本"}
    assert "left out" in notice
    assert MOST_BYTES - 10 < len(text.encode()) - len(notice.encode()) < MOST_BYTES + 10


def test_the_file_is_bounded_and_the_tail_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    output = Output(file, most_on_disk=100_000)
    for number in range(30_000):
        output.feed(b"%d\n" % number)

    assert output.is_flooded
    text = output.take()
    output.close()
    assert f"the first 100.0 KB are in {file}" in text
    assert text.endswith("29998\n29999\n")
    assert file.stat().st_size == 100_000


def test_a_file_that_cannot_be_written_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("no directory")
    output = Output(tmp_path / "outputs" / "one.txt")
    output.feed(b"x\n" * 5_000)
    text = output.take()
    output.close()

    assert "that part is lost, since it could not be written to a file: File exists" in text
    assert text.endswith("x\nx\n")


def test_each_portion_is_what_came_since_the_last(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    output = Output(file)
    output.feed(b"first\n")
    portions = [output.take()]
    output.feed(b"y\n" * 5_000)
    portions.append(output.take())
    output.feed(b"last\n")
    portions.append(output.take())
    output.close()

    assert (portions[0], portions[2]) == ("first\n", "last\n")
    assert file.read_bytes() == b"y\n" * 5_000 + b"last\n"


def test_the_last_line_is_remembered_over_portions(tmp_path: Path) -> None:
    output = Output(tmp_path / "one.txt")
    output.feed(b"Your name:\n\n")
    output.take()

    assert output.last_line == "Your name:"
