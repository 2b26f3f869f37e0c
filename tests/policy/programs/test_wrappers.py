import pytest

from ferrule.policy.command import Knowledge, Level, Nested, Word
from tests.policy.programs.words import ask, level, word


def words(line: str) -> tuple[Word, ...]:
    return tuple(word(raw) for raw in line.split())


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("nohup ls -l", "ls -l"),
        ("nice ls", "ls"),
        ("nice -n 5 ls", "ls"),
        ("nice -5 ls", "ls"),
        ("ionice -c2 -n 7 ls", "ls"),
        ("timeout 5 ls", "ls"),
        ("timeout -k 1 -s KILL 5s ls", "ls"),
        ("stdbuf -oL ls", "ls"),
        ("taskset -c 0 ls", "ls"),
        ("chrt -i 0 ls", "ls"),
        ("time -p ls", "ls"),
        ("command ls", "ls"),
        ("command -p ls", "ls"),
        ("exec -a x ls", "ls"),
        ("builtin echo x", "echo x"),
        ("busybox ls -l", "ls -l"),
        ("xargs -0 -n1 -P4", ""),
    ],
)
def test_harmless_wrappers(line: str, inner: str) -> None:
    found = ask(line)
    runs = (Nested(words=words(inner), wrapper=line.split(maxsplit=1)[0]),) if inner else ()
    assert found == Knowledge(level="reads", runs=runs)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sudo ls", "danger"),
        ("doas ls", "danger"),
        ("su -c ls", "danger"),
        ("setsid ls", "changes"),
        ("strace ls", "changes"),
        ("time -o x ls", "changes"),
        ("flock x ls", "changes"),
        ("watch ls", "changes"),
        ("timeout 5 rm x", "changes"),
        ("timeout $x rm x", "danger"),
        ("timeout --bogus 5 ls", "danger"),
        ("nice -n $x ls", "danger"),
        ("env $x ls", "danger"),
        ("xargs $x", "danger"),
        ("xargs rm", "changes"),
        ("xargs rm -rf", "danger"),
        ("xargs sort", "changes"),
        ("xargs cat", "reads"),
        ("xargs -I{} cat {}", "reads"),
        ("xargs -I{} sh -c '{}'", "danger"),
        ("xargs sh -c", "danger"),
        ("env -S 'rm -rf /'", "catastrophe"),
        ("env -S 'bash -c' 'rm -rf /'", "catastrophe"),
        ("sudo -i rm -rf /", "catastrophe"),
        ("sudo --bogus x rm -rf /", "catastrophe"),
        ("flock -w 5 x rm -rf /", "catastrophe"),
        ("perf stat -e x rm -rf /", "catastrophe"),
        ("bwrap --ro-bind / / rm -rf /", "catastrophe"),
        ("nsenter -t 1 -m rm -rf /", "catastrophe"),
        ("tmux new-session -d 'rm -rf /'", "catastrophe"),
    ],
)
def test_levels(line: str, expected: Level) -> None:
    assert level(line) == expected


def test_env_hands_on_variables_and_a_directory() -> None:
    nested = Nested(
        words=words("make x"),
        directory=word("sub"),
        variables=(("A", Word("A=1", "1")), ("B", Word("B=$x", many=True))),
        wrapper="env",
    )
    assert ask("env -i -C sub -u Z A=1 B=$x make x") == Knowledge(level="reads", runs=(nested,))


def test_env_splits_a_text() -> None:
    assert ask("env -S 'sh -c' 'a b'").runs[0].script == Word("'sh -c' 'a b'", "sh -c 'a b'")
    assert ask('env -S "$x"').runs[0].script == Word('"$x"')


def test_xargs_adds_words_that_nobody_knows() -> None:
    assert ask("xargs -n1 cat x").runs == (Nested(words=words("cat x"), wrapper="xargs", more=True),)
    assert ask("xargs -I % cp % d/%").runs == (
        Nested(words=(word("cp"), Word("%"), Word("d/%", prefix="d/")), wrapper="xargs"),
    )


def test_xargs_adds_other_words_than_those_from_the_pipe() -> None:
    unknown = Word("…", many=True)
    for option in ("-a list", "--arg-file=list", "-d,", "-d ,", "--delimiter=,"):
        assert ask(f"xargs {option} cat x").runs == (Nested(words=(*words("cat x"), unknown), wrapper="xargs"),)
    nested = Nested(words=(word("cat"), Word("…", prefix="d/")), wrapper="xargs")
    assert ask("xargs -a list -I{} cat d/{}").runs == (nested,)


def test_variables_that_steer_a_program_are_not_handed_to_it() -> None:
    assert ask("env NEW_THING=1 ls").level == "changes"
    assert ask("env LC_ALL=C TZ=UTC x=1 ls").level == "reads"


def test_sudo_hands_on_the_command() -> None:
    nested = Nested(words=words("ls -l"), wrapper="sudo", variables=(("A", Word("A=1", "1")),))
    reason = "sudo acts as another user"
    assert ask("sudo -u root A=1 ls -l") == Knowledge(level="danger", reason=reason, runs=(nested,))
