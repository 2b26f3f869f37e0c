"""Permissions through the library's door: asked as events, answered by a function or by id, kept as long as said."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import ferrule
from ferrule.core.events import Event, PermissionAsked, PermissionDecided, ToolEnded
from ferrule.core.permission import Answer
from ferrule.session.session import Session
from tests.support import know_the_sandbox

YES, NO = Answer(verdict="once"), Answer(verdict="no")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home/data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    know_the_sandbox(tmp_path / "home/state/ferrule")
    return tmp_path / "project"


class Person:
    """Answers questions in turn, and remembers them."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[PermissionAsked] = []

    async def __call__(self, asked: PermissionAsked) -> Answer:
        self.asked.append(asked)
        return self.answers.pop(0)


def opened(project: Path, *steps: Any, **options: Any) -> Session:
    return ferrule.open_session(model=ferrule.Scripted([*steps, "Done."]), directory=project, **options)


def results(events: list[Event]) -> list[str]:
    return [event.result.text for event in events if isinstance(event, ToolEnded)]


async def test_a_question_shows_the_diff_of_an_edit(project: Path) -> None:
    (project / "a.py").write_text("x = 1\ny = 2\n")
    person = Person(YES)
    edit = ferrule.calling("edit", file_path="a.py", old_string="x = 1", new_string="x = 3")
    async with opened(project, ferrule.calling("read", file_path="a.py"), edit, permission=person) as session:
        events: list[Event] = []
        session.subscribe(events.append)
        assert (await session.prompt("go")).reason == "end_turn"
    (asked,) = person.asked
    assert asked.reason == "edit would change a.py"
    assert "-x = 1\n+x = 3\n" in asked.preview
    assert asked.always == ("edit(./a.py)",)
    assert (project / "a.py").read_text() == "x = 3\ny = 2\n"
    assert [event for event in events if isinstance(event, PermissionAsked | PermissionDecided)] == [
        asked,
        PermissionDecided(call_id=asked.call.id, allowed=True, reason="The user said yes."),
    ]


async def test_a_question_shows_what_a_line_really_runs(project: Path) -> None:
    person = Person(Answer(verdict="no", word="Use pytest instead."))
    bash = ferrule.calling("bash", command="make test && echo $(touch x)")
    async with opened(project, bash, permission=person) as session:
        events: list[Event] = []
        session.subscribe(events.append)
        await session.prompt("go")
    assert set(person.asked[0].parts) >= {"make test", "touch x"}
    assert results(events) == ["The user said no. They say: Use pytest instead."]
    assert not (project / "x").exists()


async def test_abort_ends_the_run(project: Path) -> None:
    person = Person(Answer(verdict="abort"))
    write = ferrule.calling("write", file_path="x", content="y")
    async with opened(project, write, permission=person) as session:
        assert (await session.prompt("go")).reason == "aborted"
    assert not (project / "x").exists()


async def test_always_asks_no_more(project: Path) -> None:
    person = Person(Answer(verdict="always"))
    (project / "src").mkdir()
    steps = [ferrule.calling("write", file_path=f"src/{name}.txt", content="y") for name in "abc"]
    async with opened(project, *steps, permission=person) as session:
        await session.prompt("go")
    assert [asked.always for asked in person.asked] == [("write(./src/**)",)]
    assert sorted(path.name for path in (project / "src").iterdir()) == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.parametrize("scope", ["project", "user"])
async def test_always_lasts_as_long_as_was_said(project: Path, tmp_path: Path, scope: Any) -> None:
    step = ferrule.calling("bash", command="touch a")
    person = Person(Answer(verdict="always", scope=scope, rules=("bash(touch *)",)))
    async with opened(project, step, permission=person) as session:
        await session.prompt("go")
    (project / "a").unlink()
    async with opened(project, step) as session:
        await session.prompt("go")
    assert (project / "a").exists()
    other = tmp_path / "other"
    other.mkdir()
    async with opened(other, step) as session:
        await session.prompt("go")
    assert (other / "a").exists() == (scope == "user")


async def test_always_for_the_session_is_forgotten_with_it(project: Path) -> None:
    step = ferrule.calling("bash", command="touch a")
    async with opened(project, step, permission=Person(Answer(verdict="always"))) as session:
        await session.prompt("go")
    person = Person(NO)
    async with opened(project, step, permission=person) as session:
        await session.prompt("go")
    assert len(person.asked) == 1


async def test_someone_answers_through_the_session(project: Path) -> None:
    from ferrule.assemble import Options, assemble

    model = ferrule.Scripted([ferrule.calling("write", file_path="a", content="x"), "Done."])
    async with assemble(Options(directory=project, model=model, someone=True)) as session:

        def hear(event: Event) -> None:
            if isinstance(event, PermissionAsked):
                assert dict(session.questions) == {event.id: event}
                asyncio.get_running_loop().call_soon(session.answer, event.id, YES)

        session.subscribe(hear)
        await session.prompt("go")
        assert not session.questions
    assert (project / "a").read_text() == "x"


async def test_nobody_answers_in_time(project: Path) -> None:
    from ferrule.assemble import Options, assemble

    model = ferrule.Scripted([ferrule.calling("write", file_path="a", content="x"), "Done."])
    options = Options(directory=project, model=model, someone=True, overrides={"safety.ask_timeout_seconds": 0.01})
    async with assemble(options) as session:
        events: list[Event] = []
        session.subscribe(events.append)
        await session.prompt("go")
    assert results(events) == ["The user said no. They say: Nobody answered within 0.01 s."]
    assert not (project / "a").exists()


async def test_an_interrupt_ends_the_waiting(project: Path) -> None:
    from ferrule.assemble import Options, assemble

    model = ferrule.Scripted([ferrule.calling("write", file_path="a", content="x"), "Done."])
    async with assemble(Options(directory=project, model=model, someone=True)) as session:
        session.subscribe(lambda event: session.interrupt() if isinstance(event, PermissionAsked) else None)
        assert (await session.prompt("go")).reason == "interrupted"
        assert not session.questions


async def test_rules_of_the_caller(project: Path) -> None:
    step = ferrule.calling("bash", command="touch a")
    async with opened(project, step, allow=["bash(touch *)"]) as session:
        await session.prompt("go")
    assert (project / "a").exists()
    with pytest.raises(ferrule.FerruleError, match="There is no tool named bsh"):
        opened(project, allow=["bsh(touch *)"])


async def test_one_yes_is_for_one_path(project: Path, tmp_path: Path) -> None:
    (tmp_path / "near.txt").write_text("near\n")
    (tmp_path / "far.txt").write_text("far\n")
    steps = [ferrule.calling("read", file_path=str(tmp_path / name)) for name in ("near.txt", "far.txt")]
    person = Person(YES, NO)
    async with opened(project, *steps, permission=person) as session:
        events: list[Event] = []
        session.subscribe(events.append)
        await session.prompt("go")
    assert "near" in results(events)[0]
    assert results(events)[1].startswith("The user said no.")
