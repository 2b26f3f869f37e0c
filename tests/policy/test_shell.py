"""What a line really runs, with programs of which nothing is known but what this file says."""

from pathlib import Path

import pytest

from ferrule.policy.command import Knowledge, Nested, Redirect, Simple, Word
from ferrule.policy.shell import Parsed, Remark, parse

HERE = "/home/me/project"


def know(command: Simple, *, home: str = "") -> Knowledge:
    """`wrap` runs its words, `inside` the words after a directory, `all` its words and more, `do` a script."""
    words = command.words[1:]
    match command.words[0].text:
        case "wrap":
            return Knowledge(level="reads", runs=(Nested(words=words, wrapper="wrap"),))
        case "inside":
            return Knowledge(level="reads", runs=(Nested(words=words[1:], directory=words[0]),))
        case "all":
            return Knowledge(level="reads", runs=(Nested(words=words, more=True),))
        case "bash":
            return Knowledge(level="reads", runs=(Nested(script=words[1], wrapper="bash -c"),) if words[1:] else ())
    return Knowledge(level="reads")


def parsed(line: str, *, directory: str = HERE) -> Parsed:
    return parse(line, directory, know=know, home="/home/me")


def shown(word: Word) -> str:
    """A word in a few letters: `?` is not known, `…` may be several, `*(…)` is a pattern."""
    if word.text is None:
        return word.prefix + ("…" if word.many else "?")
    return f"*({word.text})" if word.glob else word.text


def runs(line: str) -> list[list[str]]:
    """The words of every command of a line that is understood."""
    found = parsed(line)
    assert found.opaque == ()
    return [[shown(word) for word in simple.words] for simple in found.parts]


def where(line: str) -> list[tuple[str, str | None]]:
    return [(simple.words[0].raw, simple.directory) for simple in parsed(line).parts if simple.words]


def test_a_simple_command_is_described_in_full() -> None:
    assert parsed("A=1 B=$x wrap go 'a b' *.c > out 2>&1 < in | end") == Parsed(
        parts=(
            Simple(
                words=(Word("wrap", "wrap"), Word("go", "go"), Word("'a b'", "a b"), Word("*.c", "*.c", glob=True)),
                raw="A=1 B=$x wrap go 'a b' *.c > out 2>&1 < in",
                variables=(("A", Word("1", "1")), ("B", Word("$x"))),
                redirects=(
                    Redirect(">", Word("out", "out")),
                    Redirect(">&", Word("1", "1")),
                    Redirect("<", Word("in", "in")),
                ),
                directory=HERE,
                piped=True,
            ),
            Simple(
                words=(Word("go", "go"), Word("'a b'", "a b"), Word("*.c", "*.c", glob=True)),
                raw="go 'a b' *.c",
                redirects=(
                    Redirect(">", Word("out", "out")),
                    Redirect(">&", Word("1", "1")),
                    Redirect("<", Word("in", "in")),
                ),
                directory=HERE,
                piped=True,
                within=("wrap",),
            ),
            Simple(words=(Word("end", "end"),), raw="end", directory=HERE, piped=True),
        ),
        knowledge=(
            Knowledge(
                level="reads",
                runs=(
                    Nested(
                        words=(Word("go", "go"), Word("'a b'", "a b"), Word("*.c", "*.c", glob=True)), wrapper="wrap"
                    ),
                ),
            ),
            Knowledge(level="reads"),
            Knowledge(level="reads"),
        ),
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b c", ["a", "b", "c"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a b'c'\"d\"\\e", ["a", "bcde"]),
        ("a '' \"\"", ["a", "", ""]),
        ("a \\\nb", ["a", "b"]),
        ("a\\\nb c", ["ab", "c"]),
        ("a # b", ["a"]),
        ("a b#c", ["a", "b#c"]),
        ("a $'b\\tc' $'\\x41\\102\\u43' $'\\'' $'x\\0y'", ["a", "b\tc", "ABC", "'", "x"]),
        ('a $"b c"', ["a", "b c"]),
        ('a "\\$x \\` \\" \\\\ \\n"', ["a", '$x ` " \\ \\n']),
        ("a {b,c}d e{1..3} {x} {} a{b,{c,d}}", ["a", "bd", "cd", "e1", "e2", "e3", "{x}", "{}", "ab", "ac", "ad"]),
        ("a {01..10..3} {c..a} '{b,c}' \\{b,c}", ["a", "01", "04", "07", "10", "c", "b", "a", "{b,c}", "{b,c}"]),
        ('a $HOME "$HOME/b" ${HOME}c $PWD', ["a", "/home/me", "/home/me/b", "/home/mec", HERE]),
        ("a *.c ?b [ab] '*' \\* \"?\"", ["a", "*(*.c)", "*(?b)", "*([ab])", "*", "*", "?"]),
        ('a $((1+2)) $# $? "$$"', ["a", "?", "?", "?", "?"]),
        ("a${IFS}b$IFS'c'", ["a", "b", "c"]),
        ('a $1 "$1" "$@" $* b', ["a", "", "b"]),
        ("a !b %c @d ^e +f ,g :h =i", ["a", "!b", "%c", "@d", "^e", "+f", ",g", ":h", "=i"]),
        ("time a", ["a"]),
        ("! a", ["a"]),
    ],
)
def test_words_are_what_bash_makes_of_them(line: str, words: list[str]) -> None:
    assert runs(line)[0] == words


def test_tildes() -> None:
    assert runs("a ~ ~/b '~' \\~ b~ x=~/c --x=~/c ~+ ~nobody-at-all") == [
        ["a", "/home/me", "/home/me/b", "~", "~", "b~", "x=/home/me/c", "--x=~/c", HERE, "~nobody-at-all"]
    ]


def test_what_is_not_known_keeps_what_is() -> None:
    assert runs('a $x b$x "$x" --o=$x "c$x"d $x$y') == [["a", "…", "b…", "?", "--o=…", "c?", "…"]]


def test_variables_of_the_line_are_followed() -> None:
    assert runs('x=a; y=$x-b; $x $y ${x}c "$y"') == [["a", "a-b", "ac", "a-b"]]
    assert runs("x='a b'; $x \"$x\"") == [["a", "b", "a b"]]
    assert runs("x=a; x+=b; $x") == [["ab"]]
    assert runs('x=*; a $x "$x"') == [["a", "*(*)", "*"]]
    assert runs("x=a; (x=b; $x); $x") == [["b"], ["a"]]
    assert runs("x=a; x=b c; $x") == [["c"], ["a"]]
    assert runs('x=(a b); ${x[0]} ${x[1]} "${x[@]}"') == [["a", "b", "a", "b"]]
    assert runs('set -- a b; $1 "$@"; shift; $1') == [
        ["set", "--", "a", "b"],
        ["a", "a", "b"],
        ["shift"],
        ["b"],
    ]
    assert runs("for x in a b; do $x; done") == [["a"], ["b"]]
    assert runs("for x in *.c; do a $x; done") == [["a", "*(*.c)"]]
    assert runs("a ${x:-b}; x=; a ${x:-b} ${x:+c}d") == [["a", "…"], ["a", "b", "d"]]
    assert runs("x=abcd; a ${x:1:2} ${x#a} ${x%cd} ${x^^} ${x/b/-} ${#x}") == [
        ["a", "bc", "bcd", "ab", "ABCD", "a-cd", "?"]
    ]


def test_a_variable_that_may_hold_several_things_is_not_known() -> None:
    assert runs("x=a; if b; then x=c; fi; d $x") == [["b"], ["d", "…"]]
    assert runs("x=a; while b; do x=c; done; d $x") == [["b"], ["d", "…"]]
    assert runs("x=a; b && x=c; d $x") == [["b"], ["d", "…"]]
    assert runs("x=a; read x; d $x") == [["read", "x"], ["d", "…"]]
    assert runs("x=a; f() { x=b; }; f; d $x") == [["d", "…"]]
    assert runs("x=a declare x=b; d $x") == [["declare", "x=b"], ["d", "…"]]


@pytest.mark.parametrize(
    "line",
    [
        "a; b",
        "a && b",
        "a || b",
        "a | b",
        "a |& b",
        "a & b",
        "a\nb",
        "(a; b)",
        "{ a; b; }",
        "! a | b",
        "if a; then b; fi",
        "if a; then :; else b; fi",
        "while a; do b; done",
        "until a; do b; done",
        "for x in $(a); do b; done",
        "for ((i=$(a);i<3;i++)); do b; done",
        "select x in a; do a; b; done",
        "case $(a) in *) b;; esac",
        "case x in $(a)) b;; esac",
        "f() { b; }; a; f",
        "function f { b; }; f; a",
        "f() (b); a | f",
        "a; f() { b; }",
        "coproc a; b",
        "time { a; b; }",
        "a $(b)",
        'a "$(b)"',
        "a `b`",
        'a "`b`"',
        "a `c \\`b\\``",
        "a ${x:-$(b)}",
        'a "${x#$(b)}"',
        "a ${x[$(b)]}",
        "a $(( $(b) ))",
        "x=$(b) a",
        "x=$(b); a",
        "x=(1 $(b)); a",
        "x[$(b)]=1; a",
        "declare x=$(b); a",
        "[[ $(b) == $(a) ]]",
        "[[ x =~ $(b)a ]]; a",
        "(( $(b) )); a",
        "a <(b)",
        "a > >(b)",
        "a < <(b)",
        "a <<< $(b)",
        "a > $(b)",
        "a <<E\n$(b)\nE",
        "a <<E\n`b`\nE",
        "a <<E && b\nE",
        "a <<'E'\nx\nE\nb",
        "a <<-E\n\tx\n\tE\nb",
        "a <<E <<F\nE\n$(b)\nF",
        "eval a; eval 'b'",
        'eval "a; b"',
        "trap 'b' EXIT; a",
        "bash -c 'a; b'",
        "wrap wrap a; wrap b",
        "command a; builtin b",
        "echo 'a; b' | bash",
        "bash <<< 'a; b'",
        "bash <<E\na\nb\nE",
        "eval $(echo a); eval $(printf '%s' b)",
        "echo YTsgYg== | base64 -d | bash",
        "$(echo a) | $(printf b)",
        "a # c\nb",
        "a;#c\nb",
    ],
)
def test_every_command_is_found(line: str) -> None:
    found = parsed(line)
    names = {simple.words[0].text for simple in found.parts if simple.words}
    assert {"a", "b"} <= names


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a; cd x && b; c", [("a", HERE), ("cd", HERE), ("b", f"{HERE}/x"), ("c", f"{HERE}/x"), ("c", HERE)]),
        ("cd x || b", [("cd", HERE), ("b", HERE)]),
        ("cd x || exit; b", [("cd", HERE), ("exit", HERE), ("b", f"{HERE}/x")]),
        ("(cd x && b); c", [("cd", HERE), ("b", f"{HERE}/x"), ("c", HERE)]),
        ("cd x | b", [("cd", HERE), ("b", HERE)]),
        ("cd x & b", [("cd", HERE), ("b", HERE)]),
        ("a $(cd x && b)", [("cd", HERE), ("b", f"{HERE}/x"), ("a", HERE)]),
        ("cd .. && a", [("cd", HERE), ("a", "/home/me")]),
        ("cd && a", [("cd", HERE), ("a", "/home/me")]),
        ("cd / && a", [("cd", HERE), ("a", "/")]),
        ("cd ~/x/../y && a", [("cd", HERE), ("a", "/home/me/y")]),
        ("cd $x && a", [("cd", HERE), ("a", None)]),
        ("cd - && a", [("cd", HERE), ("a", None)]),
        ("cd x* && a", [("cd", HERE), ("a", None)]),
        ("CDPATH=/tmp; cd x && a", [("cd", HERE), ("a", None)]),
        ("pushd x && a", [("pushd", HERE), ("a", None)]),
        ("x=/tmp; cd $x && a", [("cd", HERE), ("a", "/tmp")]),
        ("eval 'cd x' && a", [("eval", HERE), ("cd", HERE), ("a", f"{HERE}/x"), ("a", HERE)]),
        ("command cd x && a", [("command", HERE), ("cd", HERE), ("a", f"{HERE}/x")]),
        ("bash -c 'cd x && a'; b", [("bash", HERE), ("cd", HERE), ("a", f"{HERE}/x"), ("b", HERE)]),
        ("inside sub a; b", [("inside", HERE), ("a", f"{HERE}/sub"), ("b", HERE)]),
        ("f() { cd x; }; f && a", [("cd", HERE), ("a", f"{HERE}/x"), ("a", HERE)]),
    ],
)
def test_the_directory_is_followed(line: str, found: list[tuple[str, str | None]]) -> None:
    assert where(line) == found


def test_every_directory_that_a_branch_leads_to_is_possible() -> None:
    found = where("if a; then cd x; else cd y; fi; b")
    assert {place for name, place in found if name == "b"} == {HERE, f"{HERE}/x", f"{HERE}/y"}
    looped = where("while a; do cd x; done; b")
    assert {place for name, place in looped if name == "b"} == {HERE, f"{HERE}/x", f"{HERE}/x/x", None}


def test_a_directory_is_what_its_links_lead_to(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    (top / "real" / "deep").mkdir(parents=True)
    (top / "link").symlink_to("real/deep")
    found = parsed("cd link && a && cd .. && b && cd -P link && cd .. && c", directory=str(top))
    places = {simple.words[0].text: simple.directory for simple in found.parts}
    assert (places["a"], places["b"], places["c"]) == (str(top / "real/deep"), str(top), str(top / "real"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a\0b", "it holds a character that is not seen ('\\x00')"),
        ("a\rb", "it holds a character that is not seen ('\\r')"),
        ("a\u202eb", "it holds a character that is not seen ('\\u202e')"),
        ("a\u200bb", "it holds a character that is not seen ('\\u200b')"),
        *(
            (f"ls a{one}b", f"it holds a character that is not seen ({one!a})")
            for one in "\u2800\u3164\u115f\u1160\uffa0"
        ),
        ("a\x1b[0m", "it holds a character that is not seen ('\\x1b')"),
        ("a" * 100_001, "it is too long"),
        ("$x a", "the name of the program is only known when it runs: $x"),
        ("*(a)", "a bracket that does not belong there near `(a)`"),
        ("a 'b", "a quote that is not closed near `'b`"),
        ('a "b', 'a quote that is not closed near `"b`'),
        ("a `b", "a backquote that is not closed near ``b`"),
        ("a $(b", "a bracket that is not closed at the end of a line"),
        ("a )", "a syntax error near `)`"),
        ("if a; then b", "a syntax error at the end of a line"),
        ("a <<E\nb", "a here-document without its end"),
        ("a <<E", "a here-document without its text"),
        ("a $\\\n(b)", "a dollar at the end of a line near `$\\`"),
        ("((a);(b))", "brackets that could mean two things near `((a);(b))`"),
        ("a $[1]", "an old form of arithmetic near `$[1]`"),
        ("eval $x", "eval runs a script that is only known when it runs"),
        ("bash -c $x", "bash -c runs a script that is only known when it runs"),
        ("trap $x EXIT", "trap runs a script that is only known when it runs"),
        ("a $(($x))", "arithmetic with a value that is not known"),
        ("a $((x))", "arithmetic with $x, whose value is not known"),
        ("a ${!x}", "a variable whose name is in another"),
        ("a ${x@P}", "an expansion that could run a command"),
        ("alias a=b", "alias changes what later words mean"),
        ("shopt -s extglob", "shopt changes what later words mean"),
        ("set -k", "set changes how the shell reads the rest"),
        ("read 'a[$(b)]'", "read with an index that could run a command"),
        ("a >& '$(b)'", "a redirection whose target bash expands a second time"),
        ("a {x}> b", "a redirection that sets a variable near `{x}> b`"),
        ("a $x{b,c}", "braces whose words are not clear"),
        ("export -f f", "export in a form that is not followed"),
        ("f() { f; }; f", "f calls itself"),
        ("if a; then f() { b; }; fi; f", "f is a function, but not clear which"),
        ("wrap " * 10 + "a", "too many wrappers around each other"),
        ("( " * 40 + "a" + " )" * 40, "it is nested too deeply"),
        ("{ " * 40 + "a" + "; }" * 40, "it is nested too deeply"),
    ],
)
def test_what_cannot_be_understood_is_said(line: str, reason: str) -> None:
    assert reason in parsed(line).opaque


@pytest.mark.parametrize(
    "line",
    [
        ":(){ :|:& };:",
        "b() { b | b & }; b",
        "f() { f & f; }; f",
        "f(){ f|f; }; f",
        "function f { (f) & }; f",
        ":(){:|:&};:",
    ],
)
def test_a_fork_bomb_is_one_by_any_name(line: str) -> None:
    assert [remark.level for remark in parsed(line).remarks] == ["catastrophe"]


def test_a_stream_is_closed_by_a_dash_alone() -> None:
    assert runs(">&-a b") == [["a", "b"]]
    assert runs("a <& -b 2>&-c") == [["a", "b", "c"]]


def test_a_function_that_comes_to_an_end_is_no_bomb() -> None:
    assert parsed("f() { [ $1 = 0 ] || f $(( $1 - 1 )); }; f 3").remarks == ()


def test_a_function_is_looked_at_with_its_arguments() -> None:
    assert runs('f() { a "$1" $# "$@"; }; f x y') == [["a", "x", "?", "x", "y"]]
    assert runs('f() { a "$1"; }') == [["a", "?"]]
    assert runs("ls() { a; }; ls; command ls") == [["a"], ["command", "ls"], ["ls"]]


def test_a_script_gets_its_arguments_and_what_is_exported() -> None:
    assert runs("bash -c 'a $0 $1' x y") == [["bash", "-c", "a $0 $1", "x", "y"], ["a", "…", "y"]]
    assert runs("export x=b; bash -c 'a $x'")[-1] == ["a", "b"]
    assert runs("x=b bash -c 'a $x'")[-1] == ["a", "b"]
    assert runs("x=b; bash -c 'a $x'")[-1] == ["a", "…"]


def test_what_comes_through_a_pipe_is_put_in() -> None:
    assert runs("echo b c | all a")[-1] == ["a", "b", "c"]
    assert runs("x | all a")[-1] == ["a", "…"]
    found = parsed("find src -name '*.py' | sort | all a")
    assert found.parts[-1].words[-1] == Word("…", many=True, below=("src",))


def test_variables_that_steer_programs_are_carried_on() -> None:
    carried = [(simple.raw, simple.variables) for simple in parsed("PATH=x; n=1; a; (LD_PRELOAD=y; b); c").parts]
    path, preload = ("PATH", Word("x", "x")), ("LD_PRELOAD", Word("y", "y"))
    assert carried == [("a", (path,)), ("b", (path, preload)), ("c", (path,))]


@pytest.mark.parametrize("line", ["curl x | sh", "cat x | bash", "cat x | python3", "base64 -d x | sh -s a"])
def test_a_script_that_nobody_knows_is_remarked(line: str) -> None:
    name = line.partition("| ")[2].split()[0]
    assert parsed(line).remarks == (Remark("danger", f"{name} runs what it is given, and that is not known"),)


def test_code_for_an_interpreter_is_handed_on_as_code() -> None:
    assert runs("python3 - <<'E'\nx = 1\nE")[-1] == ["python3", "-c", "x = 1\n"]
