"""AGENTS.md and CLAUDE.md: found where they should be, read with care."""

import os
from pathlib import Path

import pytest

from ferrule.context.instructions import MOST_OF_A_FILE, MOST_OF_ALL, Instructions, find_instructions


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    return root


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_from_the_root_down_the_nearest_last_and_the_users_own_first(repository: Path, tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", "outside")
    own = put(tmp_path / "home" / "AGENTS.md", "mine")
    root = put(repository / "AGENTS.md", "root\n")
    put(repository / "CLAUDE.md", "not read")
    inner = put(repository / "a" / "b" / "CLAUDE.md", "inner")
    put(repository / "a" / "c" / "AGENTS.md", "elsewhere")
    found = find_instructions(repository / "a" / "b", own=own)
    assert found == Instructions(
        text=f"## {own}\nmine\n\n## {root}\nroot\n\n## {inner}\ninner",
        files=(str(own), str(root), str(inner)),
    )


def test_without_a_repository_the_directory_stands_alone(tmp_path: Path) -> None:
    put(tmp_path / "AGENTS.md", "above")
    here = put(tmp_path / "x" / "AGENTS.md", "here")
    assert find_instructions(here.parent).files == (str(here),)
    assert find_instructions(tmp_path / "nowhere", own=tmp_path / "none") == Instructions()


def test_a_link_inside_the_repository_is_followed_and_said_once(repository: Path) -> None:
    put(repository / "CLAUDE.md", "the one")
    (repository / "AGENTS.md").symlink_to("CLAUDE.md")
    (repository / "sub").mkdir()
    (repository / "sub" / "AGENTS.md").symlink_to("../CLAUDE.md")
    found = find_instructions(repository / "sub")
    assert found == Instructions(text=f"## {repository}/AGENTS.md\nthe one", files=(f"{repository}/AGENTS.md",))


def test_a_link_out_of_the_repository_is_refused(repository: Path, tmp_path: Path) -> None:
    put(tmp_path / "repo-evil" / "secret", "password")
    (repository / "AGENTS.md").symlink_to("../repo-evil/secret")
    put(repository / "CLAUDE.md", "not a second chance")
    found = find_instructions(repository)
    assert found.text == ""
    assert found.warnings == (f"{repository}/AGENTS.md is left out: it is a link that leads out of the repository.",)


def test_the_users_own_file_may_be_a_link(repository: Path, tmp_path: Path) -> None:
    put(tmp_path / "dotfiles" / "agents", "mine")
    (tmp_path / "own.md").symlink_to("dotfiles/agents")
    assert find_instructions(repository, own=tmp_path / "own.md").text.endswith("mine")


def test_what_is_no_plain_file_is_not_opened(repository: Path) -> None:
    os.mkfifo(repository / "AGENTS.md")
    (repository / "a" / "AGENTS.md").mkdir(parents=True)
    (repository / "a" / "b").mkdir()
    (repository / "a" / "b" / "AGENTS.md").symlink_to("../../.git/gone")
    found = find_instructions(repository / "a" / "b")
    assert found.text == ""
    assert [warning.split(": ", 1)[1] for warning in found.warnings] == [
        "it cannot be read (it is not a plain file).",
        "it cannot be read (it is not a plain file).",
        "it cannot be read (No such file or directory).",
    ]


def test_a_loop_of_links_is_said(repository: Path) -> None:
    (repository / "AGENTS.md").symlink_to("AGENTS.md")
    assert find_instructions(repository).text == ""


def test_long_files_are_cut_and_the_nearest_comes_first(repository: Path) -> None:
    put(repository / "AGENTS.md", "é" * 50_000)
    put(repository / "a" / "AGENTS.md", "b" * 40_000)
    put(repository / "a" / "b" / "AGENTS.md", "c" * 40_000)
    found = find_instructions(repository / "a" / "b")
    assert found.text.count("c") >= MOST_OF_A_FILE
    assert "[The rest of this file is left out: 7,232 bytes.]" in found.text
    assert "é" not in found.text
    assert len(found.text.encode()) < MOST_OF_ALL + 1_000
    assert len(found.warnings) == 3
    assert found.warnings[0] == f"{repository}/AGENTS.md is too long: 100,000 bytes of it are left out."


def test_a_character_is_not_torn_by_the_cut(repository: Path) -> None:
    put(repository / "AGENTS.md", "x" + "é" * 20_000)
    assert "\ufffd" not in find_instructions(repository).text


def test_hidden_characters_are_shown_counted_and_bounded(repository: Path) -> None:
    name = f"{repository}/AGENTS.md"
    put(repository / "AGENTS.md", "\ufeffBe kind.\u202e\r\nReally\x1b[2J")
    found = find_instructions(repository)
    assert found == Instructions(
        text=f"## {name}\nBe kind.<U+202E>\nReally<U+001B>[2J",
        files=(name,),
        hidden=2,
        warnings=(f"{name} has 2 hidden characters in it; they are shown as <U+…>.",),
    )
    put(repository / "AGENTS.md", "a\x01" * 16_000)
    assert len(find_instructions(repository).text) < MOST_OF_A_FILE + 200


def test_bytes_that_are_no_utf_8_and_odd_names_do_no_harm(tmp_path: Path) -> None:
    odd = tmp_path / "a\u202eb\nc"
    put(odd / "AGENTS.md", b"caf\xe9 \xff\xfe")
    found = find_instructions(odd)
    assert found.files == (f"{tmp_path}/a<U+202E>b\nc/AGENTS.md",)
    assert found.text.endswith("caf\ufffd \ufffd\ufffd")


def test_an_empty_file_says_nothing(repository: Path) -> None:
    put(repository / "AGENTS.md", " \n")
    assert find_instructions(repository) == Instructions()
