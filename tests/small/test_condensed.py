"""Requests with pasted output, made short."""

from ferrule.small.checks.condensed import condensed


def test_of_many_pasted_failures_some_are_told() -> None:
    one = 'FAIL: test_x (a.T.test_x)\nTraceback (most recent call last):\n  File "a.py", line 1, in test_x\n    f()\n'
    told = condensed("It fails:\n" + f"{one}AssertionError: 1 != 2\n\n" * 20 + "Please fix it.")
    assert told.startswith("It fails:")
    assert told.endswith("(17 more fail.)\n\nPlease fix it.")
    assert told.count("AssertionError: 1 != 2") == 3
    assert condensed("Short. FAIL: x") == "Short. FAIL: x"


OF_PYTEST = """\
It fails:

============================= test session starts ==============================
collected 20 items

a_test.py FF                                                             [100%]

=================================== FAILURES ===================================
_________________________________ T.test_one ___________________________________

self = <a_test.T testMethod=test_one>

    def test_one(self):
        x = A()
>       self.assertEqual(x.b(), 1)
                         ^^^^^

a_test.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def b(self):
        long = "so long that nobody wants to read it"
        longer = "so very long that nobody at all wants to read it, not even once, and not even in part"
>       return 1 / 0
E       ZeroDivisionError: division by zero

a.py:3: ZeroDivisionError
_ T.test_two_has_a_very_long_name_so_that_there_is_hardly_any_line_beside_it____ _

    def test_two(self):
>       self.assertEqual(A().c(), 1)
E       AssertionError: 2 != 1

a_test.py:12: AssertionError
=========================== short test summary info ============================
FAILED a_test.py::T::test_one - ZeroDivisionError: division by zero
FAILED a_test.py::T::test_two - AssertionError: 2 != 1
============================== 2 failed in 0.03s ===============================

The tests are right.
"""


def test_of_what_pytest_says_the_tests_stay_and_the_words() -> None:
    told = condensed(OF_PYTEST, 1)
    assert told.startswith(
        "It fails:\n\n    def test_one(self):\n        x = A()\n>       self.assertEqual(x.b(), 1)\n"
    )
    assert "\n>       return 1 / 0\nE       ZeroDivisionError: division by zero\n" in told
    assert told.endswith("(1 more fail.)\n\nThe tests are right.")
    assert "nobody" not in told
    assert "summary" not in condensed(OF_PYTEST)


def test_output_that_ends_with_nothing_but_failures() -> None:
    told = condensed(OF_PYTEST.partition("=========================== short")[0] + "\nFix a.py.")
    assert told.endswith("a_test.py:12: AssertionError\n\nFix a.py.")
