import pytest

from ferrule.core.errors import UsageError
from ferrule.session.steps import Step, Steps


def steps_of(*numbers: int) -> Steps:
    steps = Steps()
    for number in numbers:
        steps.stepped(number, f"before {number}", f"after {number}", 10 * number)
    return steps


def step(number: int) -> Step:
    return Step(number=number, before=f"before {number}", after=f"after {number}", message=10 * number)


def test_the_latest_step_is_undone_first() -> None:
    steps = steps_of(1, 2, 3)
    assert steps.next_undo() == (step(3),)
    assert steps.next_undo(2) == (step(3), step(2))
    steps.undone(3)
    assert steps.next_undo() == (step(2),)
    assert steps.done == (step(1), step(2))


def test_what_was_undone_last_is_redone_first() -> None:
    steps = steps_of(1, 2, 3)
    steps.undone(3)
    steps.undone(2)
    assert steps.next_redo() == (step(2),)
    steps.redone(2)
    assert steps.next_redo() == (step(3),)
    steps.redone(3)
    assert steps.done == (step(1), step(2), step(3))


def test_a_new_step_ends_what_could_be_redone() -> None:
    steps = steps_of(1, 2)
    steps.undone(2)
    steps.stepped(3, "before 3", "after 3", 30)
    with pytest.raises(UsageError, match="There is no step to redo"):
        steps.next_redo()
    assert steps.next_undo(2) == (step(3), step(1))


def test_a_step_without_changes_is_none() -> None:
    steps = steps_of(1)
    steps.undone(1)
    steps.stepped(2, "same", "same", 20)
    assert steps.next_redo() == (step(1),)
    assert steps.next_number == 2


def test_rewinding_takes_back_what_was_begun_at_a_message_or_later() -> None:
    steps = steps_of(1, 2, 3)
    steps.undone(2)
    assert steps.since(20) == (step(3),)
    assert steps.since(0) == (step(3), step(1))
    assert steps.since(31) == ()


def test_there_must_be_so_many() -> None:
    with pytest.raises(UsageError, match="There is no step to undo"):
        Steps().next_undo()
    with pytest.raises(UsageError, match="3 steps cannot be undone; there are 2"):
        steps_of(1, 2).next_undo(3)
    with pytest.raises(UsageError, match="0 steps cannot be undone; there is 1"):
        steps_of(1).next_undo(0)


def test_numbers_go_on_and_unknown_ones_are_passed_over() -> None:
    steps = steps_of(4)
    steps.undone(7)
    steps.redone(7)
    assert steps.next_number == 5
    assert steps.records() == {"before 4", "after 4"}
