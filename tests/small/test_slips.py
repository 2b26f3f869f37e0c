"""Slips of the pen: which lines could be meant, and how they are tried where nothing can be broken."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from ferrule.core.messages import ToolCall
from ferrule.core.tool import Effect
from ferrule.policy.judge import Policy
from ferrule.policy.paths import Places
from ferrule.policy.plain import too_much
from ferrule.policy.rules import Rules
from ferrule.small.checks.examples import printing
from ferrule.small.checks.replayed import replayed_check
from ferrule.small.code.blocks import Block
from ferrule.small.mends import served, trial
from ferrule.small.mends.slips import Trial, one_of, slips, trial_command, which_works

LEAST = "def least(prices):\n    return max(prices)\n"
CALLED = 'python3 -B -c "import calc; assert calc.least([3, 1, 2]) == 1"'


def lines(text: str) -> list[str]:
    return [one.line.strip() for one in slips(text, None)]


def tried(
    project: Path,
    path: str,
    checks: Sequence[tuple[str, Sequence[str]]],
    trials: Sequence[Trial],
    *,
    longest: str = "5.0",
    never: Sequence[str] = (),
    holds: Sequence[str] = (),
) -> int | None:
    """Which line works, by a real run; `longest` is how many seconds a check may take."""
    command = trial_command(path, [(check, words, never, holds) for check, words in checks], trials)
    assert command.count('"longest":5.0') == 1
    place = project.parent / "tmp"
    place.mkdir(exist_ok=True)
    path_ = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command.replace('"longest":5.0', f'"longest":{longest}')],
        cwd=project,
        env={**os.environ, "PATH": path_, "TMPDIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr, list(place.iterdir())) == (0, "", [])
    found, is_all = which_works(done.stdout)
    return found[0] if is_all and len(found) == 1 else None


def held(directory: Path) -> dict[str, tuple[bytes, int]]:
    """All files below a directory, with what is in them and when they were written."""
    files = [one for one in directory.rglob("*") if one.is_file()]
    return {str(one): (one.read_bytes(), one.stat().st_mtime_ns) for one in files}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "calc.py").write_text(LEAST)
    return made


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("return max(prices)", "return min(prices)"),
        ("if age > limit:", "if age >= limit:"),
        ("for at in range(count):", "for at in range(count + 1):"),
        ("return items[1:]", "return items[0:]"),
        ("return total // count", "return total / count"),
        ("return a+b", "return a-b"),
        ("if not found:", "if found:"),
        ("if x is not None and y:", "if x is None and y:"),
        ("ok = any(f(x) for x in xs)", "ok = all(f(x) for x in xs)"),
        ("if (!ready && open) {", "if (ready && open) {"),
        ("if (a === b) return c;", "if (a !== b) return c;"),
        ("while (i <= n) {", "while (i < n) {"),
        ("out.push(x); // the last", "out.unshift(x); // the last"),
        ("n = len(xs) - 1", "n = len(xs)"),
        ("if said.endswith('?'):", "if said.strip().endswith('?'):"),
        ("        total = price(one)", "total += price(one)"),
        ('return f"{hours}:{minutes}"', 'return f"{hours}:{minutes:02}"'),
        ('return f"#{red:x}{green:x}"', 'return f"#{red:02x}{green:02x}"'),
        ("return `${hours}:${minutes}`;", "return `${hours}:${String(minutes).padStart(2, '0')}`;"),
    ],
)
def test_one_thing_of_a_line_is_changed(line: str, meant: str) -> None:
    assert meant in lines(f"{line}\n")
    assert line not in lines(f"{line}\n")


def test_a_name_of_the_same_function_may_be_meant() -> None:
    text = "def area(width, height):\n    twice = width * width\n    return twice\n"
    assert Trial(1, "    twice = width * height") in slips(text, None)
    assert Trial(2, "    return height") in slips(text, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# if a < 1: max(b)\n",
        "    # not 1 and 2\n",
        "import os\nfrom math import floor\n",
        "from math import (\n    floor,\n    ceil,\n)\n",
        '"""Gives max and min, not 3."""\n',
        '"""All of it.\n\nNot min but max of 1 < 2.\n"""\n',
        'x = """\nnot 1\n"""\n',
        "x = f'''\nnot {y} and 1\n'''\n",
        'print("not True and 1 < 2!")\n',
        "print(f'{a + 1} is not {b!r}')\n",
        "print(rb'1 + 2', u'max')\n",
        "@cached(1)\ndef f(a=1):\n",
        "async def f(a=1): pass\n",
        "export default async function f(a = 1) {\n",
        "// if (a < 1) max(b)\n",
        "//max(1)\n",
        "/* not 1 */\n",
        "/*\n * not 1 and a < b\n max(1)\n */\n",
        "const text = `\nnot 1 < 2\n`;\n",
        'import {\n  floor,\n  ceil,\n} from "./math.js";\n',
        'const fs = require("node:fs/1");\n',
    ],
)
def test_words_and_imports_are_no_slips(text: str) -> None:
    assert slips(text, None) == []


@pytest.mark.parametrize(
    "line",
    ['if __name__ == "__main__":', "assert total == 3", "sys.exit(1)", "raise SystemExit(1)", "process.exit(1);"],
)
def test_what_would_only_silence_a_check_is_no_slip(line: str) -> None:
    assert slips(f"{line}\n", None) == []


def test_only_the_lines_that_matter_are_looked_at() -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    assert {one.at for one in slips(text, [Block(first=2, last=2)])} == {1}
    assert {one.at for one in slips(text, None)} == {0, 1, 2}


def test_there_are_never_too_many_and_the_likely_ones_come_first() -> None:
    text = "".join(f"value_{at} = other_{at} + {at}\n" for at in range(300)) + "last = min(value_1)\n"
    found = slips(text, None)
    assert len(found) == len(set(found)) == 160
    few = slips("def f(a):\n    return a + 1\n\n\nx = max(y)\n", None)
    assert [one.line for one in few[:3]] == ["    return a - 1", "    return a * 1", "x = min(y)"]


@pytest.mark.parametrize("piece", ["x + 1 < max(y), ", "not '", "def ", "((", '"' * 3, "/*", "`"])
def test_a_huge_line_is_passed_over(piece: str) -> None:
    text = piece * (50_000 // len(piece)) + "\nsmall = min(1)\n"
    assert all(len(one.line) < 1_000 for one in slips(text, None))


@pytest.mark.parametrize(
    "text", ["\0", "\f\nx = 1\f\n", "x = 1\r  y = 2\r", "if x:\r\n\ty = 1\r\n", "\ud800 = 1", "é < 1"]
)
def test_strange_texts_break_nothing(text: str) -> None:
    assert all(text.split("\n")[one.at] != one.line for one in slips(text, None))


def test_a_slip_is_found_and_the_project_stays_as_it_is(project: Path) -> None:
    before = held(project.parent)
    trials = slips(LEAST, None)
    found = tried(project, "calc.py", [(CALLED, [])], trials)
    assert found is not None
    assert trials[found] == Trial(1, "    return min(prices)")
    assert held(project.parent) == before


def test_where_nothing_works_nothing_is_said_or_changed(project: Path) -> None:
    before = held(project.parent)
    assert tried(project, "calc.py", [("touch made; echo x > calc.py; false", [])], slips(LEAST, None)) is None
    assert held(project.parent) == before


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (LEAST.replace("\n", "\r\n").encode(), "calc.py"),
        (LEAST.replace("    ", "\t").encode(), "calc.py"),
        (b"\f\n" + LEAST.encode(), "calc.py"),
        (b"# coding: latin-1\n# Gr\xf6\xdfe\n" + LEAST.encode(), "calc.py"),
        (b"\xef\xbb\xbf\n" + LEAST.encode(), "calc.py"),
        (LEAST.rstrip("\n").encode(), "calc.py"),
        (b"WORDS = '" + b"a" * 200_000 + b"'\n" + LEAST.encode(), "calc.py"),
        (LEAST.encode(), 'it\'s "my" $(touch x)/calc.py'),
    ],
    ids=["CRLF", "tabs", "form feed", "latin-1", "byte order mark", "no end of line", "huge line", "strange path"],
)
def test_files_of_every_form_are_tried(project: Path, data: bytes, path: str) -> None:
    (project / "calc.py").unlink()
    file = project / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    at = next(at for at, line in enumerate(text.split("\n")) if "max" in line)
    right = next(one for one in slips(text, None) if one.line.strip() == "return min(prices)")
    assert right.at == at
    check = CALLED.replace("import calc", "import sys, glob; sys.path += glob.glob('*'); import calc")
    before = held(project)
    assert tried(project, path, [(check, [])], [Trial(at, "?"), right]) == 1
    assert held(project) == before


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_a_script_is_tried(project: Path) -> None:
    text = "// the least\nexports.least = (prices) => Math.max(...prices);\n"
    (project / "calc.js").write_text(text)
    trials = [one for one in slips(text, None) if "Math." in one.line][:2]
    found = tried(
        project, "calc.js", [("node -e 'process.exit(require(\"./calc.js\").least([2, 1]) - 1)'", [])], trials
    )
    assert found is not None
    assert trials[found].line == "exports.least = (prices) => Math.min(...prices);"


@pytest.mark.parametrize(
    ("checks", "found"),
    [
        ([("cat word", ["b"])], 1),
        ([("echo noise; cat word; echo '[1]'", ["b", "[1]"])], 1),
        ([("cat word", [])], None),
        ([("grep -q a word", [])], 0),
        ([("true", []), ("cat word", ["c"])], 2),
        ([("cat word", ["c"]), ("false", [])], None),
        ([("cat word; exit 3", ["b"])], None),
        ([("cat word", ["x", "b"])], None),
        ([("cat word; printf '\\377\\376'", ["b"])], None),
        ([("printf '\\377\\376\\n'; cat word", ["b"])], 1),
        ([("cat word; sleep 600 & exit 0", ["b"])], 1),
    ],
)
def test_what_a_check_should_print_is_compared(
    project: Path, checks: list[tuple[str, list[str]]], found: int | None
) -> None:
    (project / "word").write_text("none\n")
    assert tried(project, "word", checks, [Trial(0, "a"), Trial(0, "b"), Trial(0, "c")]) == found


def test_what_hangs_is_passed_over_and_leaves_nobody_behind(project: Path) -> None:
    (project / "word").write_text("none\n")
    pipe = project.parent / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    loop = f"exec 3> '{pipe}'; read word < word; (while [ $word = wait ]; do :; done) & wait; [ $word = go ]"
    try:
        assert tried(project, "word", [(loop, [])], [Trial(0, "wait"), Trial(0, "go")], longest="1.0") == 1
        os.set_blocking(reader, True)
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_what_cannot_be_copied_is_left_out(project: Path) -> None:
    (project / "loop").symlink_to(".")
    (project / "itself").symlink_to("itself")
    (project / "nowhere").symlink_to("/nowhere/at/all")
    os.mkfifo(project / "pipe")
    (project / "secret").write_text("x")
    (project / "secret").chmod(0)
    (project / "closed").mkdir()
    (project / "closed").chmod(0)
    try:
        assert tried(project, "calc.py", [("grep -q min calc.py", [])], slips(LEAST, None)) == 0
    finally:
        (project / "closed").chmod(0o700)


@pytest.mark.parametrize("path", ["linked.py", "folder/calc.py", "../../outside/calc.py", "../outside/calc.py"])
def test_a_file_outside_of_the_copy_is_never_written(project: Path, path: str) -> None:
    for outside in (project.parent / "outside", project.parent / "tmp" / "outside"):
        outside.mkdir(parents=True)
        (outside / "calc.py").write_text(LEAST)
    (project / "linked.py").symlink_to(project / "calc.py")
    (project / "folder").symlink_to(project.parent / "outside")
    before = held(project.parent)
    command = trial_command(path, [("true", [], [], [])], slips(LEAST, None))
    env = {**os.environ, "TMPDIR": str(project.parent / "tmp")}
    done = subprocess.run(["/bin/sh", "-c", command], cwd=project, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert held(project.parent) == before


def test_a_link_inside_of_the_project_is_followed_in_the_copy(project: Path) -> None:
    (project / "linked.py").symlink_to("calc.py")
    before = held(project)
    assert tried(project, "linked.py", [("grep -q min calc.py", [])], slips(LEAST, None)) == 0
    assert held(project) == before


@pytest.mark.parametrize("path", ["gone.py", "dist/calc.py", "."])
def test_a_file_that_the_copy_has_not_is_not_tried(project: Path, path: str) -> None:
    (project / "dist").mkdir()
    (project / "dist" / "calc.py").write_text(LEAST)
    assert tried(project, path, [("true", [])], slips(LEAST, None)) is None


def test_a_project_that_is_too_large_is_not_copied(project: Path) -> None:
    (project / "data").touch()
    os.truncate(project / "data", 300_000_000)
    assert tried(project, "calc.py", [("true", [])], slips(LEAST, None)) is None
    (project / "node_modules").mkdir()
    (project / "data").rename(project / "node_modules" / "data")
    assert tried(project, "calc.py", [("grep -q min calc.py", [])], slips(LEAST, None)) == 0


def test_a_command_is_never_longer_than_the_system_takes(project: Path) -> None:
    trials = [Trial(at, "'é" * 150) for at in range(160)]
    assert len(trial_command("calc.py", [("true", [], [], [])], trials).encode()) <= 100_000
    assert tried(project, "calc.py", [("grep -q é calc.py", [])], trials) == 0
    assert tried(project, "calc.py", [("true", [])], [Trial(0, "x" * 200_000)]) is None


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("works: 3\nExit code: 0", ([3], True)),
        ("noise\nworks: 12 4\n", ([12, 4], True)),
        ("better: 1 2", ([1, 2], False)),
        ("it works: 3", ([], False)),
        ("works: x", ([], False)),
        ("", ([], False)),
    ],
)
def test_what_worked_is_read(output: str, found: tuple[list[int], bool]) -> None:
    assert which_works(output) == found


def test_what_is_tried_is_plain_enough_to_be_judged(project: Path) -> None:
    shown = "    def test_a(self):\n        x = [decode('ab'), chr(3)]\n>       self.assertNotEqual(x, 3)\nE  no\n"
    replayed = replayed_check(shown, {"decode": "a.py"})
    assert replayed
    checks: list[tuple[str, list[str], list[str], list[str]]] = [
        ("node --test", [], [], []),
        (CALLED, [], [], []),
        (replayed.command, [], [], []),
        (printing(["decode('a') + chr(3)", "decode(b'b')"], {"decode": "a.py"}), ["'c'"], [], []),
        (printing([f"decode('it is a {n}', 'run')" for n in range(300)], {"decode": "a.py"}), ["'c'"] * 300, [], []),
    ]
    command = trial_command("a.js", checks, [Trial(0, "for (;;) { 'a' } while (1) {} for (;;) {}")] * 400)
    assert not too_much(command)
    places = Places(root=project, home=project.parent)
    rules = Rules(deny=(), ask=(), allow=(), root=str(project), home=str(project.parent))
    policy = Policy(mode="auto", rules=rules, places=places, confined=lambda: True, cwd=lambda: project)
    for one in (command, *(each for each, *_ in checks)):
        call = ToolCall(id="c", name="bash", input={"command": one})
        judged = policy.judge(call, (Effect("execute", one),))
        assert judged.decision == "allow", judged


@pytest.mark.parametrize(
    "line",
    [
        "python3 -c 'x'; for a in b; do for c in d; do while e; do until f; do g; done; done; done; done",
        "python3 -c 'x' \"$(for a in b; do for c in d; do while e; do until f; do g; done; done; done; done)\"",
        "bash -c 'for for for for'",
    ],
)
def test_what_a_shell_reads_is_still_too_much(line: str) -> None:
    assert too_much(line)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("    return old - new", "    return new - old"),
        ("    return ratio(whole, part)", "    return ratio(part, whole)"),
        ("    return text[size:]", "    return text[:size]"),
        ("    return text[:-1]", "    return text[-1:]"),
        ("  return { place: Number(found[2]) };", "  return { place: Number(found[2]) - 1 };"),
        ("    return len(items)", "    return len(items) + 1"),
    ],
)
def test_what_stands_the_wrong_way_round_is_tried(line: str, right: str) -> None:
    assert right in [one.line for one in slips(line, None)]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ('return "".join(words)', ['return " ".join(words)', 'return ", ".join(words)', 'return "\\n".join(words)']),
        ("return ' '.join(words)", ["return ''.join(words)", "return ', '.join(words)"]),
        ("return words.join('');", ["return words.join(' ');"]),
        ("text = text.replace('-', '').strip()", ["text = text.replace('-', ' ').strip()"]),
        ('text = re.sub("[!]", " ", text)', ['text = re.sub("[!]", "", text)']),
        ('return text.split(" ")', ["return text.split()"]),
    ],
)
def test_texts_are_joined_and_split_by_something_else(line: str, meant: list[str]) -> None:
    assert set(meant) <= set(lines(f"def f(words, text):\n    {line}\n" if ";" not in line else f"{line}\n"))


def test_what_is_counted_may_begin_at_one() -> None:
    assert "for number, cue in enumerate(cues, 1):" in lines("for number, cue in enumerate(cues):\n    f(number)\n")
    assert "return list(range(1, n + 1))" in lines("def f(n):\n    return list(range(n))\n")
    assert "return item.quantity * item.price" in lines("def f(item):\n    return item.quantity + item.price\n")


def test_the_end_of_a_range_is_likelier_wrong_than_its_beginning() -> None:
    found = lines("def f(count):\n    return list(range(1, count))\n")
    assert found.index("return list(range(1, count + 1))") < found.index("return list(range(0, count))")


def test_of_several_changes_each_alone() -> None:
    was = "a = 1\nb = 2\nc = 3\nd = 4\n"
    assert one_of(was, was.replace("1", "7").replace("3", "8\ne = 9")) == [Trial(0, "a = 7"), Trial(2, "c = 8\ne = 9")]
    assert one_of(was, was.replace("1", "7")) == []
    assert one_of(was, was + "e = 5\n") == []


def test_what_must_not_be_printed(project: Path) -> None:
    (project / "word").write_text("NaN")
    trials = [Trial(0, "Total: NaN"), Trial(0, "Total: 3")]
    assert tried(project, "word", [("cat word", [])], trials, never=["NaN"]) == 1
    trials = [Trial(0, "Total: 2"), Trial(0, "Total: 3 EUR")]
    assert tried(project, "word", [("cat word", [])], trials, never=["NaN"], holds=["3 EUR"]) == 1


MATRIX = """\
class Matrix:
    def __init__(self, text):
        self.rows = [[int(one) for one in line.split()] for line in text.split("\\n")]

    def row(self, number):
        return self.rows[number]

    def column(self, number):
        return [row[number] for row in self.rows]
"""
COUNTED_FROM_ONE = """\
import unittest
from matrix import Matrix

class Tests(unittest.TestCase):
    def test_row(self):
        self.assertEqual(Matrix("1 2\\n3 4").row(2), [3, 4])

    def test_column(self):
        self.assertEqual(Matrix("1 2\\n3 4").column(2), [2, 4])
{more}
"""
NEVER = """
    def test_never(self):
        self.assertEqual(Matrix("1").row(1), "one")
"""


@pytest.mark.parametrize(("more", "said"), [("", "works"), pytest.param(NEVER, "better", marks=pytest.mark.slow)])
def test_two_slips_are_put_right_together_where_each_makes_it_better(project: Path, more: str, said: str) -> None:
    (project / "matrix.py").write_text(MATRIX)
    (project / "test_matrix.py").write_text(COUNTED_FROM_ONE.format(more=more))
    trials = [one for one in slips(MATRIX, None) if re.search(r"number [-+] 1", one.line)]
    command = trial_command("matrix.py", [("python3 -B -m unittest test_matrix.py", [], [], [])], trials)
    done = subprocess.run(["/bin/sh", "-c", command], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(said)
    found, is_all = which_works(done.stdout)
    assert is_all == (said == "works")
    assert sorted(trials[one].line.strip() for one in found) == [
        "return [row[number - 1] for row in self.rows]",
        "return self.rows[number - 1]",
    ]


def script(body: str) -> str:
    return f"python3 -B -c {shlex.quote(body)}"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ends the whole Python", "    import os; os._exit(0)"),
        ("takes all the time there is", "    import time\n    while True: time.sleep(0.01)"),
        ("changes what others see", "    import os; os.environ['LEFT'] = 'x'; os.chdir('/'); return 0"),
        ("breaks a module for all", "    import json; json.loads = None; return 0"),
    ],
)
def test_what_one_line_does_is_nothing_to_the_next(project: Path, name: str, line: str) -> None:
    check = script("import os, calc\nassert calc.least([3, 1, 2]) == 1 and 'LEFT' not in os.environ")
    trials = [Trial(1, line), Trial(1, "    return min(prices)")]
    assert tried(project, "calc.py", [(check, ())], trials) == 1, name


def test_a_module_of_the_project_hides_one_that_python_has(project: Path) -> None:
    (project / "queue.py").write_text("ONE = 1\n")
    (project / "json").mkdir()
    (project / "json/__init__.py").write_text("TWO = 2\n")
    check = script("import calc, json, queue\nassert calc.least([1, 3]) == queue.ONE == json.TWO - 1")
    assert tried(project, "calc.py", [(check, ())], [Trial(1, "    return min(prices)")]) == 0


def test_modules_below_src_are_read_anew(project: Path) -> None:
    (project / "src").mkdir()
    (project / "calc.py").rename(project / "src/calc.py")
    check = script("import sys\nsys.path.insert(0, 'src')\nfrom calc import least\nassert least([3, 1, 2]) == 1")
    trials = [Trial(1, "    return sum(prices)"), Trial(1, "    return min(prices)")]
    assert tried(project, "src/calc.py", [(check, ())], trials) == 1


def test_a_script_that_prints_without_end_is_passed_over(project: Path) -> None:
    trials = [
        Trial(1, "    while True: print('x' * 100_000)"),
        Trial(1, "    print('y' * 9_000_000); return min(prices)"),
    ]
    check = script("from calc import least\nprint(least([3, 1, 2]))")
    assert tried(project, "calc.py", [(check, ["1"])], trials) == 1


def test_a_command_that_nobody_can_read_is_left_to_the_shell(project: Path) -> None:
    assert tried(project, "calc.py", [("echo it's", ())], [Trial(1, "    return min(prices)")]) is None


def test_what_a_script_reads_and_prints_besides_is_nobodys(project: Path) -> None:
    check = script("import calc, os, sys\nsys.stdin.read()\nos.system('echo 1')\nprint(calc.least([3, 1]))")
    assert tried(project, "calc.py", [(check, ["1"])], [Trial(1, "    return min(prices)")]) == 0


def test_of_lines_that_are_as_good_the_one_that_changes_least_is_best(project: Path) -> None:
    (project / "calc.py").write_text("def kind(said):\n    return 'none' if said == '' else 'some'\n")
    trials = [Trial(1, f"    return 'none' if {one} else 'some'") for one in ("said != ''", "said.strip() == ''")]
    shown = script("import calc\nprint(calc.kind('  '))")
    watched = script("import calc\nfor one in ('', 'a', 'b'): print(calc.kind(one))")
    for watch, best in (
        (("", 1.0), "works: 0\n"),
        ((watched, 1.0), "works: 1\n"),
        ((watched, 0.5), "works: 1\n"),
        ((script("1 / 0"), 0.5), "works: 0\n"),
    ):
        command = trial_command("calc.py", [(shown, ["none"], [], [])], trials, watch=watch)
        done = subprocess.run(["/bin/sh", "-c", command], cwd=project, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == (best, "")
    command = trial_command("calc.py", [(shown, ["none"], [], [])], trials[:1], watch=(watched, 0.5))
    done = subprocess.run(["/bin/sh", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", ""), "it would change all that was right"


def test_an_error_that_is_meant_stays_and_one_that_is_not_may_go(project: Path) -> None:
    (project / "calc.py").write_text(
        "def half(said):\n    if not said.isdigit():\n        raise ValueError('no number')\n"
        "    if said > '5':\n        return int(said) // 3\n    return int(said) // 0\n"
    )
    trials = [
        Trial(1, "    if said == 'x':"),
        Trial(3, "    if said > '3':"),
        Trial(4, "        return int(said) // 2"),
    ]
    calls = (
        "def show(one):\n    try: print(calc.half(one))\n"
        "    except Exception as error: print('raises', f'{type(error).__name__}:', error)"
    )
    watched = script(f"import calc\n{calls}\nfor one in ('8', 'y', '1'): show(one)")
    shown = script("import calc\nprint(calc.half('9'), calc.half('6'))")
    command = trial_command("calc.py", [(shown, ["4 3"], [], [])], trials, watch=(watched, 0.5))
    done = subprocess.run(["/bin/sh", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("works: 2\n", "")
    shown = script("import calc\ntry: calc.half('y')\nexcept ValueError as error: print(str(error)[:7])")
    command = trial_command("calc.py", [(shown, ["invalid"], [], [])], trials, watch=(watched, 0.4))
    done = subprocess.run(["/bin/sh", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", ""), "that was meant"


@pytest.mark.parametrize(
    ("number", "others"),
    [("1000000", {"1000000000", "1000"}), ("100", {"10", "1000"}), ("120", set()), ("60", {"3600"})],
)
def test_zeros_are_miscounted(number: str, others: set[str]) -> None:
    lines = {one.line for one in slips(f"LIMIT = {number}\n", None)}
    found = {line.removeprefix("LIMIT = ") for line in lines}
    assert others <= found
    assert "1200" not in found


@pytest.mark.parametrize("module", [trial, served])
def test_what_tries_lines_runs_on_an_old_python(module: ModuleType) -> None:
    text = Path(str(module.__file__)).read_text()
    ast.parse(text, feature_version=(3, 9))
    assert "from __future__ import annotations" in text


@pytest.mark.parametrize(("wanted", "found"), [(["1", "9", "9"], []), (["1", "2", "9"], [0]), (["1", "2", "3"], [0])])
def test_what_leaves_most_of_it_wrong_helps_by_chance(wanted: list[str], found: list[int], project: Path) -> None:
    (project / "calc.py").write_text("def f(n):\n    return n + 1\n")
    shown = "python3 -B -c 'from calc import f; print(f(1), f(2), f(3), sep=chr(10))'"
    command = trial_command("calc.py", [(shown, wanted, [], [])], [Trial(1, "    return n")])
    done = subprocess.run(["/bin/sh", "-c", command], cwd=project, capture_output=True, text=True, check=True)
    assert which_works(done.stdout) == (found, wanted[2] == "3")
