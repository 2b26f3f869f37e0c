import pytest

from ferrule.policy.command import Word
from ferrule.policy.programs.options import Uses, parse, rest_of, spec_of
from tests.policy.programs.words import simple

TABLE = "reads; -a -b -n= -o=> -f=< -c=? -# --all --num= --out=> --from=< --color=? --pair==< -long"


def texts(words: list[Word]) -> list[str | None]:
    return [word.text for word in words]


def read(line: str, table: str = TABLE) -> Uses:
    return parse(simple(f"x {line}").words[1:], spec_of(table))


@pytest.mark.parametrize(
    ("line", "given", "operands"),
    [
        ("a b", {}, ["a", "b"]),
        ("-a x", {"-a": None}, ["x"]),
        ("-ab x", {"-a": None, "-b": None}, ["x"]),
        ("-n5 x", {"-n": "5"}, ["x"]),
        ("-n 5 x", {"-n": "5"}, ["x"]),
        ("-abn5 x", {"-a": None, "-b": None, "-n": "5"}, ["x"]),
        ("-an 5 x", {"-a": None, "-n": "5"}, ["x"]),
        ("-20 x", {"-#": "20"}, ["x"]),
        ("-cnever x", {"-c": "never"}, ["x"]),
        ("-c never", {"-c": None}, ["never"]),
        ("--all x", {"--all": None}, ["x"]),
        ("--num=3 x", {"--num": "3"}, ["x"]),
        ("--num 3 x", {"--num": "3"}, ["x"]),
        ("--color x", {"--color": None}, ["x"]),
        ("--color=no x", {"--color": "no"}, ["x"]),
        ("--pair a b x", {"--pair": "b"}, ["x"]),
        ("-long x", {"-long": None}, ["x"]),
        ("x -a y", {"-a": None}, ["x", "y"]),
        ("-- -a x", {}, ["-a", "x"]),
        ("- x", {}, ["-", "x"]),
        ("-n", {"-n": None}, []),
    ],
)
def test_options_values_and_operands(line: str, given: dict[str, str | None], operands: list[str]) -> None:
    uses = read(line)
    assert {name: value and value.text for name, value in uses.given.items()} == given
    assert (texts(uses.operands), uses.unknown, uses.loose) == (operands, [], [])


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("-x", ["-x"]),
        ("-ax", ["-x (in -ax)"]),
        ("--other", ["--other"]),
        ("--other=1", ["--other"]),
        ("--nu=3", ["--nu"]),
        ("--all=yes", ["--all"]),
        ("-a$x", ["-a$x"]),
        ("--n$x", ["--n"]),
        ("-*", ["-*"]),
    ],
)
def test_what_the_table_does_not_name_is_unknown(line: str, unknown: list[str]) -> None:
    assert read(line).unknown == unknown


@pytest.mark.parametrize(
    ("line", "loose"),
    [
        ("$x", ["$x"]),
        ('"$x"', ['"$x"']),
        ("*.txt", ["*.txt"]),
        ("?", ["?"]),
        ("src/*.txt", []),
        ("./$x", ["./$x"]),
        ('./"$x"', []),
        ("-- $x *", []),
        ("-n $x y", ["$x"]),
        ('-n "$x" y', []),
        ("-n$x y", ["-n$x"]),
        ('-n"$x" y', []),
        ("--num=$x", ["--num=$x"]),
        ("--num=*.x", []),
    ],
)
def test_words_that_may_become_options(line: str, loose: list[str]) -> None:
    assert [word.raw for word in read(line).loose] == loose


def test_options_may_end_at_the_first_operand() -> None:
    uses = parse(simple("x -an 5 ls -l").words[1:], spec_of(TABLE), leading=True)
    assert (list(uses.given), texts(uses.operands)) == (["-a", "-n"], ["ls", "-l"])


def test_a_value_that_is_not_known_yet() -> None:
    uses = read("-an$x --num=$y")
    assert (uses.given["-n"], uses.given["--num"]) == (Word("-an$x", many=True), Word("--num=$y", many=True))
    assert uses.unknown == []
    assert uses.loose == uses.spilling == list(simple("x -an$x --num=$y").words[1:])


@pytest.mark.parametrize(
    ("line", "table", "reads"),
    [
        ("-n ~/x/* a", "tame reads; -n=", ["~/x/*", "a"]),
        ("-n $x a", "tame reads; -n=", ["$x", "a"]),
        ("-n$x a", "tame reads; -n=", ["-n$x", "a"]),
        ('-n "$x" a', "tame reads; -n=", ["a"]),
        ("-n ~/x/*", "tame words; -n=", []),
        ("~/x/* a", "tame pattern;", ["~/x/*", "a"]),
        ("$x a", "tame pattern;", ["$x", "a"]),
        ('"$x" a', "tame pattern;", ["a"]),
        ("-e ~/x/* a", "tame pattern; -e=", ["~/x/*", "a"]),
    ],
)
def test_what_spills_over_from_a_value_or_a_pattern_is_read(line: str, table: str, reads: list[str]) -> None:
    assert [word.raw for word in read(line, table).reads] == reads


@pytest.mark.parametrize("line", ["src/*", "$x", "src/$x", "-- src/*"])
def test_one_word_may_become_both_input_and_output(line: str) -> None:
    assert [word.raw for word in read(line, "in-out;").writes] == [line.removeprefix("-- ")]


def test_paths_are_sorted_by_what_happens_to_them() -> None:
    uses = read("-f a --from=b -o c --out d --pair e f g")
    assert (texts(uses.reads), texts(uses.writes), uses.lists) == (["a", "b", "f", "g"], ["c", "d"], [])
    assert [name for name, _ in uses.values] == ["-f", "--from", "-o", "--out", "--pair"]


@pytest.mark.parametrize(
    ("kind", "reads", "lists", "writes"),
    [
        ("reads", ["a", "b", "c"], [], []),
        ("lists", [], ["a", "b", "c"], []),
        ("writes", [], [], ["a", "b", "c"]),
        ("words", [], [], []),
        ("pattern", ["b", "c"], [], []),
        ("in-out", ["a"], [], ["b", "c"]),
        ("copies", ["a", "b"], [], ["c"]),
    ],
)
def test_operands_by_kind(kind: str, reads: list[str], lists: list[str], writes: list[str]) -> None:
    uses = read("a b c", f"tame {kind}; -a")
    assert (texts(uses.reads), texts(uses.lists), texts(uses.writes)) == (reads, lists, writes)


def test_a_pattern_may_be_given_by_an_option() -> None:
    assert texts(read("-e x a b", "pattern; -e=").reads) == ["a", "b"]
    assert texts(read("-f x a b", "pattern; -f=<").reads) == ["x", "a", "b"]


def test_the_rest_of_a_word() -> None:
    assert rest_of(Word("-n$x", prefix="-n", many=True), 2) == Word("-n$x", many=True)
    assert rest_of(Word("'-n5'", "-n5"), 2) == Word("'-n5'", "5")
