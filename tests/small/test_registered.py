"""A new function goes into the table in which a file keeps its functions."""

from ferrule.small.code.registered import with_registered

BASE = '''\
"""Filters."""


def upper(text):
    return text.upper()


def trim(text):
    return text.strip()


FILTERS = {
    "upper": upper,
    "trim": trim,
}
'''
REVERSE = "def reverse(text):\n    return text[::-1]\n"


def test_what_is_written_behind_the_table_goes_before_it_and_into_it() -> None:
    new = with_registered(BASE, f"{BASE}\n\n{REVERSE}")
    assert new == BASE.replace("FILTERS", f"{REVERSE}\n\nFILTERS").replace(
        ": trim,", ': trim,\n    "reverse": reverse,'
    )


def test_what_stands_before_the_table_is_only_entered() -> None:
    text = BASE.replace("FILTERS", f"{REVERSE}\n\nFILTERS").replace("trim,\n}", "trim\n}").replace('"', "'")
    assert with_registered(BASE, text) == text.replace(": trim\n}", ": trim,\n    'reverse': reverse,\n}")


def test_other_tables_stay_as_they_are() -> None:
    entered = BASE.replace("FILTERS", f"{REVERSE}\n\nFILTERS").replace(": trim,", ': trim,\n    "reverse": reverse,')
    assert with_registered(BASE, entered) == entered
    partly = BASE.replace('    "trim": trim,\n', '    "strip": trim,\n')
    for base in (partly, BASE.replace("def trim", "def other(): pass\n\n\ndef trim"), "x = 1\n", "x = = 1\n"):
        assert with_registered(base, f"{base}\n\n{REVERSE}") == f"{base}\n\n{REVERSE}"
    assert with_registered(BASE, f"{BASE}\n\ndef _own():\n    pass\n") == f"{BASE}\n\ndef _own():\n    pass\n"


def test_what_uses_the_table_need_not_stand_in_it() -> None:
    user = "def apply(name, text):\n    return FILTERS[name](text)\n"
    new = with_registered(f"{BASE}\n\n{user}", f"{BASE}\n\n{user}\n\n{REVERSE}")
    assert '    "reverse": reverse,\n}' in new
    assert new.index("def reverse") < new.index("FILTERS")
