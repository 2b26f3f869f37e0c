"""What holds for all commands: unknown options are never harmless, and no wrapper makes a command look better."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.policy.command import LEVELS, Simple, Word
from ferrule.policy.programs import know
from ferrule.policy.programs.readonly import TABLES
from tests.policy.programs.test_programs import lines
from tests.policy.programs.words import HOME, PROJECT, level, simple, worst

READONLY = lines("readonly")
EVERYTHING = [*READONLY, *lines("asking"), *lines("catastrophes")]
OPTIONED = sorted(name for name, table in TABLES.items() if table != "text")
WRAPPERS = [
    "nohup",
    "nice",
    "nice -n 3",
    "timeout 5",
    "timeout -s KILL 5s",
    "stdbuf -o0",
    "env",
    "env -i A=1",
    "command",
    "exec",
    "sudo",
    "sudo -u x",
    "doas",
    "setsid",
    "time",
    "ionice -c 3",
    "busybox",
    "xargs",
    "xargs -n1",
    "strace -f",
    "flock x",
    "chroot /x",
    "unshare -r",
    "taskset 1",
    "find . -exec",
    "git bisect run",
    "docker run x",
    "kubectl exec x --",
    "builtin",
]
LAST_COUNTS = ("cp ", "ln ", "rsync ")
"""What the last word decides on: `xargs` adds others, so that it is another command."""
WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
PIECES = st.sampled_from(
    [
        "-",
        "--",
        "-rf",
        "/",
        "~",
        "*",
        "-e",
        "-c",
        "-o",
        "--output=x",
        "=",
        "{}",
        ";",
        "+",
        "-exec",
        "x",
        "..",
        "-i",
        "HEAD",
    ]
)


@given(st.sampled_from(OPTIONED), st.from_regex(r"--[a-z][a-z-]{3,12}zq", fullmatch=True))
def test_an_unknown_option_is_never_harmless(name: str, option: str) -> None:
    assert level(f"{name} {option}") != "reads"
    assert level(f"{name} {option}=x") != "reads"


@given(st.sampled_from(READONLY), st.sampled_from(["rm", "curl", "tee", "python", "touch"]))
def test_reading_needs_the_program_itself(line: str, other: str) -> None:
    _, _, rest = line.partition(" ")
    assert level(f"{other} {rest or 'x'} x".replace("--version", "")) != "reads"


def looks_no_better(line: str, wrappers: Sequence[str]) -> bool:
    """Whether a command within wrappers is at least as bad as without them."""
    adds = any(wrapper.startswith("xargs") for wrapper in wrappers)
    alone = f"{line} $x" if adds and line.startswith(LAST_COUNTS) else line
    return LEVELS.index(level(" ".join((*wrappers, line)))) >= LEVELS.index(level(alone))


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_no_wrapper_makes_a_command_look_better(wrapper: str) -> None:
    assert [line for line in EVERYTHING if not looks_no_better(line, [wrapper])] == []


@given(st.sampled_from(EVERYTHING), st.lists(st.sampled_from(WRAPPERS), min_size=2, max_size=4))
def test_nor_do_several(line: str, wrappers: list[str]) -> None:
    assert looks_no_better(line, wrappers)


@given(st.sampled_from(["rm -rf /", "reboot", "mkfs.ext4 /dev/sda"]), st.lists(st.sampled_from(WRAPPERS), max_size=5))
def test_a_catastrophe_stays_one_in_every_wrapping(line: str, wrappers: list[str]) -> None:
    assert level(" ".join((*wrappers, line))) == "catastrophe"


@given(st.sampled_from(READONLY))
def test_what_is_not_known_is_never_better_than_what_is(line: str) -> None:
    """A word that only running tells may be any word: the answer for it covers the answers for all."""
    command = simple(line)
    known = worst(command)
    for index in range(len(command.words)):
        words = list(command.words)
        words[index] = Word(words[index].raw, many=True)
        unknown = worst(Simple(words=tuple(words), raw=line, directory=PROJECT))
        assert LEVELS.index(unknown) >= LEVELS.index(known)


@given(
    st.lists(st.one_of(WORDS, PIECES), max_size=8), st.sampled_from(sorted({line.split()[0] for line in EVERYTHING}))
)
def test_every_command_gets_an_answer(words: list[str], name: str) -> None:
    command = Simple(words=(Word(name, name), *(Word(text, text) for text in words)), raw="", directory=PROJECT)
    found = know(command, home=HOME)
    assert bool(found.reason) == (found.level != "reads")
