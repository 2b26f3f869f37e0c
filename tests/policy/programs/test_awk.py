import pytest

from ferrule.policy.command import Knowledge, Word
from ferrule.policy.programs.awk import Program
from tests.policy.programs.words import ask, level


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}",
        "$3 > 100",
        "NR > 1 {print}",
        "/a|b/",
        "!/x/",
        "/a/,/b/",
        "$1 ~ /^[0-9]+$/",
        "{print $1 / $2}",
        "{x = $1 / 2; y = x / 3} END {print y}",
        "{ if ($1 > 5) print $2; else print $3 }",
        "{print ($1 > $2)}",
        "{print ($1 > 2) ? 3 : 4}",
        'BEGIN {FS=","} {print $NF}',
        "!seen[$0]++",
        "{a[$1]++} END {for (k in a) print k, a[k]}",
        '{printf "%s > %s | x\\n", $1, $2}',
        "length > 80",
        '{gsub(/\\//, "-"); print}',
        "{print} # > x | y",
        "a || b",
        "{print $1,\n$2}\n$3 > 4",
        "{\n  print\n}\n/x|y/ {print}",
        "{while (i > 0) i--}",
        "function f(x) {return x > 1}",
        "{split($0, a, /[|>]/); print a[1]}",
        "{x = y ? 1 : 2}",
        "NR==FNR{a[$1];next} $1 in a",
        '{print substr($0, 1, 3) "\\""}',
        "{print toupper($1)}",
        "/[[:space:]]|x/ {n++} END {print n+0}",
        "{x += $1 * 1e3} END {print x ^ .5}",
    ],
)
def test_programs_that_only_print(program: str) -> None:
    assert Program(program).objection() == ""


@pytest.mark.parametrize(
    "program",
    [
        '{print > "x"}',
        '{print >> "x"}',
        "{print $1 > $2}",
        '{print($1) > "x"}',
        '{printf("%s", $1) > "x"}',
        '{print | "sh"}',
        '{print |& "sh"}',
        '"id" | getline x',
        'BEGIN {getline < "x"}',
        'BEGIN {system("id")}',
        'BEGIN {f = "system"; @f("id")}',
        '@load "x"',
        '@include "x"',
        'BEGIN {ARGV[1] = "x"; ARGC = 2}',
        '{print $1,\n$2 > "x"}',
        '{print $1,\n\n$2 > "x"}',
        '{print $1 \\\n> "x"}',
        '{print a[1] > "x"}',
        '{print /x/ > "y"}',
        '{x = 5\n/"/; system("id"); /"/}',
        '{if (x) /"/; print > "x"; /"/}',
        "{print '",
        '{print "',
        "{print \\ x}",
        '/[/]/ {print > "x"}',
        '/[[:a:]/] | "/ {print}',
        'function f() {print > "x"}',
        '{close("x")}',
        "{print \x01}",
        'BEGIN { "date" | getline d; print d }',
        '{print > "/dev/stderr"}',
        '{print ; print > "x"}',
    ],
)
def test_programs_that_do_more(program: str) -> None:
    assert Program(program).objection() != ""


def test_operands_are_files_or_assignments() -> None:
    words = (Word("a.txt", "a.txt"), Word("/x", "/x"))
    assert ask("awk -F: -v n=1 '{print $n}' n=2 a.txt /x") == Knowledge(level="reads", reads=words)


@pytest.mark.parametrize(
    "line",
    [
        "awk",
        "awk -f p.awk x",
        "awk $x y",
        'awk "$x" y',
        "awk '{print}' *.log",
        "gawk -i inplace '{print}' x",
        "awk -e '{print}' x",
    ],
)
def test_what_else_makes_awk_change_things(line: str) -> None:
    assert level(line) == "changes"


def test_commands_in_a_program_are_judged_too() -> None:
    assert level("""awk 'BEGIN{system("rm -rf /")}'""") == "catastrophe"
    assert level("""awk '{print "rm -rf /" | "sh"}' x""") == "catastrophe"
