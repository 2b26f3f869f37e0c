"""Names that become others."""

from pathlib import Path

import pytest

from ferrule.small.code.rename import renamed, renaming, rewording
from tests.server import ModelServer
from tests.small.led import answer, opened


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("Rename the field mail of Member to email, everywhere it is used.", ("mail", "email")),
        ("Please rename the function `calc` to `compute_total`.", ("calc", "compute_total")),
        ("rename calc() to compute in shop.py", ("calc", "compute")),
        ("Rename foo.py to bar.py", None),
        ("Rename the module foo to bar.py", None),
        ("Name the file and the function.", None),
        ("get_tot is a terrible name, rename it to month_total everywhere", ("get_tot", "month_total")),
        ("cnt in games/catalog.py is a bad name. Rename that function to total.", ("cnt", "total")),
        ("n is too short, please rename that variable to count", ("n", "count")),
        ("Rename class to kind", None),
        ("`calc` says too little: rename it to compute", ("calc", "compute")),
        ("calc() says too little. Rename this to compute_sum", ("calc", "compute_sum")),
        ("get_tot of get_all is bad, rename that into total", ("get_all", "total")),
        ("In names.py the function conv has a poor name. Rename it to column_number.", ("conv", "column_number")),
        ("rename it to total", None),
        ("month_total is a bad name, rename it to month_total", None),
    ],
)
def test_what_is_to_be_renamed(request_: str, names: tuple[str, str] | None) -> None:
    assert renaming(request_) == names


def test_names_change_and_nothing_else() -> None:
    before = 'class M:\n    mail: str  # the mail\n\n\ndef f(m, email_of):\n    print("mail", m.mail, m.mailbox)\n'
    after = 'class M:\n    email: str  # the mail\n\n\ndef f(m, email_of):\n    print("mail", m.email, m.mailbox)\n'
    assert renamed(before, "mail", "email") == after


def test_what_is_computed_in_a_text_changes_too() -> None:
    assert renamed('print(f"mail: {m.mail}", "{mail}")\n', "mail", "email") == 'print(f"mail: {m.email}", "{mail}")\n'


def test_a_name_that_is_taken_or_a_file_that_is_no_python_is_left_to_the_model() -> None:
    assert renamed("mail = email = 1\n", "mail", "email") is None
    assert renamed("def f(:\n  '''", "mail", "email") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('the list should say "All done!" and not "Nothing to do."', ("Nothing to do.", "All done!")),
        ("Print 'Bye, then' instead of 'Goodbye'.", ("Goodbye", "Bye, then")),
        ("Change the error message `no such file` in a.py to `not found`.", ("no such file", "not found")),
        ('Replace "Hello" with "Hi there" please', ("Hello", "Hi there")),
        ('Instead of "Oops" it should print "Sorry".', ("Oops", "Sorry")),
        ('"Adress" should be "Address".', ("Adress", "Address")),
        ('It says "no data". Make it say "Nothing yet." instead.', ("no data", "Nothing yet.")),
        ('It just prints "none" (see lib/a.js). It should print "No more" instead.', ("none", "No more")),
        ('It shows "none" and that isn\'t nice; please have it say "No more".', ("none", "No more")),
        ('It should print "Hello" and then "Bye".', None),
        ('It prints "Hello" for me. "Bye" should come later', None),
        ('f("abc") returns "x" and not what I want', None),
    ],
)
def test_texts_that_are_to_be_said_otherwise(text: str, words: tuple[str, str] | None) -> None:
    assert rewording(text) == words


async def test_a_text_is_said_otherwise_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "view.py").write_text("def overview(tasks):\n    return 'Nothing to do.' if not tasks else 'x'\n")
    (project / "test_view.py").write_text(
        "import unittest\n\nfrom view import overview\n\n\nclass T(unittest.TestCase):\n"
        "    def test(self):\n        self.assertEqual(overview([]), 'Nothing to do.')\n"
    )
    (project / "README.md").write_text('It says "Nothing to do."\n')
    async with opened(project, server) as session:
        await session.prompt('With no open tasks it should say "All done, enjoy!" and not "Nothing to do."')
        assert "return 'All done, enjoy!' if" in (project / "view.py").read_text()
        assert answer(session).startswith("Changed view.py, test_view.py. Checked: ")
    assert not server.requests


@pytest.mark.parametrize("other", ["def bye():\n    return 'Hello'\n", "def hi():\n    return ['Hello', 'Hello']\n"])
async def test_where_it_is_not_plain_which_text_is_meant_the_model_says(
    project: Path, server: ModelServer, other: str
) -> None:
    (project / "a.py").write_text("def hi():\n    return 'Hello'\n" if "bye" in other else other)
    (project / "b.py").write_text(other if "bye" in other else "")
    async with opened(project, server, "No.", "No.", "No.", "No.", "No.", "No.") as session:
        await session.prompt('Replace "Hello" with "Hi there".')
        assert (project / "b.py").read_text() == (other if "bye" in other else "")
    assert server.requests


async def test_a_text_is_said_otherwise_in_the_file_that_is_named_alone(project: Path, server: ModelServer) -> None:
    for name in ("a.py", "b.py"):
        (project / name).write_text("def hi():\n    return 'Hello'\n")
    async with opened(project, server) as session:
        await session.prompt('Replace "Hello" in a.py with "Hi there".')
    assert "'Hi there'" in (project / "a.py").read_text()
    assert "'Hello'" in (project / "b.py").read_text()


def test_the_end_of_a_path_is_no_name() -> None:
    said = "cnt_sp in birdlog/stats.py is an ugly name, rename that function to species_counts."
    assert renaming(said) == ("cnt_sp", "species_counts")
