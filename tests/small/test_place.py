"""How new content gets to its place: the call that makes it."""

from hypothesis import given
from hypothesis import strategies as st

from ferrule.small.code.place import call_for


def test_what_is_not_there_is_written() -> None:
    assert call_for("a", None, "x\n") == ("write", {"file_path": "a", "content": "x\n"})
    assert call_for("a", "", "x\n") == ("write", {"file_path": "a", "content": "x\n"})


def test_only_what_differs_is_edited() -> None:
    old = "one\ntwo\nthree\nfour\n"
    expected = {"file_path": "a", "old_string": "two", "new_string": "2"}
    assert call_for("a", old, old.replace("two", "2")) == ("edit", expected)


def test_lines_that_come_twice_are_told_apart_by_their_neighbours() -> None:
    name, call = call_for("a", "x\na\ny\na\nz\n", "x\na\ny\nb\nz\n")
    assert (name, call["old_string"], call["new_string"]) == ("edit", "y\na\nz", "y\nb\nz")


LINES = st.lists(st.sampled_from(["", "a", "b", "  a", "ab"]), min_size=1, max_size=8)


@given(LINES, LINES)
def test_the_call_makes_one_text_of_the_other(before: list[str], after: list[str]) -> None:
    old, new = "\n".join([*before, "end"]) + "\n", "\n".join([*after, "end"]) + "\n"
    name, call = call_for("a", old, new)
    if old == new:
        return
    assert name == "edit"
    assert old.count(call["old_string"]) == 1
    assert old.replace(call["old_string"], call["new_string"]) == new
