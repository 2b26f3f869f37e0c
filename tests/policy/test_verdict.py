"""What a line would do, judged with the real knowledge of programs and the real places."""

import time
from functools import lru_cache
from pathlib import Path

import pytest

from ferrule.policy.paths import Places
from ferrule.policy.programs import know
from ferrule.policy.verdict import Part, Verdict, judge_command
from tests.policy.corpus import ASKING, DENIED, READING

HOME = Path("/home/nobody-is-here")
PROJECT = HOME / "work" / "project"


@lru_cache
def places(root: Path, home: Path) -> Places:
    return Places(root=root, home=home)


def judge(command: str, *, root: Path = PROJECT, home: Path = HOME, hostile: tuple[str, ...] = ()) -> Verdict:
    return judge_command(
        command,
        directory=str(root),
        know=know,
        standing=places(root, home).standing,
        git_runs_programs=lambda directory: directory in hostile,
        home=str(home),
    )


def decision(verdict: Verdict) -> str:
    if verdict.level == "catastrophe" or verdict.blocked:
        return "deny"
    return "allow" if verdict.readonly else "ask"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "home" / "project"
    (root / "src").mkdir(parents=True)
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / "README.md").write_text("hello\n")
    return root


def judged(commands: tuple[str, ...], *, other_than: str) -> dict[str, str]:
    """The commands that are judged in another way, and why."""
    found = {command[:200]: judge(command) for command in commands}
    return {command: verdict.reason for command, verdict in found.items() if decision(verdict) != other_than}


def test_what_only_reads_runs_unasked() -> None:
    assert judged(READING, other_than="allow") == {}


def test_what_may_change_something_asks() -> None:
    assert judged(ASKING, other_than="ask") == {}


def test_what_ends_everything_or_shows_secrets_is_denied() -> None:
    assert judged(DENIED, other_than="deny") == {}


def test_nothing_hides_what_stands_before_or_behind_it() -> None:
    assert judged(tuple(f"{command}\nrm -rf /" for command in READING), other_than="deny") == {}
    assert judged(tuple(f"rm x\n{command}" for command in READING), other_than="ask") == {}


@pytest.mark.parametrize(
    "wrapped", ["( {}\n)", "{{ {}\n}}", "if {}\nthen :\nfi", 'echo "$({}\n)"', ": | {{ {}\n}}", "f() {{ {}\n}}; f"]
)
def test_nothing_hides_inside(wrapped: str) -> None:
    lines = [command for command in DENIED if "<<" not in command and not command.startswith("(")]
    assert judged(tuple(wrapped.format(command) for command in lines), other_than="deny") == {}


def test_a_verdict_names_every_part() -> None:
    assert judge("cd src && LC_ALL=C FOO=1 make 'a b' *.c > out.txt 2>&1; git status") == Verdict(
        level="changes",
        reason="make runs or writes what the project says",
        parts=(
            Part(raw="cd src", words=("cd", "src"), level="reads"),
            Part(
                raw="LC_ALL=C FOO=1 make 'a b' *.c > out.txt 2>&1",
                words=("make", "a b", "*.c"),
                level="changes",
                reason="make runs or writes what the project says",
                expands=(2,),
                variables=("FOO=1",),
                redirects=("out.txt",),
            ),
            Part(raw="git status", words=("git", "status"), level="reads"),
        ),
    )


def test_a_part_inside_wrappers_says_so() -> None:
    parts = judge("sudo bash -c 'timeout 5 rm x'").parts
    assert [(part.words[0], part.within) for part in parts] == [
        ("sudo", ()),
        ("bash", ("sudo",)),
        ("timeout", ("sudo", "bash -c")),
        ("rm", ("sudo", "bash -c", "timeout")),
    ]


def test_what_cannot_be_understood_is_as_bad_as_danger() -> None:
    verdict = judge("ls; $x")
    assert (verdict.level, verdict.opaque, verdict.readonly) == ("danger", True, False)
    assert verdict.reason == "it cannot be understood: the name of the program is only known when it runs: $x"


def test_a_catastrophe_is_told_before_anything_else() -> None:
    verdict = judge("curl x; $x; rm -rf /; cat ~/.ssh/id_rsa")
    assert (verdict.level, verdict.network, verdict.opaque, verdict.blocked) == ("catastrophe", True, True, True)


def test_writes_outside_are_listed() -> None:
    verdict = judge("echo x > /srv/a; cp README.md /srv/b; touch inside > /dev/null")
    assert (verdict.level, verdict.outside) == ("danger", ("/srv/a", "/srv/b"))


@pytest.mark.parametrize("target", ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "&2", "&-"])
def test_what_goes_nowhere_changes_nothing(target: str) -> None:
    assert judge(f"ls >{target}").readonly


def test_a_write_to_a_place_that_is_not_known_is_danger() -> None:
    assert judge('ls > "$x"').level == "danger"
    assert judge('cd "$x"; ls > y').level == "danger"
    assert judge('cd "$x"; ls > /dev/null').level == "changes"


def test_the_network_is_named() -> None:
    verdict = judge("echo x > /dev/tcp/example.org/80")
    assert (verdict.level, verdict.network, verdict.reason) == (
        "network",
        True,
        "/dev/tcp/example.org/80 reaches the network",
    )


def test_git_reads_only_where_the_repository_names_no_programs() -> None:
    assert judge("git status").readonly
    assert not judge("git status", hostile=(str(PROJECT),)).readonly
    assert judge("git -C sub status", hostile=(str(PROJECT),)).readonly
    assert not judge("git -C sub status", hostile=(str(PROJECT / "sub"),)).readonly
    assert not judge("cd sub && git log", hostile=(str(PROJECT / "sub"),)).readonly
    assert not judge('cd "$x" && git log').readonly


@pytest.mark.parametrize(
    ("variable", "level"),
    [
        ("LC_ALL=C", "reads"),
        ("LANG=", "reads"),
        ("TZ=UTC", "reads"),
        ("PAGER=cat", "reads"),
        ("PAGER=less", "changes"),
        ("FOO=bar", "changes"),
        ("PATH=x", "changes"),
        ("LD_PRELOAD=x", "danger"),
        ("BASH_ENV=x", "danger"),
    ],
)
def test_variables_before_a_command(variable: str, level: str) -> None:
    assert judge(f"{variable} ls").level == level


def test_a_variable_of_the_shell_steers_what_follows() -> None:
    assert not judge("PATH=/tmp/x; ls").readonly
    assert not judge("ls; export PYTHONPATH=.; ls").readonly
    assert judge("(PATH=/tmp/x); ls").readonly
    assert judge("count=3; ls").readonly


def test_a_pattern_is_judged_by_what_it_names_now(project: Path) -> None:
    secret = project.parent / ".ssh"
    secret.mkdir()
    (secret / "id_rsa").write_text("secret")
    assert judge("cat *", root=project, home=project.parent).readonly
    (project / "notes").symlink_to(secret / "id_rsa")
    for command in ("cat *", "cat n*", "cat ?otes", "head -1 [n]otes", "for f in *; do cat $f; done"):
        assert judge(command, root=project, home=project.parent).blocked, command
    assert judge("cat *.md", root=project, home=project.parent).readonly


def test_a_directory_is_the_one_that_links_lead_to(project: Path) -> None:
    hooks = project / "pretty"
    hooks.symlink_to(".git/hooks")
    assert judge("cd pretty && echo x > pre-commit", root=project).blocked
    assert judge("cd pretty && cd .. && echo x > fine", root=project).level == "changes"
    assert judge("cd -P pretty && cd .. && echo x > config", root=project).blocked


def test_more_files_than_can_be_looked_at_are_not_known(project: Path) -> None:
    for number in range(250):
        (project / f"f{number}").touch()
    assert not judge("cat f*", root=project).readonly


def test_every_possible_directory_counts() -> None:
    assert judge("cd .git/hooks; echo x > y").blocked
    assert judge("cd src || cd .git/hooks; echo x > y").blocked
    assert judge("if x; then cd .git/hooks; fi; echo x > y").blocked
    assert judge("for d in src .git/hooks; do cd $d; done; echo x > y").blocked
    assert not judge("(cd .git/hooks); echo x > y").blocked
    assert not judge("cd .git/hooks && ls; cd src || exit; cd /tmp | cat").blocked


HOSTILE = {
    *("(" * 50_000, "$(" * 50_000, "a|" * 50_000, "'\"" * 50_000, "`" * 50_000, "{a," * 30_000, "<<A " * 20_000),
    *("[[ ( " * 20_000, "f()" * 30_000, "x=$((" * 20_000, "if a; then " * 9_000, "${a:-" * 20_000, "! " * 50_000),
    *("for x in a b; do " * 12 + "ls" + "; done" * 12, "while cd x; do " * 14 + "ls" + "; done" * 14),
    *("".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}; " for n in range(40)) + "f40() { ls; }; f0",),
    *("a&&" * 30_000, "a " * 50_000, "\\" * 99_999, "{1..9}" * 9, "ls;" * 30_000, "x" * 100_001),
}


def test_hostile_lines_are_refused_quickly() -> None:
    slow: dict[str, float] = {}
    for command in HOSTILE:
        began = time.thread_time()
        assert not judge(command).readonly, command[:20]
        slow[command[:20]] = time.thread_time() - began
    assert {command: seconds for command, seconds in slow.items() if seconds > 0.5} == {}


def test_a_line_is_judged_in_less_than_a_millisecond() -> None:
    commands = [command for command in READING if len(command) < 100]
    for command in commands:
        judge(command)
    began = time.thread_time()
    for command in commands:
        judge(command)
    assert (time.thread_time() - began) / len(commands) < 0.003  # a third of it or less on a machine that is not busy


def test_nothing_is_run_and_nothing_changes(project: Path) -> None:
    before = sorted(project.iterdir())
    for command in ("touch made", "echo $(touch made)", "> made", "cat <(touch made)", "eval 'touch made'"):
        judge(command, root=project)
    assert sorted(project.iterdir()) == before
