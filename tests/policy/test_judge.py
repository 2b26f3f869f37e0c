"""The policy as a whole: never, rules, mode; and what a call that may run may have."""

from pathlib import Path

import pytest

from ferrule.core.messages import ToolCall
from ferrule.core.tool import Effect, EffectKind
from ferrule.policy.judge import Decision, Grant, Policy
from ferrule.policy.paths import Places
from ferrule.policy.rules import Rules, read_rule

MODES = ("plan", "normal", "auto-edit", "auto", "yolo")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home/.ssh").mkdir(parents=True)
    (tmp_path / "home/.ssh/id_rsa").write_text("secret")
    (tmp_path / "project/src").mkdir(parents=True)
    return tmp_path / "project"


def policy(
    project: Path,
    mode: str = "normal",
    *,
    deny: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
    confined: bool = True,
    free: tuple[str, ...] = (),
) -> Policy:
    home = project.parent / "home"
    deny_, ask_, allow_ = (tuple(map(read_rule, texts)) for texts in (deny, ask, allow))
    return Policy(
        mode=mode,
        rules=Rules(deny=deny_, ask=ask_, allow=allow_, root=str(project), home=str(home)),
        places=Places(root=project, home=home),
        confined=lambda: confined,
        cwd=lambda: project,
        free=free,
    )


def bash(one: Policy, command: str) -> Decision:
    call = ToolCall(id="c", name="bash", input={"command": command})
    return one.judge(call, (Effect("execute", command),)).decision


def touch(one: Policy, tool: str, path: str) -> Decision:
    kind: EffectKind = "read" if tool in {"read", "grep", "ls"} else "write"
    return one.judge(ToolCall(id="c", name=tool, input={"file_path": path}), (Effect(kind, path),)).decision


def in_each_mode(project: Path, command: str, *, confined: bool = True) -> list[Decision]:
    return [bash(policy(project, mode, confined=confined), command) for mode in MODES]


def test_commands_in_each_mode(project: Path) -> None:
    assert in_each_mode(project, "git status; ls | head") == ["allow"] * 5
    assert in_each_mode(project, "make") == ["deny", "ask", "ask", "allow", "allow"]
    assert in_each_mode(project, "npm install") == ["deny", "ask", "ask", "ask", "allow"]
    assert in_each_mode(project, "git push --force") == ["deny", "ask", "ask", "ask", "allow"]
    assert in_each_mode(project, "echo x > /opt/y") == ["deny", "ask", "ask", "ask", "allow"]
    assert in_each_mode(project, "rm -rf /") == ["deny"] * 5
    assert in_each_mode(project, "cat ~/.ssh/id_rsa".replace("~", str(project.parent / "home"))) == ["deny"] * 5
    assert in_each_mode(project, "echo x > .git/hooks/pre-commit") == ["deny"] * 5
    assert in_each_mode(project, "if (((") == ["deny", "ask", "ask", "ask", "allow"]


def test_without_a_sandbox_commands_ask_in_auto(project: Path) -> None:
    assert in_each_mode(project, "make", confined=False) == ["deny", "ask", "ask", "ask", "allow"]


def test_files_in_each_mode(project: Path) -> None:
    def each(tool: str, path: str, *, confined: bool = True) -> list[Decision]:
        return [touch(policy(project, mode, confined=confined), tool, path) for mode in MODES]

    assert each("read", "src/a.py") == ["allow"] * 5
    assert each("edit", "src/a.py") == ["deny", "ask", "allow", "allow", "allow"]
    assert each("read", "/opt/x") == ["ask", "ask", "ask", "ask", "allow"]
    assert each("write", "/opt/x") == ["deny", "ask", "ask", "ask", "ask"]
    assert each("write", "/opt/x", confined=False) == ["deny", "ask", "ask", "ask", "allow"]
    assert each("write", ".vscode/settings.json") == ["deny", "ask", "ask", "ask", "ask"]
    assert each("write", ".git/config") == ["deny"] * 5
    assert each("read", str(project.parent / "home/.ssh/id_rsa")) == ["deny"] * 5


def test_rules_go_before_the_mode(project: Path) -> None:
    assert bash(policy(project, allow=("bash(make *)",)), "make test") == "allow"
    assert bash(policy(project, allow=("bash(make *)",)), "make test && curl x.org") == "ask"
    assert bash(policy(project, "yolo", ask=("bash(make *)",)), "make test") == "ask"
    assert bash(policy(project, "yolo", deny=("bash(make *)",), allow=("bash",)), "cd src && make test") == "deny"
    assert bash(policy(project, "plan", allow=("bash",)), "make") == "deny"
    assert bash(policy(project, allow=("bash",)), "rm -rf /") == "deny"
    assert touch(policy(project, allow=("edit(src/**)",)), "write", "src/a.py") == "allow"
    assert touch(policy(project, allow=("edit",)), "edit", ".git/hooks/x") == "deny"
    assert touch(policy(project, "yolo", allow=("edit(.vscode/**)",)), "edit", ".vscode/x.json") == "allow"
    assert touch(policy(project, deny=("read(src/**)",)), "grep", "src") == "deny"


def test_what_always_would_add(project: Path) -> None:
    def always(command: str) -> tuple[str, ...]:
        call = ToolCall(id="c", name="bash", input={"command": command})
        return policy(project).judge(call, (Effect("execute", command),)).always

    assert always("git commit -m 'a b'") == ("bash(git commit *)",)
    assert always("npm run test -- -v && ls") == ("bash(npm run test *)",)
    assert always("python3 -c 'print(1)'") == ()
    assert always("sudo make") == ()
    assert always("rm -rf build") == ()
    assert always("make > out.txt") == ()


def test_what_a_command_may_have(project: Path) -> None:
    def noted(one: Policy, command: str, *, granted: bool) -> Grant:
        call, effects = ToolCall(id="c", name="bash", input={"command": command}), (Effect("execute", command),)
        one.note(effects, one.judge(call, effects), granted=granted)
        return one.granted(command)

    assert noted(policy(project), "git status", granted=False) == Grant(readonly=True)
    assert noted(policy(project), "npm install", granted=True) == Grant(network=True)
    assert noted(policy(project, allow=("bash(npm install *)",)), "npm install", granted=False) == Grant(network=True)
    assert noted(policy(project, allow=("bash",)), "npm install", granted=False) == Grant()
    assert noted(policy(project, "yolo"), "npm install", granted=False) == Grant()
    assert noted(policy(project), "touch /opt/y", granted=True) == Grant(writable=("/opt/y",))
    assert policy(project).granted("something else") == Grant()


@pytest.mark.parametrize(
    "command",
    [
        "make x < /dev/tcp/127.0.0.1/45671",
        "make x < /dev/udp/127.0.0.1/53",
        "make x <&3 3</dev/tcp/127.0.0.1/45671",
        "make x 3<>/dev/tcp/127.0.0.1/45671",
        "make x > /dev/tcp/127.0.0.1/45671",
        "make x < /dev/tcp/$HOST/80",
        "make x < '/dev/tcp/a/80'",
        "x=/dev/tcp/a/80; make x < $x",
        "{ make x; } < /dev/tcp/a/80",
        "for t in README.md /dev/tcp/a/80; do make x < $t; done",
        "bash -c 'make x < /dev/tcp/a/80'",
        "make x && cat < /dev/tcp/a/80",
        "make x --y=$(< /dev/tcp/a/80)",
    ],
)
def test_a_rule_gives_no_connection_that_the_shell_opens(project: Path, command: str) -> None:
    rules = ("bash(make *)", "bash(make * > *)", "bash(bash *)", "bash(cat *)", f"bash({command})")
    call = ToolCall(id="c", name="bash", input={"command": command})
    judged = policy(project, allow=rules).judge(call, (Effect("execute", command),))
    assert (judged.decision, judged.always) == ("ask", ())


def test_a_rule_still_covers_what_the_shell_reads_from_a_file(project: Path) -> None:
    for command in ("make x < README.md", "make x <<< /dev/tcp/a/80", "make x 2>&1"):
        call, effects = ToolCall(id="c", name="bash", input={"command": command}), (Effect("execute", command),)
        judged = policy(project, allow=("bash(make *)",)).judge(call, effects)
        assert (judged.decision, judged.network) == ("allow", False)


def test_what_may_run_side_by_side(project: Path) -> None:
    def together(command: str) -> bool:
        call = ToolCall(id="c", name="bash", input={"command": command})
        return policy(project).side_by_side(call, (Effect("execute", command),))

    assert together("sleep 0.2")
    assert together("git log | head")
    assert not together("cd src && ls")
    assert not together("make")


def test_tools_of_the_callers_own(project: Path) -> None:
    call = ToolCall(id="c", name="deploy", input={})
    effects = (Effect("execute", "deploy"),)
    assert policy(project).judge(call, effects).decision == "ask"
    assert policy(project, free=("deploy",)).judge(call, effects).decision == "allow"
    assert policy(project, "plan", free=("deploy",)).judge(call, effects).decision == "deny"
    assert policy(project, deny=("deploy",), free=("deploy",)).judge(call, effects).decision == "deny"
    assert policy(project, deny=("todo",)).judge(ToolCall(id="c", name="todo", input={}), ()).decision == "deny"


def test_a_tool_in_the_sandbox_asks_as_a_command_does(project: Path) -> None:
    call = ToolCall(id="c", name="run_tests", input={})
    effects = (Effect("execute", "/home/u/run_tests {}"),)

    def judged(mode: str, *, confined: bool = True) -> Decision:
        one = policy(project, mode, confined=confined)
        one.contained = frozenset({"run_tests"})
        return one.judge(call, effects).decision

    assert [judged(mode) for mode in MODES] == ["deny", "ask", "ask", "allow", "allow"]
    assert judged("auto", confined=False) == "ask"
    assert policy(project, "auto").judge(call, effects).decision == "ask", "nothing is known of where it runs"
    reaching = policy(project, "auto")
    reaching.contained = frozenset({"run_tests"})
    assert reaching.judge(call, (Effect("network", "https://a.org/"),)).decision == "ask"


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (Effect("network", "https://a.org/"), "look would reach https://a.org/"),
        (Effect("network", 'look {"query":"x"}'), 'look would use the network: look {"query":"x"}'),
        (Effect("execute", "look {}"), "look would run look {}"),
    ],
)
def test_what_a_tool_would_do_is_said_in_words(effect: Effect, words: str, project: Path) -> None:
    call = ToolCall(id="c", name="look", input={})
    assert policy(project).judge(call, (effect,)).reason == words
    assert policy(project, "plan").judge(call, (effect,)).reason == f"{words}, and in mode plan nothing is changed"


def test_what_was_said_always_to(project: Path) -> None:
    one = policy(project, allow=("bash(make *)",))
    one.allow(("bash(npm test *)", "edit(src/**)"))
    one.allow(("edit(src/**)",))
    assert one.said_always == ("bash(npm test *)", "edit(src/**)")


def test_a_program_that_the_project_brings_along(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "bin").mkdir()
    (project / "bin/git").touch()
    monkeypatch.setenv("PATH", f"{project}/bin:/usr/bin:/bin")
    assert bash(policy(project), "git status") == "ask"
    assert bash(policy(project), "ls | head") == "allow"
    assert bash(policy(project), "git push; rm -rf /") == "deny"
