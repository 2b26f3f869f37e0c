"""Files that are no plain text, and yet can be shown: PDF, notebooks, pictures.

PDF and pictures that are too large need packages of the extra `docs`. Those work in a process of their own
(`python -m ferrule.tools.documents KIND`, bytes in, JSON out), since a broken file can make them take any time and
any memory; it also spares this process the weight of them.
"""

import resource
import struct
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.errors import ToolError
from ferrule.host.program import capture
from ferrule.tools.display import count

LARGEST_PICTURE = 3_750_000
"""As base64 these are five million bytes, the most that providers take."""
LONGEST_EDGE = 2_000
LARGEST_EDGE = 8_000
"""Providers scale down what is over the first, and refuse what is over the second."""
_SECONDS = 30
_MOST_MEMORY = 2_000_000_000
_MOST_OUTPUT = 20_000_000
_OUTPUT_LINES = 20
_OUTPUT_CHARACTERS = 2_000
_NEEDS_EXTRA = "it needs the extra `docs`, which is not installed (in a clone of Ferrule: pip install '.[docs]')"


class Extract(msgspec.Struct, frozen=True, kw_only=True):
    """What the process made of a file, or why it could not."""

    problem: str = ""
    text: str = ""
    pages: int = 0
    pages_read: int = 0
    picture: bytes = b""
    media_type: str = ""


class Picture(msgspec.Struct, frozen=True):
    """What the first bytes of a picture say."""

    media_type: str
    width: int
    height: int

    @property
    def words(self) -> str:
        """The kind and the size, for people."""
        return f"{self.media_type.removeprefix('image/').upper()} picture, {self.width} × {self.height}"


async def extract(kind: str, data: bytes, *, lines: int = 0) -> Extract:
    """Let a process of its own read the file; whatever goes wrong there is said in `problem`."""
    argv = [sys.executable, "-P", "-m", "ferrule.tools.documents", kind, str(lines)]
    try:
        captured = await capture(argv, cwd=Path("/"), limit=_MOST_OUTPUT, timeout=_SECONDS, stdin=data)
        return msgspec.json.decode(captured.stdout, type=Extract)
    except ToolError:
        return Extract(problem=f"it took longer than {_SECONDS} s")
    except OSError as error:
        return Extract(problem=f"no process could be started for it ({error})")
    except msgspec.DecodeError:
        return Extract(problem="it is damaged, or takes too much memory")


def notebook_text(text: str) -> str | None:
    """The cells of a Jupyter notebook, with long outputs shortened; nothing where it is no notebook."""
    try:
        notebook = msgspec.json.decode(text, type=_Notebook)
    except (msgspec.DecodeError, RecursionError):
        return None
    parts = [f"(notebook with {count(len(notebook.cells), 'cell')})"]
    for number, cell in enumerate(notebook.cells, 1):
        parts += [f"--- cell {number}: {cell.cell_type} ---", _joined(cell.source)]
        for output in cell.outputs:
            parts += ["--- output ---", _shortened(output.words)]
    return "\n".join(parts)


def picture_of(data: bytes) -> Picture | None:
    """Recognise a picture that models can see; one that is cut short is none."""
    with suppress(struct.error, ValueError):
        if data.startswith(b"\x89PNG\r\n\x1a\n") and b"IEND" in data[-64:]:
            return Picture("image/png", *struct.unpack_from(">II", data, 16))
        if data.startswith((b"GIF87a", b"GIF89a")) and data.rstrip(b"\0").endswith(b";"):
            return Picture("image/gif", *struct.unpack_from("<HH", data, 6))
        if data.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in data:
            return Picture("image/jpeg", *_jpeg_size(data))
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP" and int.from_bytes(data[4:8], "little") <= len(data):
            return Picture("image/webp", *_webp_size(data))
    return None


class _Output(msgspec.Struct):
    text: str | list[str] = ""
    data: dict[str, Any] = {}
    ename: str = ""
    evalue: str = ""

    @property
    def words(self) -> str:
        if self.ename:
            return f"{self.ename}: {self.evalue}"
        plain = self.data.get("text/plain", "")
        pictures = [f"({kind})" for kind in self.data if kind.startswith("image/")]
        return "\n".join(part for part in (_joined(self.text), _joined(plain), *pictures) if part)


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    outputs: list[_Output] = []


class _Notebook(msgspec.Struct):
    cells: list[_Cell]


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _shortened(text: str) -> str:
    lines = text[:_OUTPUT_CHARACTERS].split("\n")[:_OUTPUT_LINES]
    kept = "\n".join(lines)
    return kept if len(kept) == len(text) else f"{kept}\n… ({len(text) - len(kept):,} more characters)"


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Go from segment to segment until one says the size."""
    position = 2
    while True:
        marker, length = struct.unpack_from(">HH", data, position)
        if 0xFFC0 <= marker <= 0xFFCF and marker not in {0xFFC4, 0xFFC8, 0xFFCC}:
            height, width = struct.unpack_from(">HH", data, position + 5)
            return width, height
        if marker < 0xFF00 or length < 2:
            raise ValueError("no segment begins there")
        position += 2 + length


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            wide, high = data[24:27], data[27:30]
            return int.from_bytes(wide, "little") + 1, int.from_bytes(high, "little") + 1
        case _:
            raise ValueError("no such kind of WebP")


def _read_pdf(data: bytes, lines: int) -> Extract:
    """The text of a PDF page by page, until there are as many lines as were asked for."""
    import pypdf  # noqa: PLC0415 - an extra, which may be missing

    reader = pypdf.PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return Extract(problem="it is encrypted")
    pages, text, number = len(reader.pages), "", 0
    for number, page in enumerate(reader.pages, 1):
        text += f"--- page {number} of {pages} ---\n{page.extract_text().rstrip()}\n"
        if text.count("\n") > lines:
            break
    return Extract(text=text, pages=pages, pages_read=number)


def _shrink_picture(data: bytes, _: int) -> Extract:
    """The picture, small enough to be sent."""
    from PIL import Image, ImageOps  # noqa: PLC0415 - an extra, which may be missing

    with Image.open(BytesIO(data)) as opened:
        picture = ImageOps.exif_transpose(opened)
    picture.thumbnail((LONGEST_EDGE, LONGEST_EDGE))
    clear = picture.has_transparency_data
    for kind, mode in [("PNG", "RGBA")] * clear + [("JPEG", "RGB")]:
        out = BytesIO()
        picture.convert(mode).save(out, kind)
        if out.tell() <= LARGEST_PICTURE:
            return Extract(picture=out.getvalue(), media_type=f"image/{kind.lower()}")
    return Extract(problem="it stays too large")


def work(kind: str, data: bytes, lines: int) -> Extract:
    """What the process of its own does; every failure is an answer."""
    try:
        return {"pdf": _read_pdf, "picture": _shrink_picture}[kind](data, lines)
    except ImportError:
        return Extract(problem=_NEEDS_EXTRA)
    except Exception as error:
        return Extract(problem=f"it is damaged ({type(error).__name__}: {error})")


def main(kind: str, lines: str) -> None:
    """Read standard input, and write what was made of it."""
    with suppress(OSError, ValueError):  # not every system can
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    result = work(kind, sys.stdin.buffer.read(), int(lines))
    sys.stdout.buffer.write(msgspec.json.encode(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
