import pytest

from ferrule.policy.command import Knowledge, Level, Nested, Redirect, Word
from ferrule.policy.programs import know
from tests.policy.programs.words import HOME, ask, level, simple, word


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("bash -c 'ls -l'", "'ls -l'"),
        ("sh -ec ls", "ls"),
        ("bash -o pipefail -c ls x y", "ls"),
        ("bash --norc -c ls", "ls"),
        ("bash +x -c ls", "ls"),
    ],
)
def test_a_script_in_a_word(line: str, script: str) -> None:
    name = line.split(maxsplit=1)[0]
    nested = Nested(script=word(script), wrapper=f"{name} -c")
    assert ask(line) == Knowledge(level="reads", runs=(nested,))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bash x.sh", "changes"),
        ("bash -x x.sh", "changes"),
        ("bash -n x.sh", "reads"),
        ("bash", "changes"),
        ("bash -c", "reads"),
        ('bash -c "$x"', "danger"),
        ("bash --bogus -c ls", "danger"),
        ("bash $x", "danger"),
        ("bash /dev/stdin", "danger"),
        ("bash --rcfile x -c ls", "changes"),
        ("zsh -c ls", "changes"),
        ("fish -c 'rm -rf /'", "catastrophe"),
        ("cmd /c 'rd /s /q C:'", "catastrophe"),
        ("python", "changes"),
        ("python -", "changes"),
        ("python x.py", "changes"),
        ("python -m pytest", "changes"),
        ("python -m http.server", "network"),
        ("python -m $x", "danger"),
        ('python -c "$x"', "danger"),
        ("python -Bc 'print(1)'", "changes"),
        ("perl -ne 'print' x", "changes"),
        ("node --check x.js", "reads"),
        ("node $x", "danger"),
        ("ruby -c x.rb", "reads"),
    ],
)
def test_levels(line: str, expected: Level) -> None:
    assert level(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        """python3 -m IPython -c 'system "rm -rf ~"'""",
        """python3 -m ptpython -c 'system "rm -rf ~"'""",
        "python3 -m IPython -c '!rm -rf ~'",
        "ipython3 -c 'x = 1\n !!rm -rf ~'",
        "python3 -m xonsh -c 'rm -rf ~'",
        "python3 -mxonsh -c 'rm -rf ~'",
        "python3 -Bm xonsh -c 'rm -rf ~'",
        """python3 -c 'import os; getattr(os, "system")("rm -rf ~")'""",
    ],
)
def test_code_that_is_not_python_alone(line: str) -> None:
    assert level(line) == "catastrophe"


def test_python_code_that_speaks_of_running_runs_nothing() -> None:
    for line in ("""python3 -c 'print("please run", "rm -rf /")'""", "python3 -m pytest -c setup.cfg"):
        assert ask(line).runs == ()


@pytest.mark.parametrize("name", ["bash", "sh", "python3", "node", "perl", "bash -s", "python -"])
def test_a_program_from_a_pipe_is_a_danger(name: str) -> None:
    assert ask(name, piped=True).level == "danger"


def test_a_program_in_a_here_document_is_looked_at() -> None:
    def told(line: str, text: str) -> Level:
        redirects = (Redirect("<<", Word(text, text)),)
        return know(simple(line, redirects=redirects), home=HOME).level

    assert told("python -", "print(1)") == "changes"
    assert told("python -", "import shutil\nshutil.rmtree('/')") == "catastrophe"
    assert told("bash", "ls") == "changes"


def test_files_that_code_names_may_be_read_by_it() -> None:
    line = """python -c "open('~/.ssh/id_rsa'); open('/etc/hosts'); print('a/b', '/')" """
    assert [word.text for word in ask(line).reads] == ["/home/kim/.ssh/id_rsa", "/etc/hosts"]


def test_a_shell_is_given_a_text() -> None:
    text = Word("rm -rf /", "rm -rf /")
    found = know(simple("bash", redirects=(Redirect("<<<", text),)))
    assert found.runs == (Nested(script=text, wrapper="bash"),)
