"""Functions that can be called as tests call them."""

import pytest

from ferrule.small.mends.parameters import with_parameters

MISSING = (
    'File "garden_test.py", line 3, in test_x\n    Garden("RC")\n'
    "TypeError: Garden.__init__() missing 1 required positional argument: 'students'\n"
)
GARDEN = "class Garden:\n    def __init__(self, diagram, students):\n        pass\n"


def test_what_tests_leave_out_is_optional() -> None:
    assert "def __init__(self, diagram, students=None):" in with_parameters(GARDEN, [MISSING])


def test_what_tests_give_besides_is_taken() -> None:
    said = "a_test.py:4: \nE   TypeError: proverb() got an unexpected keyword argument 'qualifier'\n"
    text = "import re\n\n@cached\nasync def proverb(*items) -> str:\n    return ''\n"
    assert with_parameters(text, [said]) == text.replace("(*items)", "(*items, qualifier=None)")
    assert with_parameters("def proverb(a, b=1):\n    return a\n", [said, said]) == (
        "def proverb(a, b=1, qualifier=None):\n    return a\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GARDEN, MISSING.replace("garden_test.py", "main.py")),
        (GARDEN, MISSING.replace("Garden.__init__", "Plot.__init__")),
        (GARDEN.replace("students)", "**students)"), MISSING),
        (GARDEN.replace("diagram, students):", "diagram,\n        students):"), MISSING),
        ("def f(:\n", MISSING),
        (GARDEN, "TypeError: nothing of the kind"),
    ],
    ids=["caller-is-no-test", "another-class", "takes-all", "several-lines", "no-python", "other-words"],
)
def test_all_else_stays_as_it_is(text: str, said: str) -> None:
    assert with_parameters(text, [said]) == text
