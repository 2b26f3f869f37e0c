"""Python as a command."""

import shlex
import subprocess
import sys

import pytest

from ferrule.small.code.scripted import in_double_quotes, python_command


@pytest.mark.parametrize(
    ("script", "same"),
    [
        ("f('a')\ng(b'b', r'c')", 'f("a")\ng(b"b", r"c")'),
        ("f('say \"a\"', 'it\\'s', '')", "f('say \"a\"', 'it\\'s', \"\")"),
        ("f('''a''')", "f('''a''')"),
        ("f(\"it's\") # it's", "f(\"it's\") # it's"),
        ("ä = 'ö'; é = 'à'", 'ä = "ö"; é = "à"'),
        ("f('", "f('"),
        ("\"a';print('EVIL')#'", "\"a';print('EVIL')#'"),
        ("\"a';__import__('os').system('echo EVIL')#'", "\"a';__import__('os').system('echo EVIL')#'"),
        ("f('a', '\\d')", "f(\"a\", '\\d')"),
        ("f('a'" + " + 1" * 5_000 + ")", "f('a'" + " + 1" * 5_000 + ")"),
        ("f('a') +", "f('a') +"),
        ("f('a\0')", "f('a\0')"),
        ("f('a', u'b')", 'f("a", u"b")'),
        ("f(f'{x[\"a\"]}', 'b')", 'f(f\'{x["a"]}\', "b")'),
        ("", ""),
    ],
)
def test_texts_stand_in_double_quotes(script: str, same: str) -> None:
    assert in_double_quotes(script) == same


def test_a_shell_hands_it_on_as_it_is() -> None:
    script = "print('a', \"it's\", '$X')"
    assert shlex.split(python_command(script))[-1] == in_double_quotes(script)
    command = python_command(script).replace("python3", sys.executable, 1)
    assert (
        subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True).stdout == "a it's $X\n"
    )
