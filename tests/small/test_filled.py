"""Files of names that were filled in."""

from ferrule.small.mends.filled import misfit, with_lifted

BASE = "class Character:\n    def __init__(self):\n        pass\n\n\ndef modifier(value):\n    pass\n"
METHOD = "class Character:\n    def modifier(self, value):\n        return value // 2\n"


def test_a_function_that_was_written_as_a_method_is_there_as_both() -> None:
    lifted = with_lifted(BASE, METHOD)
    assert lifted == f"{METHOD}\n\ndef modifier(value):\n    return value // 2\n"
    empty = f"{METHOD}\n\ndef modifier(value):\n    pass\n"
    assert with_lifted(BASE, empty) == lifted
    assert with_lifted(BASE, f"{empty}\n\nLAST = 1\n") == f"{lifted}\n\nLAST = 1\n"


def test_what_needs_its_object_or_is_there_stays() -> None:
    for text in (
        METHOD.replace("value // 2", "self.x"),
        METHOD.replace("self, value", "self"),
        f"{METHOD}\n\ndef modifier(value):\n    return 1\n",
        "no python (",
    ):
        assert with_lifted(BASE, text) == text


def test_parameters_stay() -> None:
    said = "The function modifier(value) must keep its parameters, outside of any class."
    assert misfit(BASE, "def modifier(self):\n    return 1\n") == said
    assert misfit(BASE, "def modifier():\n    return 1\n") == said
    assert misfit(BASE, "def modifier(a, b):\n    return 1\n") == said
    for fine in ("def modifier(score):\n    return 1\n", "def modifier(a, b=1):\n    return 1\n", METHOD, "(", ""):
        assert misfit(BASE, fine) == ""
    assert misfit("def f(*rows):\n    pass\n", "def f(a, b):\n    return 1\n") == ""


def test_a_class_keeps_its_methods() -> None:
    base = (
        "class Garden:\n    def __init__(self, plan):\n        pass\n\n    def plants(self, student):\n        pass\n"
    )
    lost = "class Garden:\n    def __init__(self, plan):\n        self.plants = {}\n"
    assert misfit(base, lost) == "The class Garden must have the method plants(self, student)."
    assert misfit(base, lost.replace("Garden", "Garden(Plot)")) == ""
    assert misfit(base, lost.replace("Garden", "Plot")) == ""
    assert misfit(base, base.replace("pass", "return 1")) == ""
