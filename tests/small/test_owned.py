"""Functions that are called in the wrong place."""

import pytest

from ferrule.small.mends.owned import with_owned, with_unhidden

DICE = """class Character:
    def __init__(self):
        self.strength = {roll}
        self.hitpoints = 10 + {modifier}(self.strength)

    def _roll(self):
        return 3


def modifier(value):
    return (value - 10) // 2
"""


def test_a_function_is_no_method_and_a_method_no_function() -> None:
    wrong = DICE.format(roll="_roll()", modifier="self.modifier")
    assert with_owned(wrong) == DICE.format(roll="self._roll()", modifier="modifier")


def test_several_calls_of_a_line_are_put_right() -> None:
    wrong = DICE.format(roll="_roll() + self.modifier(_roll())", modifier="modifier")
    assert with_owned(wrong) == DICE.format(roll="self._roll() + modifier(self._roll())", modifier="modifier")


@pytest.mark.parametrize(
    "text",
    [
        DICE.format(roll="self._roll()", modifier="modifier"),
        DICE.replace("class Character:", "class Character(Being):").format(roll="1", modifier="self.modifier"),
        "class A:\n    def len(self):\n        return len(self.all)\n",
        "class A:\n    def run(self, step):\n        return step()\n\n    def step(self):\n        return 1\n",
        "class A:\n    @staticmethod\n    def make():\n        return 1\n\n    def run(self):\n        return make()\n",
        "class A:\n    def run(self):\n        self.go = 1\n        self.go()\n\n\ndef go():\n    pass\n",
        "import step\n\n\nclass A:\n    def run(self):\n        return step()\n\n    def step(self):\n        pass\n",
        "def f():\n    return self.g()\n\n\ndef g():\n    pass\n",
        "no python",
        "",
    ],
)
def test_what_may_be_meant_stays(text: str) -> None:
    assert with_owned(text) == text


def test_a_value_of_the_class_is_no_name_of_everybody() -> None:
    text = "class A:\n    names = [1]\n    more = names\n\n    def f(self):\n        return {}[0]\n"
    assert with_owned(text.format("names")) == text.format("self.names")


@pytest.mark.parametrize(
    ("before", "wrong", "right"),
    [
        ("", "number = number.strip()", "number = self.number.strip()"),
        ("", "number = [one for one in number]", "number = [one for one in self.number]"),
        ("number = 'a'\n        ", "number = number.strip()", "number = number.strip()"),
        ("if 1: number = 'a'\n        ", "number = number.strip()", "number = number.strip()"),
        ("", "other = other.strip()", "other = other.strip()"),
    ],
)
def test_a_value_of_the_object_is_no_value_of_a_method(before: str, wrong: str, right: str) -> None:
    text = "class A:\n    def __init__(self, number):\n        self.number = number\n\n    def f(self):\n        {}{}\n"
    assert with_owned(text.format(before, wrong)) == text.format(before, right)


def test_letters_of_several_bytes_move_nothing() -> None:
    wrong = "class A:\n    def go(self):\n        return 'ß', self.half('ü')\n\n\ndef half(x):\n    return x\n"
    assert with_owned(wrong) == wrong.replace("self.half", "half")


def test_a_value_does_not_hide_a_method() -> None:
    wrong = (
        "class School:\n    def __init__(self):\n        self.added, self.names = [], {}\n\n"
        "    def add(self, name):\n        self.added.append(name not in self.names)\n"
        "        self.names[name] = len(self.added())\n\n    def added(self):\n        return self.added\n"
    )
    right = with_unhidden(wrong)
    assert right == (
        "class School:\n    def __init__(self):\n        self._added, self.names = [], {}\n\n"
        "    def add(self, name):\n        self._added.append(name not in self.names)\n"
        "        self.names[name] = len(self.added())\n\n    def added(self):\n        return self._added\n"
    )
    assert with_unhidden(right) == right


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    @property\n    def size(self):\n        return 1\n\n    def set(self):\n        self.size = 2\n",
        "class A:\n    def size(self):\n        return 1\n\n    def get(self):\n        return self.size\n",
        "class A:\n    def size(self):\n        other.size = 1\n",
        "no python",
        "x = '\ud800'\n",
    ],
)
def test_what_hides_nothing_keeps_its_name(text: str) -> None:
    assert with_unhidden(text) == text
