"""What is typed, pasted, remembered and completed; without a terminal."""

import os
import time
import tty
from pathlib import Path

import pytest
from prompt_toolkit.keys import Keys

from ferrule.core.messages import Image, Text
from ferrule.front.terminal.branch import branch_of
from ferrule.front.terminal.complete import Candidate, Offer, Word, offer, paths, word_at
from ferrule.front.terminal.files import ProjectFiles, find
from ferrule.front.terminal.history import MOST, History
from ferrule.front.terminal.paste import Pastes
from ferrule.front.terminal.pictures import blocks_of
from ferrule.front.terminal.reader import KeyReader
from ferrule.front.terminal.talk import is_command

PNG = b"\x89PNG\r\n\x1a\n0000"


def test_a_long_paste_is_a_word_in_the_box_and_whole_when_it_is_sent() -> None:
    pastes = Pastes()
    long, other = "x\n" * 50, "y\n" * 50
    assert pastes.fold("short\r\nlines") == "short\nlines"
    first, second = pastes.fold(long), pastes.fold(other)
    assert (first, second) == ("[pasted 50 lines]", "[pasted 50 lines #2]")
    assert pastes.fold(long) == first
    assert pastes.fold("z" * 2_000) == "[pasted 2,000 characters]"
    assert pastes.unfold(f"a {first} b {second} [pasted 9 lines]") == f"a {long} b {other} [pasted 9 lines]"
    assert pastes.word_before(f"a {first}") == first
    assert pastes.word_before("a") == ""


def test_the_history_is_kept_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history"
    history = History(path)
    for text in ("one", "two\nlines", "one", "   "):
        history.add(text)
    assert History(path).entries == ["two\nlines", "one"]
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (history.search("LINES", 2), history.search("one", 1), history.search("none", 2)) == (0, None, None)


def test_the_history_stays_short_and_survives_rubbish(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b"rubbish\n\xff\n" + b"".join(b'"%d"\n' % number for number in range(3_000)))
    history = History(path)
    history.add("last")
    assert history.entries[-1] == "last"
    assert len(path.read_bytes().splitlines()) == MOST
    assert (path.stat().st_mode & 0o777) == 0o600
    (tmp_path / "link").symlink_to(path)
    History(tmp_path / "link").add("through a link")
    assert b"through a link" not in path.read_bytes()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("/mo", Word("command", 0, "/mo")),
        ("/mode pl", Word("argument", 6, "pl")),
        ("see @src/a", Word("file", 4, "@src/a")),
        ("see src/a", None),
        ("a@b", None),
        ("", None),
    ],
)
def test_the_word_at_the_cursor(text: str, word: Word | None) -> None:
    assert word_at(text, len(text)) == word


async def test_what_is_offered(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "file.py").touch()
    (tmp_path / ".hidden").touch()
    commands = {"/model": "another model", "/mode": "another mode"}

    async def files(letters: str) -> list[str]:
        return await find(letters, ["dir/file.py", "dir/"])

    async def offered(text: str, *, on_request: bool = False) -> Offer | None:
        return await offer(
            text,
            len(text),
            commands=lambda line: [Candidate(*one) for one in commands.items() if one[0].startswith(line)],
            files=files,
            directory=tmp_path,
            on_request=on_request,
        )

    both = [Candidate("/model", "another model"), Candidate("/mode", "another mode")]
    assert await offered("/mo") == Offer(Word("command", 0, "/mo"), both)
    assert await offered("/mode") is None
    assert await offered("look at @fl") == Offer(Word("file", 8, "@fl"), [Candidate("@dir/file.py")])
    assert await offered("dir/f", on_request=True) == Offer(Word("path", 0, "dir/f"), [Candidate("dir/file.py")])
    whole = await offered("@dir/")
    assert whole == Offer(Word("file", 0, "@dir/"), [Candidate("@dir/file.py")])  # what is in it, not it again
    assert paths("", tmp_path) == ["dir/"]
    assert paths("nowhere/", tmp_path) == []


async def test_files_are_found_by_a_few_letters(tmp_path: Path) -> None:
    names = ["src/main.py", "src/domain/name.py", "docs/manual.md", "m/a/i/n.txt"]
    assert await find("main", names) == ["src/main.py", "src/domain/name.py", "m/a/i/n.txt", "docs/manual.md"][:3]
    assert await find("[", names) == []


async def test_many_files_are_found_without_keeping_keys_waiting() -> None:
    names = [f"package{number % 100}/module{number}/file_{number}.py" for number in range(100_000)]
    began = time.process_time()
    assert (await find("file_99999", names))[0].endswith("file_99999.py")
    assert time.process_time() - began < 2


async def test_ignored_files_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("ignored/\n")
    for name in ("kept/a.py", "ignored/b.py", ".git/HEAD"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    files = ProjectFiles(tmp_path)
    try:
        assert sorted(await files.find("")) == [".gitignore", "kept/", "kept/a.py"]
    finally:
        await files.close()


def test_pictures_that_are_named_are_sent_along(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(PNG)
    (tmp_path / "no.png").write_bytes(b"text")
    text = "see @x.png, @no.png @gone.jpg @notes.txt a@x.png"
    content, problems = blocks_of(text, tmp_path)
    assert content[0] == Text(text)
    assert [type(block) for block in content[1:]] == [Image]
    assert problems == [
        "no.png: it is no picture, so it was not sent along",
        "gone.jpg: it was not sent along: No such file or directory",
    ]


@pytest.mark.parametrize("size", [1, 3, 1_000, 100_000])
def test_a_paste_is_read_whole_however_it_is_cut(size: int) -> None:
    pasted = "line\n\x1b[20 more\x1b[201\n" * 400
    data = f"a\x1b[200~{pasted}\x1b[201~b".encode()
    reading, writing = os.openpty()
    with os.fdopen(reading, "rb", buffering=0), os.fdopen(writing, "r") as terminal:
        keys = KeyReader(terminal)
        for start in range(0, len(data), size):
            keys._feed(data[start : start + size].decode())
        pressed = [(key.key, key.data) for key in keys._buffer]
    assert pressed == [("a", "a"), (Keys.BracketedPaste, pasted), ("b", "b")]


def test_the_branch_is_read_from_git_itself(tmp_path: Path) -> None:
    assert branch_of(tmp_path) == ""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/feature/x\n")
    (tmp_path / "below").mkdir()
    assert branch_of(tmp_path / "below") == "feature/x"
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef\n")
    assert branch_of(tmp_path) == "01234567"
    (tmp_path / ".git" / "HEAD").unlink()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert branch_of(tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("/help", True), ("/model x", True), ("/etc/passwd is odd", False), ("/", False), ("hi", False)],
)
def test_what_is_a_command(text: str, is_one: bool) -> None:
    assert is_command(text) is is_one


def test_what_was_typed_before_the_start_is_sent_by_its_line_ends() -> None:
    reading, writing = os.openpty()
    with os.fdopen(writing, "r") as terminal, os.fdopen(reading, "wb", buffering=0) as typing:
        tty.setraw(terminal)
        keys = KeyReader(terminal, typed_before=3)
        typing.write(b"hi\n\n")
        pressed = [key.key for key in keys.read_keys()]
    assert pressed == ["h", "i", Keys.ControlM, Keys.ControlJ]
