"""Small models that are led, through the front door: what is looked at, written, checked and said."""

import os
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.events import Appended, Event, ToolEnded
from ferrule.core.permission import Answer
from tests.server import ModelServer, Reply
from tests.small.led import CALC, CALC_TEST, FENCE, MENDED, answer, asked, block, calls, opened
from tests.support import assert_sendable, until


async def test_a_question_is_answered_from_the_file_that_matters(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    (project / "other.py").write_text("def nothing():\n    return None\n")
    async with opened(project, server, "It doubles, see `calc.py`.") as session:
        ended = await session.prompt("What does the function double do?")
        assert (ended.reason, answer(session)) == ("end_turn", "It doubles, see `calc.py`.")
        assert [name for name, _ in calls(session)] == ["glob", "grep", "grep", "read"]
        assert_sendable(session.history.messages)
    assert "def double(number):" in asked(server)
    assert server.refusals() == []


async def test_a_failing_test_is_mended_at_the_second_try(project: Path, server: ModelServer) -> None:
    (project / "test_calc.py").write_text(CALC_TEST)
    lost = CALC.replace("number * 2", "None")  # no slip of the pen
    (project / "calc.py").write_text(lost)
    wrong = "def triple(number):\n    return number * 4\n"
    async with opened(project, server, block(wrong), block(MENDED), save=True) as session:
        ended = await session.prompt("triple in calc.py is wrong, the test fails. Fix it.")
        assert ended.reason == "end_turn"
        assert (project / "calc.py").read_text() == CALC.replace("number * 2", "number * 3")
        check = "python3 -B -m unittest test_calc.py"
        assert [about for name, about in calls(session) if name == "bash" and about == check] == [check] * 3
        assert answer(session) == f"Changed calc.py. Checked: `{check}`."
        for _ in range(4):
            await session.changes.undo()
        assert (project / "calc.py").read_text() == lost
    assert "AssertionError: 12 != 9" in asked(server)


async def test_who_writes_nothing_is_asked_again(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "You should multiply by three.", block(MENDED)) as session:
        await session.prompt("Make triple in calc.py multiply by 3")
        assert (project / "calc.py").read_text() == CALC.replace("number * 2", "number * 3")
    assert len(server.requests) == 2


async def test_who_never_writes_anything_is_not_asked_for_ever(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, *["I cannot."] * 30) as session:
        ended = await session.prompt("Make triple in calc.py multiply by 3")
        assert ended.reason == "end_turn"
        assert answer(session).startswith("Nothing was changed.")
        assert (project / "calc.py").read_text() == CALC
    assert len(server.requests) < 8


async def test_an_answer_that_breaks_off_is_asked_for_again(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    broken = Reply(text=block(MENDED), cut=300, reset=True)
    async with opened(project, server, broken, block(MENDED)) as session:
        ended = await session.prompt("Make triple in calc.py multiply by 3")
        assert ended.reason == "end_turn"
        assert [name for name, _ in calls(session)].count("glob") == 1
        assert (project / "calc.py").read_text() == CALC.replace("number * 2", "number * 3")
    assert asked(server, 0) == asked(server, 1)


@pytest.mark.parametrize("refused", ["edit", "bash"])
async def test_who_says_no_is_not_asked_again(project: Path, server: ModelServer, refused: str) -> None:
    (project / "calc.py").write_text(CALC)
    (project / "test_calc.py").write_text(CALC_TEST)
    questions: list[str] = []

    async def permission(question: Any) -> Answer:
        questions.append(question.call.name)
        return Answer(verdict="no" if question.call.name == refused else "once")

    replies = [block(MENDED)] * 4
    async with opened(project, server, *replies, mode="normal", permission=permission) as session:
        ended = await session.prompt("triple in calc.py is wrong, the test fails. Fix it.")
        assert ended.reason == "end_turn"
        assert questions.count(refused) == 1
        mended = (project / "calc.py").read_text() == CALC.replace("number * 2", "number * 3")
        assert mended == (refused == "bash")
        expected = "Changed calc.py." if mended else "Nothing was changed. The user said no."
        assert answer(session) == expected
    assert len(server.requests) == 1


async def test_after_an_interruption_the_next_request_stands_for_itself(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    slow = Reply(text=block(MENDED) * 20, pace=0.05)
    async with opened(project, server, slow, "It triples.") as session:

        def stop(event: Event) -> None:
            if server.requests and len(server.requests) == 1 and not isinstance(event, Appended | ToolEnded):
                session.interrupt()

        leave = session.subscribe(stop)
        assert (await session.prompt("Make triple in calc.py multiply by 3")).reason == "interrupted"
        leave()
        assert (project / "calc.py").read_text() == CALC
        ended = await session.prompt("What does double do?")
        assert (ended.reason, answer(session)) == ("end_turn", "It triples.")
        assert_sendable(session.history.messages)
    assert "Question: What does double do?" in asked(server)
    assert "multiply by 3" not in asked(server).rpartition("Question:")[2]


async def test_what_is_said_on_the_way_joins_the_request(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, block(MENDED)) as session:

        def steer(event: Event) -> None:
            if isinstance(event, ToolEnded) and event.result.tool == "glob" and session.run and session.run.turns == 1:
                session.steer("Leave double alone.")

        session.subscribe(steer)
        await session.prompt("Make triple in calc.py multiply by 3")
        assert (project / "calc.py").read_text() == CALC.replace("number * 2", "number * 3")
    assert len(server.requests) == 1
    assert "Make triple in calc.py multiply by 3\n\nLeave double alone." in asked(server)


async def test_a_session_goes_on_from_what_was_asked_before(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "It doubles.", save=True) as session:
        await session.prompt("What does double in calc.py do?")
    async with opened(project, server, "And triple triples.", resume="", save=True) as session:
        await session.prompt("And triple?")
        assert answer(session) == "And triple triples."
    shown = asked(server)
    assert shown.index("What does double in calc.py do?") < shown.index("It doubles.") < shown.index("And triple?")


@pytest.mark.parametrize("disabled", [["glob"], ["read"], ["grep", "bash"], ["edit", "write"]])
async def test_tools_that_are_switched_off_are_missed_and_no_more(
    project: Path, server: ModelServer, disabled: list[str]
) -> None:
    (project / "calc.py").write_text(CALC)
    (project / "test_calc.py").write_text(CALC_TEST)
    async with opened(project, server, *[block(MENDED)] * 8, config={"tools.disabled": disabled}) as session:
        ended = await session.prompt("triple in calc.py is wrong, the test fails. Fix it.")
        assert ended.reason == "end_turn"
        assert answer(session)
    text = (project / "calc.py").read_text()
    assert text in {CALC, CALC.replace("number * 2", "number * 3")}


async def test_without_any_tools_the_model_is_just_asked(project: Path, server: ModelServer) -> None:
    async with opened(project, server, "Hello.", builtin_tools=False) as session:
        await session.prompt("What is in here?")
        assert (answer(session), calls(session)) == ("Hello.", [])


@pytest.mark.parametrize("words", ["hi", "Thanks!", "你好"])
async def test_a_greeting_is_answered_without_a_search(project: Path, server: ModelServer, words: str) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "Hello there.") as session:
        await session.prompt(words)
        assert (answer(session), calls(session)) == ("Hello there.", [])
    assert len(asked(server)) < 500


async def test_an_empty_directory(project: Path, server: ModelServer) -> None:
    reply = block("def greet():\n    return 'hello'\n", "greet.py")
    async with opened(project, server, "There is nothing here.", *[reply] * 3) as session:
        await session.prompt("What does this project do?")
        assert answer(session) == "There is nothing here."
        await session.prompt("Create greet.py with a function greet that returns hello")
        assert (project / "greet.py").read_text() == "def greet():\n    return 'hello'\n"


@pytest.mark.parametrize("is_empty", [True, False])
async def test_the_model_names_what_is_new(project: Path, server: ModelServer, is_empty: bool) -> None:
    if not is_empty:
        (project / "README.md").write_text("# Ours\n\nA program.\n")
    reply = block("print('hello')\n", "hello.py")
    async with opened(project, server, "`hello.py`", *[reply] * 4) as session:
        await session.prompt("Write a Python program that prints hello")
    assert (project / "hello.py").read_text() == "print('hello')\n"
    assert {one.name for one in project.iterdir()} == {"hello.py", *([] if is_empty else ["README.md"])}
    assert is_empty or (project / "README.md").read_text() == "# Ours\n\nA program.\n"


@pytest.mark.slow
async def test_a_directory_of_five_thousand_files(project: Path, server: ModelServer) -> None:
    for number in range(5_000):
        (project / f"part_{number:04}.txt").write_text("nothing of interest\n")
    (project / "deep").mkdir()
    (project / "deep" / "calc.py").write_text(CALC)
    os.utime(project / "deep" / "calc.py", (1, 1))
    async with opened(project, server, "It doubles.", block(MENDED, "deep/calc.py")) as session:
        await session.prompt("What does the function double do?")
        assert "def double(number):" in asked(server)
        await session.prompt("Make triple in calc.py multiply by 3")
    assert (project / "deep" / "calc.py").read_text() == CALC.replace("number * 2", "number * 3")
    assert not (project / "calc.py").exists()


async def test_what_git_ignores_is_not_written_over(project: Path, server: ModelServer) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("local.py\n")
    (project / "local.py").write_text(CALC)
    async with opened(project, server, *[block(MENDED, "local.py")] * 4) as session:
        await session.prompt("Make triple in local.py multiply by 3")
    assert (project / "local.py").read_text() == CALC.replace("number * 2", "number * 3")


async def test_the_tests_of_strange_names_are_run_as_files(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    name = "test_calc $(touch hacked);x.py"
    (project / name).write_text(CALC_TEST)
    async with opened(project, server, *[block(MENDED)] * 4) as session:
        await session.prompt("triple in calc.py is wrong, the test fails. Fix it.")
    assert not (project / "hacked").exists()


async def test_a_model_that_repeats_itself_for_ever_is_stopped(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    endless = Reply(text=block("x = 1\n" * 3_000), piece=60, stall=40_000)
    async with opened(project, server, *[endless] * 8) as session:
        ended = await session.prompt("Make triple in calc.py multiply by 3")
        assert ended.reason == "end_turn"
        assert (project / "calc.py").read_text() == CALC
    await until(lambda: all(request.abandoned for request in server.requests))


async def test_a_file_that_ends_in_circles_is_not_put_in_place(project: Path, server: ModelServer) -> None:
    notes = "".join(f"- note {number}\n" for number in range(40))
    (project / "notes.md").write_text(notes)
    circles = Reply(
        text=f"notes.md\n{FENCE}markdown\n{notes[:300]}" + "- and the same again, and again\n" * 200, piece=6
    )
    async with opened(project, server, *[circles] * 8) as session:
        await session.prompt("Add a note about apples to notes.md")
        assert answer(session).startswith("Nothing was changed.")
    assert (project / "notes.md").read_text() == notes


async def test_a_file_that_the_server_cuts_off_is_not_put_in_place(project: Path, server: ModelServer) -> None:
    notes = "".join(f"- note {number}\n" for number in range(40))
    (project / "notes.md").write_text(notes)
    cut = Reply(text=f"notes.md\n{FENCE}markdown\n{notes[:-30]}", stop="max_tokens")
    async with opened(project, server, *[cut] * 8) as session:
        await session.prompt("Add a note about apples to notes.md")
        assert answer(session).startswith("Nothing was changed.")
    assert (project / "notes.md").read_text() == notes


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "~/.bashrc"])
async def test_a_path_outside_of_the_project_is_not_followed(project: Path, server: ModelServer, path: str) -> None:
    outside = project.parent / ".bashrc", project.parent / "outside.py"
    for one in outside:
        one.write_text("before\n")
    async with opened(project, server, *[block("x = 1\n", path)] * 8, mode="auto") as session:
        await session.prompt(f"Write the number 1 to {path}")
        await session.prompt("Create a file for the number 1")
    assert [one.read_text() for one in outside] == ["before\n"] * 2


@pytest.mark.parametrize("asks", ["Fix this:", "Explain this:", "Run this:"])
async def test_what_the_model_is_asked_is_short(project: Path, server: ModelServer, asks: str) -> None:
    (project / "calc.py").write_text(CALC)
    pasted = "Traceback (most recent call last):\n" + '  File "calc.py", line 6, in triple\n' * 600
    async with opened(project, server, *[block(MENDED)] * 4) as session:
        await session.prompt(f"{asks}\n{pasted}KeyError: 1 - why?")
    assert len(asked(server, 0)) < 12_000


async def test_a_command_is_run_and_reported(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    (project / "test_calc.py").write_text(CALC_TEST)
    async with opened(project, server, "One test fails.") as session:
        await session.prompt("run the tests")
        assert calls(session)[-1] == ("bash", "python3 -B -m unittest test_calc.py")
        assert answer(session) == "One test fails."
    assert "AssertionError: 6 != 9" in asked(server)


async def test_a_refusal_of_the_model_is_an_error(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, Reply(text="", stop="refusal"), "It doubles.") as session:
        ended = await session.prompt("What does double do?")
        assert ended.reason == "error"
        ended = await session.prompt("What does double do?")
        assert (ended.reason, answer(session)) == ("end_turn", "It doubles.")


async def test_a_call_that_a_question_is_about_is_tried(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "It doubles.") as session:
        await session.prompt("What does triple(4) return?")
        assert [name for name, _ in calls(session)] == ["glob", "grep", "grep", "read", "bash"]
        assert (answer(session), server.requests) == ("It was tried: triple(4) gives 8.", [])
        await session.prompt("What does triple(4) return, and why?")
    assert "It was tried: triple(4) gives 8." in asked(server)


async def test_of_a_class_that_is_named_all_is_shown(project: Path, server: ModelServer) -> None:
    methods = "".join(f"    def step_{name}(self):\n        return {name!r}\n\n" for name in "abcdef")
    text = f'class Walk:\n    """A walk."""\n\n{methods}'
    (project / "walk.py").write_text(text + "\n".join(f"def other_{at}():\n    return {at}\n" for at in range(20)))
    async with opened(project, server, block("class Walk:\n    pass\n", "walk.py")) as session:
        await session.prompt("Walk in walk.py shares its state. Fix it.")
    assert "def step_f(self):" in asked(server, 0)
    assert "def other_1()" not in asked(server, 0)


async def test_where_an_option_is_asked_for_the_parser_is_shown(project: Path, server: ModelServer) -> None:
    text = (
        "import argparse\n\n\ndef build():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('file')\n"
        "    return parser\n\n\ndef main():\n    options = build().parse_args()\n    print(options.version)\n"
    )
    (project / "cli.py").write_text(text + "\n".join(f"def other_{at}():\n    return {at}\n" for at in range(20)))
    (project / "__init__.py").write_text("__version__ = '1'\n")
    async with opened(project, server, block("def build():\n    return 1\n", "cli.py")) as session:
        await session.prompt("add a --version option in cli.py (it is __version__ in __init__.py)")
        assert (project / "__init__.py").read_text() == "__version__ = '1'\n"
    assert "parser.add_argument('file')" in asked(server, 0)
    assert len(server.requests) == 1


async def test_tests_that_are_written_are_run(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    wrong = CALC_TEST.replace("triple(3), 9", "triple(3), 7")
    right = CALC_TEST.replace("triple(3), 9", "triple(3), 6")
    async with opened(project, server, block(wrong, "test_calc.py"), block(right, "test_calc.py")) as session:
        await session.prompt("Write unit tests for triple from calc.py. Put them into test_calc.py.")
        check = "python3 -B -m unittest test_calc.py"
        assert [about for name, about in calls(session) if about == check] == [check] * 2
        assert answer(session) == f"Changed test_calc.py. Checked: `{check}`."
    assert "AssertionError: 6 != 7" in asked(server)


async def test_a_script_that_defines_nothing_is_told_by_how_it_begins(project: Path, server: ModelServer) -> None:
    (project / "ship.sh").write_text('#!/bin/sh\nset -e\nrsync -a out/ "$TARGET"\n')
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "ship.sh") as session:
        await session.prompt("which script uploads the site?")
    assert 'ship.sh: rsync -a out/ "$TARGET"' in asked(server)


async def test_a_second_try_after_pasted_tests_goes_on_with_the_file(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text("def triple(number):\n    pass\n")
    wrong, right = block(MENDED.replace("3", "2")), block(MENDED)
    pasted = (
        'FAIL: test_triple (calc_test.T.test_triple)\n  File "calc_test.py", line 3, in test_triple\n'
        "    self.assertEqual(triple(3), 9)\nAssertionError: 6 != 9\n\nFix it."
    )
    async with opened(project, server, wrong, right) as session:
        await session.prompt("triple(number) gives three times a number. Fill in calc.py.")
        await session.prompt(f"The tests fail:\n{pasted}")
        assert (project / "calc.py").read_text() == MENDED
        assert not (project / "calc_test.py").exists()
        assert answer(session).startswith("Changed calc.py. Checked: ")
    assert "with everything filled in" in asked(server, 0)
