"""Commands, one a line, in the files beside this one: what only reads, what does more, what ends everything."""

from pathlib import Path

import pytest

from ferrule.policy.command import Knowledge, Simple, Word
from ferrule.policy.programs import HANDLERS, know
from tests.policy.programs.words import HOME, ask, level, simple

HERE = Path(__file__).parent


def lines(name: str) -> list[str]:
    return (HERE / f"{name}.txt").read_text("utf-8").splitlines()


def test_ordinary_looking_around_only_reads() -> None:
    assert {line: ask(line) for line in lines("readonly") if level(line) != "reads"} == {}


def test_what_does_more_than_read_is_never_taken_for_reading() -> None:
    assert [line for line in lines("asking") if level(line) == "reads"] == []


def test_what_is_no_catastrophe_is_not_denied() -> None:
    assert {line: ask(line).reason for line in lines("asking") if level(line) == "catastrophe"} == {}


def test_catastrophes_in_many_disguises() -> None:
    assert {line: level(line) for line in lines("catastrophes") if level(line) != "catastrophe"} == {}


def test_every_level_but_reading_has_its_reason() -> None:
    everything = [*lines("readonly"), *lines("asking"), *lines("catastrophes")]
    assert [line for line in everything if bool(ask(line).reason) != (ask(line).level != "reads")] == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("mytool x", "mytool is not known to only read"),
        ("mytool --version", "mytool is not known to only read"),
        ("./ls", "./ls may be another program than ls"),
        ("/tmp/cat x", "/tmp/cat may be another program than cat"),
        ("LS -l", "LS may be another program than ls"),
    ],
)
def test_unknown_programs_and_look_alikes_may_change_things(line: str, reason: str) -> None:
    found = ask(line)
    assert (found.level, found.reason) == ("changes", reason)


def test_programs_in_the_usual_places_are_those_programs() -> None:
    assert ask("/usr/bin/wc -l a") == ask("wc -l a") == Knowledge(level="reads", reads=(Word("a", "a"),))


def test_a_variable_that_changes_which_words_are_options() -> None:
    variables = (("POSIXLY_CORRECT", Word("1", "1")),)
    found = know(Simple(words=simple("uniq a").words, raw="", variables=variables))
    assert (found.level, found.reason) == ("changes", "POSIXLY_CORRECT changes which words are options")


def test_no_words_do_nothing() -> None:
    assert know(Simple(words=(), raw="")) == Knowledge(level="reads")


@pytest.mark.parametrize("line", ["$x -rf /", '"$x"', "$(echo rm) x"])
def test_a_program_that_is_not_known_is_a_danger(line: str) -> None:
    assert ask(line).level == "danger"


def test_a_pattern_as_program_is_as_bad_as_what_it_may_match() -> None:
    assert ask("/bin/r? -rf /").level == "catastrophe"
    assert ask("/bin/r? x").level == "danger"
    assert ask("/bin/l? x").level == "danger"


ODD = [
    "",
    " --",
    " -",
    " ''",
    " $x",
    ' "$x"',
    " -$x",
    " --$x=",
    " *",
    " -- *",
    " -e",
    " -c",
    " -x= --=",
    " -C",
    " -o -",
]


def test_no_program_is_at_a_loss_for_odd_words() -> None:
    """Every handler answers, whatever the words: none, unknown ones, empty ones, lone dashes, half options."""
    for name in HANDLERS:
        for tail in ODD:
            for directory in ("/", None):
                assert know(simple(name + tail, directory=directory, piped=True), home=HOME).level


def test_words_that_nobody_knows_never_make_a_harmful_program_harmless() -> None:
    """What asks without words does so with unknown ones as well."""
    assert [name for name in HANDLERS if level(name) != "reads" and level(f"{name} $x") == "reads"] == []
