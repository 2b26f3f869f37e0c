"""The model is told how git stood when the session began, in the same bytes for as long as it goes on."""

import subprocess
from pathlib import Path

import pytest

from ferrule.assemble import Options, assemble
from ferrule.llm.script import Scripted


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file that was edited since it was added."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "a.txt").write_text("one\n")
    (directory / "b.txt").write_text("two\n")
    for words in (("init", "-q", "-b", "topic"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=directory, check=True)
    (directory / "a.txt").write_text("something else\n")
    return directory


async def begun(project: Path, **more: str | bool) -> str:
    """The system prompt of a session that carries out one request."""
    async with assemble(Options(directory=project, model=Scripted(["Hello."]), **more)) as session:  # type: ignore[arg-type]
        await session.prompt("hi")
        return session.agent.system


async def test_edits_are_told_as_they_were_at_the_beginning(project: Path) -> None:
    first = await begun(project)
    assert "\nGit: branch topic, 1 file edited and not added when this session began\n" in first
    (project / "b.txt").write_text("another thing\n")
    assert await begun(project, resume="") == first
    assert await begun(project, resume="", fork=True) == first
    assert "\nGit: branch topic, 2 files edited and not added when this session began\n" in await begun(project)
    assert "\nGit: branch topic, 2 files edited" in await begun(project, save=False)


async def test_where_nothing_was_edited_nothing_is_said(project: Path) -> None:
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)
    first = await begun(project)
    assert "\nGit: branch topic\n" in first
    (project / "b.txt").write_text("another thing\n")
    assert await begun(project, resume="") == first
