import pytest

from ferrule.policy.command import Knowledge, Nested, Word
from tests.policy.programs.words import ask, level, word


def test_looking_for_files_goes_through_all_that_is_there() -> None:
    assert ask("find src lib -name '*.py' -type f") == Knowledge(
        level="reads", reads=(Word("src", "src"), Word("lib", "lib"))
    )
    assert ask("find -maxdepth 1") == Knowledge(level="reads", reads=(Word(".", "."),))


def test_what_is_run_sees_the_files_below_the_start() -> None:
    nested = Nested(words=(word("grep"), word("x"), Word("{}", "src/{}", glob=True)), wrapper="find -exec")
    assert ask("find src -exec grep x {} +") == Knowledge(level="reads", reads=(word("src"),), runs=(nested,))


@pytest.mark.parametrize(("start", "directory"), [(".", word(".")), ("./", word("./")), ("src", Word("src"))])
def test_execdir_runs_where_the_file_is(start: str, directory: Word) -> None:
    found = ask(f"find {start} -execdir cat {{}} \\;")
    assert found.runs == (
        Nested(words=(word("cat"), Word("{}", "./{}")), directory=directory, wrapper="find -execdir"),
    )


def test_a_name_inside_a_longer_word_leads_anywhere() -> None:
    words = ask("find src -exec cat {}/../../x y{} \\;").runs[0].words
    assert words == (word("cat"), Word("{}/../../x", prefix="src/"), Word("y{}", prefix="y"))


def test_a_plus_ends_a_command_only_behind_the_names() -> None:
    assert level("find . -exec rm + -rf / \\;") == "catastrophe"
    assert level("find . -exec grep + {} \\;") == "reads"


@pytest.mark.parametrize(
    "line",
    [
        "find -L . -name x",
        "find . -follow",
        "find . -execdir cat ../x \\;",
        "find . -execdir cat .. \\;",
        "find src -exec uniq {} +",
        "find src -exec xxd {} +",
    ],
)
def test_what_could_leave_the_place_or_write_is_not_only_reading(line: str) -> None:
    assert level(line) == "changes"


def test_one_name_at_a_time_is_no_output() -> None:
    assert level("find src -exec uniq {} \\;") == "reads"
    assert level("find src -exec sort {} +") == "reads"


def test_a_name_inside_a_script_is_not_known() -> None:
    assert ask("find . -exec sh -c 'cat {}' \\;").runs[0].words[2] == Word("'cat {}'", prefix="cat ")
    assert level("find . -exec sh -c 'cat {}' \\;") == "danger"


def test_each_start_is_filled_in() -> None:
    assert [nested.words[1].text for nested in ask("find a b -exec cat {} \\;").runs] == ["a/{}", "b/{}"]


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        ("find . -fprint out", ["out"]),
        ("find . -fprintf out %p", ["out"]),
        ("find src -name '*.o' -delete", ["src"]),
    ],
)
def test_files_that_are_written(line: str, writes: list[str]) -> None:
    found = ask(line)
    assert (found.level, [one.text for one in found.writes]) == ("changes", writes)


@pytest.mark.parametrize(
    "line",
    ["find $x", "find . $x", "find . -name $x", "find . -name *.py", "find . -bogus", "find . -exec cat {}", "find *"],
)
def test_what_is_not_understood_may_be_an_action(line: str) -> None:
    assert level(line) != "reads"


def test_more_starting_points_than_anybody_writes_are_a_danger() -> None:
    starts = " ".join(f"d{number}" for number in range(60))
    found = ask(f"find {starts} -exec cat {{}} + -exec cat {{}} +")
    assert (found.level, len(found.runs)) == ("danger", 50)


def test_fd_runs_commands_too() -> None:
    assert level("fd -e py -x rm -rf /") == "catastrophe"
    assert level("fd -e py --exec=rm") == "changes"
