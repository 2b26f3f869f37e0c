import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

import msgspec
import pypdf
import pytest
from PIL import Image as Pillow

from ferrule.tools.documents import LARGEST_PICTURE, Extract, Picture, extract, notebook_text, picture_of, work


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text for each line of a page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in pages:
        lines = "".join(f"({line}) Tj T* " for line in page.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {lines}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        content = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return out + f"{tail}startxref\n{len(out)}\n%%EOF\n".encode()


def encrypted(data: bytes) -> bytes:
    writer = pypdf.PdfWriter(BytesIO(data))
    writer.encrypt("secret", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def picture(width: int, height: int, kind: str = "PNG", *, mode: str = "RGB", noise: bool = False) -> bytes:
    made = Pillow.effect_noise((width, height), 90).convert(mode) if noise else Pillow.new(mode, (width, height))
    out = BytesIO()
    made.save(out, kind)
    return out.getvalue()


async def test_a_pdf_is_read_page_by_page() -> None:
    assert await extract("pdf", pdf("Hello\nWorld", "Second"), lines=2_000) == Extract(
        text="--- page 1 of 2 ---\nHello\nWorld\n--- page 2 of 2 ---\nSecond\n", pages=2, pages_read=2
    )


def test_pages_that_are_not_needed_are_not_read() -> None:
    assert work("pdf", pdf("one", "two", "three"), 3) == Extract(
        text="--- page 1 of 3 ---\none\n--- page 2 of 3 ---\ntwo\n", pages=3, pages_read=2
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (encrypted(pdf("secret")), "it is encrypted"),
        (b"%PDF-1.4\n", "it is damaged ("),
        (b"%PDF-1.4\n" + b"\xff\0" * 500, "it is damaged ("),
        (pdf("x")[:200], "it is damaged ("),
    ],
    ids=["encrypted", "empty", "rubbish", "cut"],
)
@pytest.mark.filterwarnings("ignore")
def test_a_pdf_that_cannot_be_read(data: bytes, problem: str) -> None:
    assert work("pdf", data, 10).problem.startswith(problem)


@pytest.mark.parametrize(("kind", "package"), [("pdf", "pypdf"), ("picture", "PIL")])
def test_without_the_extra_it_is_said_how_to_get_it(kind: str, package: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None; from ferrule.tools.documents import main; main({kind!r}, '9')"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"x", capture_output=True, check=True)
    assert msgspec.json.decode(done.stdout, type=Extract) == Extract(
        problem="it needs the extra `docs`, which is not installed (in a clone of Ferrule: pip install '.[docs]')"
    )


async def test_a_small_file_that_would_fill_the_memory() -> None:
    honest = picture(30, 20)
    header = b"IHDR" + struct.pack(">II", 40_000, 40_000) + honest[24:29]
    bomb = honest[:12] + header + struct.pack(">I", zlib.crc32(header)) + honest[33:]
    assert picture_of(bomb) == Picture("image/png", 40_000, 40_000)
    assert "DecompressionBomb" in (await extract("picture", bomb)).problem


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (picture(30, 20), Picture("image/png", 30, 20)),
        (picture(30, 20, "GIF"), Picture("image/gif", 30, 20)),
        (picture(30, 20, "JPEG"), Picture("image/jpeg", 30, 20)),
        (picture(30, 20, "WEBP"), Picture("image/webp", 30, 20)),
        (picture(30, 20, "WEBP", mode="RGBA"), Picture("image/webp", 30, 20)),
        (picture(30, 20, "BMP"), None),
        (picture(30, 20)[:40], None),
        (picture(30, 20, "JPEG")[:100], None),
        (picture(30, 20, "WEBP")[:20], None),
        (b"\xff\xd8\xff\xd9", None),
        (b"GIF89a;", None),
        (b"RIFF\0\0\0\0WEBPnope", None),
        (b"", None),
    ],
)
def test_pictures_are_known_by_their_bytes(data: bytes, expected: Picture | None) -> None:
    assert picture_of(data) == expected


def test_a_lossless_webp() -> None:
    out = BytesIO()
    Pillow.new("RGB", (300, 200)).save(out, "WEBP", lossless=True)
    assert picture_of(out.getvalue()) == Picture("image/webp", 300, 200)


@pytest.mark.parametrize(
    ("make", "media_type", "size"),
    [
        (lambda: picture(3_000, 1_000), "image/jpeg", (2_000, 667)),
        (lambda: picture(1_000, 4_000, mode="RGBA"), "image/png", (500, 2_000)),
        (lambda: picture(2_100, 2_100, "BMP", noise=True), "image/jpeg", (2_000, 2_000)),
    ],
    ids=["wide", "transparent", "heavy"],
)
def test_large_pictures_are_made_smaller(make: Callable[[], bytes], media_type: str, size: tuple[int, int]) -> None:
    small = work("picture", make(), 0)
    assert (small.problem, small.media_type) == ("", media_type)
    assert len(small.picture) <= LARGEST_PICTURE
    assert Pillow.open(BytesIO(small.picture)).size == size


def test_a_broken_picture() -> None:
    assert work("picture", picture(30, 20)[:50], 0).problem.startswith("it is damaged (")


def notebook(*cells: dict[str, Any]) -> str:
    return msgspec.json.encode({"cells": cells, "nbformat": 4, "metadata": {}}).decode()


def test_a_notebook_becomes_text() -> None:
    text = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {
            "cell_type": "code",
            "source": "plot(1)",
            "execution_count": 3,
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
                {"output_type": "display_data", "data": {"text/plain": ["<Figure>"], "image/png": "AAAA"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\x1b[31m…"]},
                {"output_type": "stream", "text": "line\n" * 100},
            ],
        },
        {"cell_type": "raw"},
    )
    assert notebook_text(text) == "\n".join(
        [
            "(notebook with 3 cells)",
            "--- cell 1: markdown ---",
            "# Title\nwords",
            "--- cell 2: code ---",
            "plot(1)",
            "--- output ---",
            "a\nb\n",
            "--- output ---",
            "<Figure>\n(image/png)",
            "--- output ---",
            "ValueError: no",
            "--- output ---",
            "line\n" * 19 + "line",
            "… (401 more characters)",
            "--- cell 3: raw ---",
            "",
        ]
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"cells": 3}', '{"cells": [{"source": "x"}]}', '{"cells": ' + "[" * 100_000]
)
def test_what_is_no_notebook(text: str) -> None:
    assert notebook_text(text) is None
