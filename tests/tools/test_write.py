"""The `write` tool: exactly the bytes given, and nothing overwritten unseen."""

import os
import stat
from pathlib import Path

import pytest

from ferrule.core.errors import ArgumentError, ToolError
from ferrule.core.tool import Effect, ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.tools.write import Write


@pytest.fixture
def context(tmp_path: Path) -> ToolContext[Host]:
    host = Host(files=Files(), processes=Processes(tmp_path, tmp_path / "private"), outputs=tmp_path / "outputs")
    return ToolContext(directory=tmp_path, host=host, report=lambda _: None)


async def write(context: ToolContext[Host], file_path: str, content: str) -> str:
    tool = Write()
    output = await tool.run(tool.parse({"file_path": file_path, "content": content}), context)
    assert not output.is_error
    assert isinstance(output.content, str)
    return output.content


async def test_creates_a_file_and_its_directories(context: ToolContext[Host]) -> None:
    assert await write(context, "a/b/c.txt", "one\ntwo\n") == "Created a/b/c.txt: 2 lines, 8 bytes."
    assert (context.directory / "a/b/c.txt").read_bytes() == b"one\ntwo\n"
    assert [entry.name for entry in (context.directory / "a/b").iterdir()] == ["c.txt"]


@pytest.mark.parametrize(
    ("content", "data", "size"),
    [
        ("", b"", "0 lines, 0 bytes"),
        ("no end", b"no end", "1 line, 6 bytes"),
        ("a\r\nb\rc\n", b"a\r\nb\rc\n", "2 lines, 7 bytes"),
        ("  trailing \n\n\n", b"  trailing \n\n\n", "3 lines, 14 bytes"),
        ("é☃😀", "é☃😀".encode(), "1 line, 9 bytes"),
        ("\ufeffbom", b"\xef\xbb\xbfbom", "1 line, 6 bytes"),
        ("nul \0 and \x1b", b"nul \0 and \x1b", "1 line, 11 bytes"),
        ("$1 \\1 %s {x}", b"$1 \\1 %s {x}", "1 line, 12 bytes"),
    ],
)
async def test_exactly_the_bytes_given(context: ToolContext[Host], content: str, data: bytes, size: str) -> None:
    assert await write(context, "a", content) == f"Created a: {size}."
    assert (context.directory / "a").read_bytes() == data


async def test_overwrites_what_was_read(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("1\n2\n3\n")
    path.chmod(0o750)
    context.host.files.read(path)
    assert await write(context, "a", "new\n") == "Overwrote a: 1 line, 4 bytes (it had 3 lines)."
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert await write(context, "a", "newer\n") == "Overwrote a: 1 line, 6 bytes (it had 1 line)."


async def test_says_so_where_the_file_was_never_read(context: ToolContext[Host]) -> None:
    (context.directory / "a").write_text("1\n2\n")
    assert await write(context, "a", "x") == (
        "Overwrote a: 1 line, 1 byte. It existed (2 lines) and had not been read in this session."
    )


async def test_refuses_what_changed_since_it_was_read(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one\n")
    context.host.files.read(path)
    path.write_text("by someone else\n")
    for _ in range(2):
        with pytest.raises(ToolError, match=r"changed on disk since it was last read.*Read it again"):
            await write(context, "a", "mine\n")
    assert path.read_text() == "by someone else\n"
    context.host.files.read(path)
    await write(context, "a", "mine\n")
    assert path.read_text() == "mine\n"


async def test_refuses_once_what_was_deleted_since(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one\n")
    context.host.files.read(path)
    path.unlink()
    with pytest.raises(ToolError, match="was deleted after it was last read"):
        await write(context, "a", "mine\n")
    assert not path.exists()
    assert await write(context, "a", "mine\n") == "Created a: 1 line, 5 bytes."


async def test_identical_content_is_not_written(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("same\n")
    was = path.stat()
    assert await write(context, "a", "same\n") == "a holds exactly this already (1 line, 5 bytes); nothing was written."
    now = path.stat()
    assert (now.st_ino, now.st_mtime_ns) == (was.st_ino, was.st_mtime_ns)
    assert await write(context, "a", "other\n") == "Overwrote a: 1 line, 6 bytes (it had 1 line)."


async def test_symlink_stays(context: ToolContext[Host]) -> None:
    (context.directory / "real").write_text("one\n")
    (context.directory / "link").symlink_to("real")
    await write(context, "link", "two\n")
    assert (context.directory / "link").is_symlink()
    assert (context.directory / "real").read_text() == "two\n"


async def test_absolute_path_elsewhere(context: ToolContext[Host], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("elsewhere") / "a"
    assert await write(context, str(path), "x") == f"Created {path}: 1 line, 1 byte."


async def test_what_cannot_be_written(context: ToolContext[Host]) -> None:
    os.mkfifo(context.directory / "pipe")
    (context.directory / "file").write_text("x")
    for name, words in [
        (".", "is a directory"),
        ("", "is a directory"),
        ("new/", "names a directory"),
        ("pipe", "is a named pipe"),
        ("/dev/null", "is a device"),
        ("file/below", "a part of the path is a file"),
        ("a\0b", "NUL"),
        ("x" * 300, "the name is too long"),
    ]:
        with pytest.raises(ToolError, match=words):
            await write(context, name, "x")
    with pytest.raises(ToolError, match=r"U\+D83D is half of a surrogate pair"):
        await write(context, "a", "\ud83d")
    assert {entry.name for entry in context.directory.iterdir()} == {"file", "pipe"}


def test_arguments_and_effects() -> None:
    tool = Write()
    assert tool.effects(tool.parse({"file_path": "a", "content": "x"})) == (Effect("write", "a"),)
    assert len(tool.spec.description) < 300
    with pytest.raises(ArgumentError):
        tool.parse({"file_path": "a"})
