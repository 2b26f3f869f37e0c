import pytest

from ferrule.policy.command import Knowledge, Word
from ferrule.policy.programs.sed import Script
from tests.policy.programs.words import ask


@pytest.mark.parametrize(
    "script",
    [
        "p",
        "1p",
        "$p",
        "1,5p",
        "1,+3p",
        "0~4p",
        "/a/p",
        "/a/,/b/p",
        "/a/I,/b/Mp",
        r"\,a,p",
        "1!d",
        "1,3 ! p",
        "$!N",
        "s/a/b/",
        "s/a/b/g",
        "s/a/b/2gpI",
        "s|a/b|c|",
        r"s/\//-/",
        r"s/\[x\]/y/",
        "s/[^]]*]/x/",
        "s/[[:space:]]*$//",
        "s,a,b,;s;c;d;",
        "y/abc/xyz/",
        "=;n;N;h;H;g;G;x;z;F",
        "q",
        "q5",
        "Q 1",
        "l 60",
        "/x/{s/a/b/;p}",
        "/x/{p;d}",
        ":a;N;$!ba;s/\\n/ /g",
        ": top\nb top",
        "tend; p\n:end",
        "a hello; world w x",
        "a\\\nw x",
        "i\\\n  two\\\n  w x\np",
        "/x/c new",
        "# a comment; w x\np",
        "",
        "  ;;  ",
        "v 4.2",
    ],
)
def test_scripts_that_only_print(script: str) -> None:
    assert Script(script).objection() == ""


@pytest.mark.parametrize(
    "script",
    [
        "w x",
        "1w x",
        "/a/w x",
        "W x",
        "e",
        "1e id",
        "e id",
        "s/a/b/e",
        "s/a/b/w x",
        "s/a/b/gw x",
        "s/a/b/ e",
        "p;w x",
        "p\nw x",
        "/a/{w x\n}",
        "a\\\ntext\nw x",
        "s/a/b",
        "s/a",
        "y/a/b/e",
        "s/[/]/x/;w x/",
        "s/[]/]/;p;/w f/p",
        "s/[[:alpha:]/]/x/w f/",
        "M",
        "pw x",
        "1~2~3p",
        "s\na\nb\n",
        r"s\a\b\e",
        "}e",
        "{e",
        "!e",
        "#n\ne",
        ":a e\ne",
        "b;e",
        "q;e",
        "l;e",
        "a x\ne",
        "/a",
        "r x\ne",
        "\x00e",
        "p e",
    ],
)
def test_scripts_that_do_more(script: str) -> None:
    assert Script(script).objection() != ""


def test_files_that_a_script_reads_are_named() -> None:
    assert ask("sed 'r secret' a") == Knowledge(level="reads", reads=(Word("a", "a"), Word("secret", "secret")))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("sed -i s/a/b/ x", "sed edits files in place"),
        ("sed -n -f x y", "sed runs a script from a file"),
        ('sed "$x" y', 'sed: "$x" may become an option'),
        ('sed -e "$x" y', "sed: the script is not known"),
        ("sed p *.txt", "sed: *.txt may become an option"),
        ("sed --bogus p x", "sed: option --bogus is not known to only read"),
        ("sed 1w\\ x y", "sed: the script's `1w x` is not known to only read"),
    ],
)
def test_what_else_makes_sed_change_things(line: str, reason: str) -> None:
    assert (ask(line).level, ask(line).reason) == ("changes", reason)
