import base64
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.messages import Image, Text
from ferrule.core.tool import Effect, Output
from ferrule.tools.read import Read
from ferrule.tools.truncate import Capped
from tests.tools.calling import context_in, make_tree, output_of, refusal_of, words_of
from tests.tools.test_documents import encrypted, notebook, pdf, picture


async def read(directory: Path, file_path: str = "f", **input: Any) -> str:
    return await words_of(Read(), context_in(directory), file_path=file_path, **input)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo\n", "     1\tone\n     2\ttwo"),
        (b"no line end", "     1\tno line end"),
        (b"\n", "     1\t"),
        (b"a\n\n", "     1\ta\n     2\t"),
        (b"dos\r\nends\r\n", "     1\tdos\n     2\tends"),
        (b"old\rmac\r", "     1\told\n     2\tmac"),
        ("\ufeffmark\n".encode(), "     1\tmark"),
        ("wide é\n".encode("utf-16"), "     1\twide é"),
        (b"caf\xe9 au lait\n", "     1\tcafé au lait"),
        ("a\u2028b\x0bc\x0cd\n".encode(), "     1\ta\u2028b\x0bc\x0cd"),
        (b"", "f is empty."),
        (b"\x7fELF\x02\x01\0\0", "f is not text: an ELF program or library, 8 bytes."),
        (b"PK\x03\x04\0\0", "f is not text: a zip archive (or a document or package made as one), 6 bytes."),
        (b"\x1f\x8b\x08\0" + b"x" * 2_000, "f is not text: gzip data, 2.0 KB."),
        (b"\0" * 257 + b"ustar\0", "f is not text: a tar archive, 263 bytes."),
        (b"text\0text", "f is not text: binary data, 9 bytes."),
    ],
)
async def test_contents(tmp_path: Path, data: bytes, expected: str) -> None:
    (tmp_path / "f").write_bytes(data)
    assert await read(tmp_path) == expected


async def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tmp_path, {"project/src/a.py": "a", "home/b": "b"})
    (tmp_path / "project" / "link").symlink_to("src/a.py")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for path in ("src/a.py", "./src/../src/a.py", "link", str(tmp_path / "project/src/a.py")):
        assert await read(tmp_path / "project", path) == "     1\ta"
    assert await read(tmp_path / "project", "~/b") == "     1\tb"
    assert await read(tmp_path / "project", "../home/b") == "     1\tb"


async def test_parts_of_a_file(tmp_path: Path) -> None:
    make_tree(tmp_path, {"f": "".join(f"line {number}\n" for number in range(1, 5_322))})
    lines = (await read(tmp_path)).split("\n")
    assert lines[0] == "     1\tline 1"
    assert lines[1_999] == "  2000\tline 2000"
    assert lines[2_000:] == ["(lines 1-2000 of 5,321; go on with offset 2001)"]
    assert await read(tmp_path, offset=3, limit=2) == (
        "     3\tline 3\n     4\tline 4\n(lines 3-4 of 5,321; go on with offset 5)"
    )
    assert await read(tmp_path, offset=5_320) == "  5320\tline 5320\n  5321\tline 5321"
    assert await read(tmp_path, offset=5_321, limit=1) == "  5321\tline 5321"
    assert len((await read(tmp_path, limit=10**9)).split("\n")) == 2_001


async def test_the_whole_of_a_long_file_can_be_read_in_parts(tmp_path: Path) -> None:
    """No line is lost or told twice, though the parts end where the bytes do."""
    lines = [f"{number} " + "é" * (number * 37 % 900) for number in range(1, 400)]
    make_tree(tmp_path, {"f": "\n".join(lines)})
    seen: list[str] = []
    while len(seen) < len(lines):
        part = await read(tmp_path, offset=len(seen) + 1)
        assert len(part.encode()) <= 50_000
        seen += [line.partition("\t")[2] for line in part.split("\n") if "\t" in line]
    assert seen == lines


async def test_a_part_is_never_cut_a_second_time(tmp_path: Path) -> None:
    make_tree(tmp_path, {"short lines": "x\n" * 9_000, "long lines": ("é" * 1_999 + "\n") * 100})
    context = context_in(tmp_path, outputs=tmp_path / "outputs")
    for name in ("short lines", "long lines"):
        plain = await output_of(Read(), context, file_path=name)
        assert await output_of(Capped(Read(), "head"), context, file_path=name) == plain
    assert not (tmp_path / "outputs").exists()


async def test_long_lines_are_cut_and_marked(tmp_path: Path) -> None:
    make_tree(tmp_path, {"f": "x" * 2_000 + "\n" + "é" * 12_345 + "\r\nend"})
    assert await read(tmp_path) == (
        f"     1\t{'x' * 2_000}\n     2\t{'é' * 2_000}… (line cut: it has 12,345 characters)\n     3\tend"
    )


async def test_offsets_that_cannot_be(tmp_path: Path) -> None:
    make_tree(tmp_path, {"f": "a\nb\n", "g": "a"})
    context = context_in(tmp_path)
    past = await refusal_of(Read(), context, file_path="f", offset=3)
    assert past == "f has 2 lines; offset 3 lies behind the last."
    past = await refusal_of(Read(), context, file_path="g", offset=9)
    assert past == "g has 1 line; offset 9 lies behind the last."
    for offset in (0, -5):
        words = await refusal_of(Read(), context, file_path="f", offset=offset)
        assert words == "read: expected `int` >= 1 for `offset`."
    assert await refusal_of(Read(), context, file_path="f", limit=0) == "read: expected `int` >= 1 for `limit`."
    assert await words_of(Read(), context, file_path="f", offset="2", limit=None) == "     2\tb"


async def test_a_missing_file_is_looked_for(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/main.py": "", "src/deep/main.py": "", "src/mian.txt": "", ".gitignore": "*.log\n"})
    make_tree(tmp_path, {"a.log": "", "new\nline/odd:name": ""})
    context = context_in(tmp_path)
    assert await refusal_of(Read(), context, file_path="main.py") == (
        f"There is no file {tmp_path}/main.py. There is src/deep/main.py, src/main.py."
    )
    words = await refusal_of(Read(), context, file_path="src/mainn.py")
    assert words.startswith(f"There is no file {tmp_path}/src/mainn.py.")
    assert "main.py" in words.partition("mainn.py")[2]
    assert "There is src/deep/main.py, src/main.py." in await refusal_of(Read(), context, file_path="lib/main.py")
    assert "new\\nline/odd:name" in await refusal_of(Read(), context, file_path="odd:name")
    assert "There is" not in (await refusal_of(Read(), context, file_path="nothing")).removeprefix("There is no")


async def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    context = context_in(tmp_path)
    assert "use ls" in await refusal_of(Read(), context, file_path="folder")
    assert "named pipe" in await refusal_of(Read(), context, file_path="pipe")
    assert "device" in await refusal_of(Read(), context, file_path="/dev/zero")
    assert "circle" in await refusal_of(Read(), context, file_path="loop")
    assert "NUL" in await refusal_of(Read(), context, file_path="a\0b")
    assert "too long" in await refusal_of(Read(), context, file_path="x" * 5_000)
    assert "length >= 1" in await refusal_of(Read(), context, file_path="")
    assert "Linux" in await words_of(Read(), context, file_path="/proc/version")


async def test_a_very_large_file_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(300_000_000)
    assert await refusal_of(Read(), context_in(tmp_path), file_path="huge") == (
        "huge is too large to be read: 300 MB. Search it with grep, or take a part of it with bash (head, sed -n)."
    )


async def test_what_was_read_is_remembered(tmp_path: Path) -> None:
    make_tree(tmp_path, {"f": "a", "g": "b"})
    context = context_in(tmp_path)
    await words_of(Read(), context, file_path="f")
    assert context.host.files.seen(tmp_path / "f")
    assert not context.host.files.seen(tmp_path / "g")


async def test_a_pdf(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.pdf": pdf("Hello\nWorld", "Second", "Third"), "locked.pdf": encrypted(pdf("x"))})
    assert await read(tmp_path, "a.pdf", limit=2) == (
        "     1\t--- page 1 of 3 ---\n     2\tHello\n(lines 1-2 of 3 and more; go on with offset 3)"
    )
    assert await read(tmp_path, "a.pdf", offset=4) == (
        "     4\t--- page 2 of 3 ---\n     5\tSecond\n     6\t--- page 3 of 3 ---\n     7\tThird"
    )
    words = await read(tmp_path, "locked.pdf")
    assert words.startswith("locked.pdf is a PDF of ")
    assert words.endswith(", and could not be read: it is encrypted.")


async def test_a_notebook(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": "x = 1"}
    make_tree(tmp_path, {"a.ipynb": notebook(cell), "broken.ipynb": '{"cells": [\n'})
    assert await read(tmp_path, "a.ipynb") == (
        "     1\t(notebook with 1 cell)\n     2\t--- cell 1: code ---\n     3\tx = 1"
    )
    assert await read(tmp_path, "broken.ipynb") == '     1\t{"cells": ['


async def test_pictures(tmp_path: Path) -> None:
    small, wide = picture(30, 20), picture(3_000, 30, "JPEG")
    make_tree(tmp_path, {"small.png": small, "wide.jpg": wide, "cut.png": small[:50]})
    seeing, context = Read(images=True), context_in(tmp_path)
    assert await output_of(seeing, context, file_path="small.png") == Output(
        (
            Text(f"small.png is a PNG picture, 30 × 20, {len(small)} bytes."),
            Image(media_type="image/png", data=base64.b64encode(small).decode()),
        )
    )
    text, image = (await output_of(seeing, context, file_path="wide.jpg")).blocks
    assert isinstance(text, Text)
    assert isinstance(image, Image)
    assert text.text.endswith("It is shown smaller.")
    assert image.media_type == "image/jpeg"
    assert base64.b64decode(image.data) != wide
    assert await read(tmp_path, "small.png") == (
        f"small.png is a PNG picture, 30 × 20, {len(small)} bytes. This model is not shown pictures."
    )
    assert await words_of(seeing, context, file_path="cut.png") == "cut.png is not text: a PNG picture, 50 bytes."


async def test_the_beginning_of_a_large_file_comes_quickly(tmp_path: Path) -> None:
    make_tree(tmp_path, {"f": "a line of some fifty characters, as code often has\n" * 100_000})
    began = time.process_time()
    words = await read(tmp_path)
    assert words.endswith("of 100,000; go on with offset 859)")
    assert time.process_time() - began < 2  # it takes some milliseconds


def test_effects() -> None:
    assert Read().effects(Read().parse({"file_path": "~/x"})) == (Effect("read", "~/x"),)
