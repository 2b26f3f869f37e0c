"""The user's rules: what they hit, what they cover, and that nothing ever makes a denial weaker."""

import os
import shlex
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.policy.rules import (
    Command,
    File,
    Line,
    Rule,
    Rules,
    Ruling,
    Subject,
    Text,
    command_rule,
    path_rule,
    read_rule,
    rules_of,
)

ROOT, HOME = "/p", "/home/u"


def rules(*, deny: list[str] | None = None, ask: list[str] | None = None, allow: list[str] | None = None) -> Rules:
    deny_, ask_, allow_ = ([read_rule(text) for text in texts or ()] for texts in (deny, ask, allow))
    return Rules(deny=deny_, ask=ask_, allow=allow_, root=ROOT, home=HOME)


def command(text: str, **more: object) -> Command:
    """A command of plain words; `$x` is a word that nobody knows."""
    words = tuple(None if word.startswith("$") else word for word in shlex.split(text))
    return Command(words=words, raw=text, **more)  # type: ignore[arg-type]


def line(*texts: str) -> Line:
    """A line of several commands."""
    return Line(raw="; ".join(texts), commands=tuple(map(command, texts)))


def decision(made: Rules, tool: str, *subjects: Subject) -> str | None:
    ruling = made.decide(tool, subjects)
    return ruling.decision if ruling else None


def is_denied(rule: str, *texts: str) -> bool:
    return decision(rules(deny=[rule]), "bash", line(*texts)) == "deny"


def is_allowed(rule: str, *texts: str) -> bool:
    return decision(rules(allow=[rule]), "bash", line(*texts)) == "allow"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("bash", Rule(text="bash", tool="bash")),
        ("Bash", Rule(text="Bash", tool="bash", foreign=True)),
        ("bash(*)", Rule(text="bash(*)", tool="bash")),
        ("Bash(:*)", Rule(text="Bash(:*)", tool="bash", foreign=True)),
        ("bash(git diff *)", Rule(text="bash(git diff *)", tool="bash", pattern="git diff *")),
        ("edit( src/** )", Rule(text="edit( src/** )", tool="edit", pattern="src/**")),
        ("read(*)", Rule(text="read(*)", tool="read", pattern="*")),
        ("bash(echo (a) b)", Rule(text="bash(echo (a) b)", tool="bash", pattern="echo (a) b")),
        (
            "WebFetch(domain:a.org)",
            Rule(text="WebFetch(domain:a.org)", tool="web_fetch", pattern="domain:a.org", foreign=True),
        ),
        ("MultiEdit", Rule(text="MultiEdit", tool="edit", foreign=True)),
        ("mcp__github__*", Rule(text="mcp__github__*", tool="mcp__github__*")),
        ("bash(rm", Rule(text="bash(rm", tool="bash", pattern="rm", odd=True)),
        ("bash()", Rule(text="bash()", tool="bash", odd=True)),
        ("", Rule(text="", tool="", odd=True)),
        ("(x)", Rule(text="(x)", tool="", pattern="x", odd=True)),
    ],
)
def test_a_rule_is_read(text: str, rule: Rule) -> None:
    assert read_rule(text) == rule


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("bash", "anything at all"),
        ("Bash(*)", "anything at all"),
        ("bash(git diff *)", "git diff"),
        ("bash(git diff *)", "git diff --stat HEAD"),
        ("Bash(git diff:*)", "git diff"),
        ("Bash(git diff:*)", "git diff --stat"),
        ("Bash(npm run test)", "npm run test"),
        ("bash(npm  run\ttest)", "npm run test"),
        ("bash(git*)", "gitk --all"),
        ("bash(git*)", "git push"),
        ("bash(* --version)", "node --version"),
        ("bash(git * main)", "git push origin main"),
        ("bash(git * --stat *)", "git diff --stat"),
        ('bash(git commit -m "fix it")', "git commit -m 'fix it'"),
        ("bash(git commit -m fix\\ it)", "git commit -m 'fix it'"),
        ("bash(echo don't)", 'echo "don\'t"'),
        ("bash(grep '\\.py$' *)", "grep '\\.py$' a"),
        ("bash(echo \\*)", "echo '*'"),
        ("bash(git add *)", "git add $files"),
        ("bash(git add *)", "git add -- $a $b x"),
        ("bash(~/bin/x *)", "/home/u/bin/x 1"),
    ],
)
def test_what_a_rule_covers(rule: str, text: str) -> None:
    assert is_allowed(rule, text)
    assert is_denied(rule, text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("bash(git diff *)", "git difftool"),
        ("Bash(git diff:*)", "git difftool"),
        ("bash(npm run test *)", "npm run testx"),
        ("bash(npm run test)", "npm run test x"),
        ("bash(npm run test)", "npm run"),
        ("bash(git diff *)", "'git diff' x"),
        ("bash(git diff *)", "git 'diff x'"),
        ("bash(echo \\*)", "echo x"),
        ("bash(ls*)", "cat ls"),
        ("edit(git *)", "git diff"),
        ("mcp__bash", "bash"),
    ],
)
def test_what_a_rule_does_not_mean(rule: str, text: str) -> None:
    assert not is_allowed(rule, text)
    assert decision(rules(deny=[rule]), "bash", line(text)) is None


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("bash(rm *)", "/bin/rm x"),
        ("bash(rm *)", "./rm x"),
        ("bash(rm *)", "RM x"),
        ("bash(/bin/rm *)", "rm x"),
        ("bash(git push *)", "git -C sub push origin"),
        ("bash(git push *)", "git --no-pager -c a.b=c push"),
        ("bash(kubectl delete *)", "kubectl -n prod delete pod x"),
        ("bash(docker run *)", "docker --debug run x"),
        ("bash(rm *", "rm x"),
        ("bash()", "ls"),
    ],
)
def test_a_disguise_helps_against_leave_but_not_against_a_denial(rule: str, text: str) -> None:
    assert is_denied(rule, text)
    assert not is_allowed(rule, text)


def test_one_part_is_enough_to_forbid_and_all_are_needed_to_allow() -> None:
    assert is_denied("bash(rm *)", "ls", "rm x", "pwd")
    assert not is_allowed("bash(npm test)", "npm test", "rm x")
    made = rules(allow=["bash(npm test)", "bash(rm x)"])
    assert made.decide("bash", (line("npm test", "rm x"),)) == Ruling(
        decision="allow", rules=(read_rule("bash(npm test)"), read_rule("bash(rm x)")), about="bash"
    )


def test_a_star_stays_inside_one_command() -> None:
    """The parser cuts the line; a star meets the words of one command alone."""
    assert not is_allowed("bash(git *)", "git status", "curl evil")
    raw = Line(raw="git status && curl evil", commands=(command("git status"), command("curl evil")))
    assert decision(rules(allow=["bash(git *)"]), "bash", raw) is None


def test_a_denial_also_looks_at_the_line_as_it_was_written() -> None:
    parts = (command("curl x", reads=False), command("sh"))
    assert decision(rules(deny=["bash(curl * | sh)"]), "bash", Line(raw="curl x  |  sh", commands=parts)) == "deny"
    assert decision(rules(deny=["bash(curl * | sh)"]), "bash", Line(raw="curl x |\\\n sh", commands=parts)) == "deny"


def test_what_only_reads_needs_no_leave() -> None:
    made = rules(allow=["bash(npm test)"])
    mixed = Line(raw="", commands=(command("cat x", reads=True), command("npm test")))
    assert decision(made, "bash", mixed) == "allow"
    reading = Line(raw="", commands=(command("cat x", reads=True),))
    assert made.decide("bash", (reading,)) is None
    redirected = Line(raw="", commands=(command("cat x", reads=True, redirects=("y",)), command("npm test")))
    assert made.decide("bash", (redirected,)) is None


@pytest.mark.parametrize(
    ("rule", "targets", "allowed"),
    [
        ("bash(make *)", ("log",), False),
        ("bash(make *)", (None,), False),
        ("bash", (None,), True),
        ("bash(make > log)", ("log",), True),
        ("bash(make >log)", ("log",), True),
        ("bash(make 2>> log)", ("log",), True),
        ("bash(make &> log)", ("log",), True),
        ("bash(make > log)", ("other",), False),
        ("bash(make > log)", ("log", "/etc/passwd"), False),
        ("bash(make > *)", ("log",), True),
        ("bash(make > log)", (), False),
        ('bash(make ">" log)', ("log",), False),
    ],
)
def test_a_redirect_must_be_named(rule: str, targets: tuple[str | None, ...], allowed: bool) -> None:
    part = command("make", redirects=targets)
    made = rules(allow=[rule]).decide("bash", (Line(raw="make…", commands=(part,)),))
    assert (made is not None) == allowed


@pytest.mark.parametrize(
    ("rule", "decided"),
    [
        ("bash(make)", None),
        ("bash(make *)", None),
        ("bash(make > *)", None),
        ("bash(make < /dev/tcp/a/80)", None),
        ("bash", "allow"),
    ],
)
def test_no_pattern_covers_a_redirect_that_reaches_the_network(rule: str, decided: str | None) -> None:
    for targets in ((), ("/dev/tcp/a/80",)):
        part = command("make", redirects=targets, connects=True)
        line = Line(raw="make < /dev/tcp/a/80", commands=(part,))
        assert decision(rules(allow=[rule]), "bash", line) == decided


def test_a_denial_may_be_about_a_redirect() -> None:
    made = rules(deny=["bash(* > /etc/*)"])
    for targets, expected in ((("/etc/passwd",), "deny"), (("x", "/etc/a"), "deny"), (("x",), None), ((), None)):
        part = command("echo a", redirects=targets)
        assert decision(made, "bash", Line(raw="echo", commands=(part,))) == expected


def test_an_assignment_must_be_named() -> None:
    part = command("make", variables=("PATH=/tmp",))
    subject = Line(raw="PATH=/tmp make", commands=(part,))
    assert decision(rules(allow=["bash(make)"]), "bash", subject) is None
    assert decision(rules(allow=["bash(PATH=/tmp make)"]), "bash", subject) == "allow"
    assert decision(rules(deny=["bash(make)"]), "bash", subject) == "deny"
    assert decision(rules(deny=["bash(PATH=* *)"]), "bash", subject) == "deny"


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("bash(git push *)", "git $x", "ask"),
        ("bash(git push *)", "$x push", "ask"),
        ("bash(git push *)", "git log $x", None),
        ("bash(git push)", "git $a push $b", "ask"),
        ("bash(rm -rf *)", "rm $x", "ask"),
        ("bash(rm -rf *)", "ls $x", None),
        ("bash(* --force)", "git push $x", "ask"),
        ("bash(* --force)", "git $x origin", None),
        ("bash(git *)", "git $x", "deny"),
    ],
)
def test_what_might_be_forbidden_asks(rule: str, text: str, expected: str | None) -> None:
    made = rules(deny=[rule], allow=["bash"]).decide("bash", (line(text),))
    assert made is not None
    assert made.decision == (expected or "allow")
    assert made.certain == (expected != "ask")


def test_a_glob_of_the_shell_may_become_anything() -> None:
    part = Command(words=("rm", "*.py"), expands=(1,))
    subject = Line(raw="rm *.py", commands=(part,))
    assert decision(rules(deny=["bash(rm -rf*)"], allow=["bash"]), "bash", subject) == "ask"
    assert decision(rules(allow=["bash(rm *.py)"]), "bash", subject) == "allow"


def test_an_unknown_word_is_covered_by_nothing_but_a_star() -> None:
    assert not is_allowed("bash(git add x)", "git add $x")
    assert not is_allowed("bash(git*push)", "git $x")
    assert not is_allowed("bash(git push)", "$git push")


def test_what_could_not_be_understood_is_covered_by_the_bare_tool_or_the_same_line() -> None:
    odd = Line(raw="git diff ${x@P}", commands=(command("git diff x"),), opaque=True)
    assert decision(rules(allow=["bash(git *)"]), "bash", odd) is None
    assert decision(rules(allow=["bash"]), "bash", odd) == "allow"
    assert decision(rules(allow=["bash(git diff ${x@P})"]), "bash", odd) == "allow"
    assert decision(rules(deny=["bash(curl *)"], allow=["bash"]), "bash", odd) == "ask"
    assert decision(rules(ask=["bash(curl *)"], allow=["bash"]), "bash", odd) == "ask"


def test_the_same_line_word_for_word_is_covered() -> None:
    subject = Line(raw="cd x && timeout 9 make $y", commands=(command("cd x"), command("make $y")))
    assert decision(rules(allow=["bash(cd x && timeout 9 make $y)"]), "bash", subject) == "allow"
    assert decision(rules(allow=["bash(cd x && timeout 9 make *)"]), "bash", subject) is None


def file(path: str, resolved: str = "") -> File:
    return File(path, resolved or path)


@pytest.mark.parametrize(
    ("rule", "path", "allowed", "denied"),
    [
        ("edit(src/**)", "/p/src/a.py", True, True),
        ("edit(src/**)", "/p/src/deep/er/a.py", True, True),
        ("edit(src/**)", "/p/src", True, True),
        ("edit(src/**)", "/p/srcs/a", False, False),
        ("edit(src/**)", "/q/src/a", False, False),
        ("edit(src/**)", "/p/x/src/a", False, False),
        ("edit(src/**)", "/p/SRC/a", False, True),
        ("edit(src/*)", "/p/src/a", True, True),
        ("edit(src/*)", "/p/src/deep/a", False, True),
        ("edit(src)", "/p/src/deep/a", True, True),
        ("edit(src/)", "/p/src/deep/a", True, True),
        ("edit(./src)", "/p/src/a", True, True),
        ("edit(./a.md)", "/p/x/a.md", False, False),
        ("edit(*.md)", "/p/a.md", True, True),
        ("edit(*.md)", "/p/docs/a.md", True, True),
        ("edit(*.md)", "/q/a.md", False, True),
        ("edit(*.md)", "/p/a.md/evil.py", False, True),
        ("edit(**/a/*.py)", "/p/x/a/b.py", True, True),
        ("edit(**/a/*.py)", "/q/x/a/b.py", False, True),
        ("edit(src/**/test_*.py)", "/p/src/test_a.py", True, True),
        ("edit(src/**/test_*.py)", "/p/src/a/b/test_a.py", True, True),
        ("edit(a?c)", "/p/abc", True, True),
        ("edit(a?c)", "/p/ac", False, False),
        ("edit(*.{js,ts})", "/p/x/a.ts", True, True),
        ("edit(*.{js,ts})", "/p/x/a.py", False, False),
        ("edit(x{a,{b,c}}y)", "/p/xcy", True, True),
        ("edit(app/[id]/x)", "/p/app/[id]/x", True, True),
        ("edit(app/[id]/x)", "/p/app/i/x", False, True),
        ("edit(log[!0-9])", "/p/loga", False, True),
        ("edit(log[!0-9])", "/p/log5", False, False),
        ("edit(~/notes/**)", "/home/u/notes/a", True, True),
        ("edit(~/notes/**)", "/p/~/notes/a", False, False),
        ("edit(/etc/**)", "/etc/a", True, True),
        ("edit(/etc/**)", "/p/etc/a", False, False),
        ("edit(//etc/**)", "/etc/a", True, True),
        ("Edit(/src/**)", "/p/src/a", True, True),
        ("Edit(/src/**)", "/src/a", False, True),
        ("Edit(//src/**)", "/src/a", True, True),
        ("edit(../other/**)", "/other/a", True, True),
        ("edit(**)", "/p/any/thing", True, True),
        ("edit(**)", "/any/thing", False, True),
        ("edit(*)", "/p/any/thing", True, True),
        ("edit", "/any/thing", True, True),
        ("edit(\\*)", "/p/*", True, True),
        ("edit(\\*)", "/p/a", False, False),
        ("edit(café)", "/p/cafe\u0301", False, True),
    ],
)
def test_patterns_of_paths(rule: str, path: str, allowed: bool, denied: bool) -> None:
    assert decision(rules(allow=[rule]), "edit", file(path)) == ("allow" if allowed else None)
    assert decision(rules(deny=[rule]), "edit", file(path)) == ("deny" if denied else None)


def test_the_path_asked_for_and_the_path_it_leads_to_both_count() -> None:
    out, into = file("/p/src/a", "/etc/a"), file("/p/a", "/p/src/a")
    for one in (out, into):
        assert decision(rules(allow=["edit(src/**)"]), "edit", one) is None
        assert decision(rules(deny=["edit(src/**)"]), "edit", one) == "deny"
        assert decision(rules(ask=["edit(src/**)"], allow=["edit"]), "edit", one) == "ask"


def test_a_detour_in_a_path_gains_nothing() -> None:
    assert decision(rules(allow=["edit(src/**)"]), "edit", file("/p/src/../x")) is None
    assert decision(rules(deny=["edit(src/**)"]), "edit", file("/p/x/../src/a")) == "deny"
    assert decision(rules(allow=["edit(src/**)"]), "edit", file("src/a")) is None


@pytest.mark.parametrize(
    ("rule", "tool", "allowed", "denied"),
    [
        ("edit(x)", "write", True, True),
        ("write(x)", "edit", False, True),
        ("Write(x)", "write", True, True),
        ("MultiEdit(x)", "edit", True, True),
        ("read(x)", "grep", True, True),
        ("read(x)", "glob", True, True),
        ("read(x)", "ls", True, True),
        ("read(x)", "edit", False, True),
        ("read(x)", "write", False, False),
        ("grep(x)", "read", False, False),
        ("*(x)", "read", True, True),
    ],
)
def test_a_rule_means_all_tools_of_its_kind(rule: str, tool: str, allowed: bool, denied: bool) -> None:
    assert decision(rules(allow=[rule]), tool, file("/p/x")) == ("allow" if allowed else None)
    assert decision(rules(deny=[rule]), tool, file("/p/x")) == ("deny" if denied else None)


def test_what_may_not_be_read_is_hidden_from_a_search_above_it() -> None:
    made = rules(deny=["read(secrets/**)", "bash(rm *)", "edit(locked)"])
    assert [made.hides(path) for path in ("/p/secrets/a", "/p/src/a", "/p/locked")] == [True, False, False]


def test_links_in_a_pattern_that_forbids_are_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    made = Rules(deny=[read_rule(f"read({link}/**)")], root=ROOT, home=HOME)
    assert decision(made, "read", file(f"{real}/a")) == "deny"


def test_links_of_the_project_get_no_leave_for_what_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "x").symlink_to(tmp_path / "secret")
    project = str(tmp_path / "project")
    made = Rules(allow=[read_rule("edit(x/**)"), read_rule(f"edit({project}/x/**)")], root=project, home=HOME)
    assert decision(made, "edit", file(f"{project}/x/a", f"{tmp_path}/secret/a")) is None
    assert decision(made, "edit", file(f"{tmp_path}/secret/a")) is None


def test_a_project_reached_through_a_link_is_the_same_project(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    made = Rules(allow=[read_rule("edit(src/**)")], root=str(tmp_path / "link"), home=HOME)
    real = os.path.realpath(tmp_path / "real")
    assert decision(made, "edit", file(f"{tmp_path}/link/src/a", f"{real}/src/a")) == "allow"
    assert decision(made, "edit", file(f"{real}/src/a")) == "allow"


@pytest.mark.parametrize(
    ("rule", "tool", "expected"),
    [
        ("mcp__github__*", "mcp__github__get", "allow"),
        ("mcp__github", "mcp__github__get", "allow"),
        ("mcp__github__get", "mcp__github__get", "allow"),
        ("MCP__GitHub__*", "mcp__github__get", "allow"),
        ("mcp__git", "mcp__github__get", None),
        ("mcp__github__put", "mcp__github__get", None),
        ("*", "mcp__github__get", "allow"),
        ("TodoWrite", "todo", "allow"),
    ],
)
def test_names_of_tools(rule: str, tool: str, expected: str | None) -> None:
    assert decision(rules(allow=[rule]), tool) == expected


@pytest.mark.parametrize(
    ("rule", "address", "allowed", "denied"),
    [
        ("WebFetch(domain:a.org)", "https://a.org/x?y#z", True, "deny"),
        ("WebFetch(domain:a.org)", "HTTPS://A.org:8443", True, "deny"),
        ("WebFetch(domain:a.org)", "https://b.a.org/", False, "deny"),
        ("WebFetch(domain:*.a.org)", "https://b.a.org/", True, "deny"),
        ("WebFetch(domain:*.a.org)", "https://a.org/", False, "deny"),
        ("WebFetch(domain:a.org)", "https://nota.org/", False, None),
        ("WebFetch(domain:a.org)", "https://a.org.evil.net/", False, None),
        ("WebFetch(domain:a.org)", "https://evil.net/a.org", False, None),
        ("WebFetch(domain:a.org)", "https://a.org@evil.net/", False, "ask"),
        ("WebFetch(domain:a.org)", "https://evil.net\\@a.org/", False, "ask"),
        ("WebFetch(domain:a.org)", "https://а.org/", False, "ask"),
        ("WebFetch(domain:a.org)", "https://a.org\n.evil.net/", False, "ask"),
        ("web_fetch(https://a.org/docs/*)", "https://a.org/docs/x", True, "deny"),
        ("web_fetch(https://a.org/docs/*)", "https://a.org/x", False, None),
        ("web_fetch(https://*.a.org/*)", "https://b.a.org/x", True, "deny"),
        ("web_fetch(https://*.a.org/*)", "https://evil.net/.a.org/x", False, "deny"),
        ("web_fetch(https://a.org*)", "https://a.org.evil.net/", False, "deny"),
        ("web_fetch(https://*/docs)", "https://b.org/docs", True, "deny"),
        ("WebFetch(domain:a.org*)", "https://a.org.evil.net/", False, "deny"),
        ("WebFetch(domain:*a.org)", "https://evila.org/", False, "deny"),
        ("WebFetch(domain:*)", "https://any.org/", True, "deny"),
        ("web_search(*cats*)", "dogs", False, None),
    ],
)
def test_addresses(rule: str, address: str, allowed: bool, denied: str | None) -> None:
    assert decision(rules(allow=[rule]), "web_fetch", Text(address)) == ("allow" if allowed else None)
    assert decision(rules(deny=[rule]), "web_fetch", Text(address)) == denied


def test_a_ruling_says_which_rule_and_where_it_stands() -> None:
    denials = rules_of(["bash(rm *)"], {"bash(rm *)": "/etc/ferrule/config.json:3"})
    made = Rules(deny=denials, root=ROOT, home=HOME).with_allowed(["bash(npm test *)", "bash(make)"], "this session")
    ruling = made.decide("bash", (line("ls", "rm -r x"),))
    assert ruling is not None
    assert (ruling.rule, ruling.origin, ruling.about) == ("bash(rm *)", "/etc/ferrule/config.json:3", "rm -r x")
    assert ruling.reason == "the rule bash(rm *) (/etc/ferrule/config.json:3) forbids rm -r x"
    ruling = made.decide("bash", (line("npm test", "make"),))
    assert ruling is not None
    assert ruling.reason == "the rules bash(npm test *), bash(make) (this session) allow bash"
    doubt = made.decide("bash", (line("$x"),))
    assert doubt is not None
    assert doubt.reason == "the rule bash(rm *) (/etc/ferrule/config.json:3) may forbid $x"


def test_nothing_said_is_nothing_decided() -> None:
    assert rules().decide("bash", (line("ls"),)) is None
    assert rules(allow=["bash(ls)"]).decide("bash") is None
    assert rules(allow=["bash(rm", "bash()", ""]).decide("bash", (line("rm"),)) is None


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\x01\x02\x1f"), max_size=6)


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=4).map(tuple), st.lists(words, max_size=2), st.booleans())
def test_a_rule_made_for_words_covers_them_and_nothing_else(
    said: tuple[str, ...], others: list[str], more: bool
) -> None:
    made = rules(allow=[command_rule(said, more=more)])
    subject = Line(raw="x", commands=(Command(words=said),))
    assert decision(made, "bash", subject) == "allow"
    longer = Line(raw="x", commands=(Command(words=(*said, *others)),))
    assert (decision(made, "bash", longer) == "allow") == (more or not others)


def test_a_rule_made_for_a_path_covers_it() -> None:
    for path, below in (("/p/a/b c", False), ("/p/x{a,b}/[q]*?\\", False), ("/etc/x", False), ("/p/d", True)):
        rule = path_rule("edit", path, root=ROOT, below=below)
        assert decision(rules(allow=[rule]), "edit", file(f"{path}/in" if below else path)) == "allow"
        assert decision(rules(allow=[rule]), "edit", file(path + "x")) is None
    assert path_rule("edit", "/p/a", root=ROOT, below=False) == "edit(./a)"
    assert path_rule("read", "/q/a", root=ROOT, below=True) == "read(/q/a/**)"


some_rules = st.lists(
    st.sampled_from(
        [
            "bash", "Bash", "bash(*)", "bash(git *)", "bash(git push *)", "bash(* x)", "bash(rm", "bash(rm:*)", "edit",
            "edit(src/**)", "edit(*)", "write(a)", "read(a)", "Read(//p/**)", "*", "mcp__a", "mcp__a__*", "web_fetch",
            "WebFetch(domain:a.org)", "bash(git push > x)", "", "(", "bash)", "bash((((", "edit([)", "edit({a,b}{)",
        ]
    )
    | st.text(max_size=12),
    max_size=5,
)  # fmt: skip
some_word = st.sampled_from(["git", "push", "rm", "x", "-rf", "/bin/rm", "", None])
some_command = st.builds(
    Command,
    words=st.lists(some_word, max_size=4).map(tuple),
    reads=st.booleans(),
    redirects=st.lists(st.sampled_from(["x", None]), max_size=1).map(tuple),
    variables=st.lists(st.sampled_from(["A=b", None]), max_size=1).map(tuple),
)
some_line = st.builds(
    Line,
    raw=st.sampled_from(["git push", "rm x; git push", "", "x"]),
    commands=st.lists(some_command, max_size=3).map(tuple),
    opaque=st.booleans(),
)
some_path = st.sampled_from(["/p/src/a", "/p/a", "/etc/x", "a", "", "/p/../x", "/p/\udcff", "/p/" + "a" * 9000])
some_call = st.one_of(
    st.tuples(st.just("bash"), st.tuples(some_line)),
    st.tuples(st.sampled_from(["edit", "write", "read", "grep"]), st.tuples(st.builds(File, some_path, some_path))),
    st.tuples(st.sampled_from(["web_fetch", "mcp__a__b"]), st.tuples(st.builds(Text, st.text()))),
    st.tuples(st.sampled_from(["bash", "todo", ""]), st.just(())),
)  # fmt: skip
Lists = tuple[list[str], list[str], list[str]]
Call = tuple[str, tuple[Subject, ...]]
WEIGHT = {"deny": 2, "ask": 1, "allow": -1}


def weight(lists: Lists, call: Call) -> int:
    deny, ask, allow = lists
    ruling = rules(deny=deny, ask=ask, allow=allow).decide(*call)
    return WEIGHT[ruling.decision] if ruling else 0


@given(st.tuples(some_rules, some_rules, some_rules), some_rules, st.randoms(use_true_random=False), some_call)
def test_no_rule_and_no_order_ever_weakens_a_denial(lists: Lists, more: list[str], random: Random, call: Call) -> None:
    deny, ask, allow = lists
    before = weight(lists, call)
    assert weight(([*deny, *more], ask, allow), call) >= before
    assert weight((deny, [*ask, *more], allow), call) >= before
    assert weight((deny, ask, [*allow, *more]), call) in ({before} if before > 0 else {0, -1})
    assert weight((random.sample(deny, len(deny)), random.sample(ask, len(ask)), allow[::-1]), call) == before
    if weight((deny, [], []), call) == WEIGHT["deny"]:
        assert before == WEIGHT["deny"]


def test_no_pattern_takes_long() -> None:
    long = Line(raw="a" * 100_000, commands=(Command(words=("a" * 100_000,)),))
    path = "/p/" + "a" * 250 + "/" + "a/" * 400 + "b"
    began = time.process_time()
    for pattern in (
        "*a" * 900 + "b",
        "a*" * 900,
        "*" * 1900,
        "'" * 1900,
        "\\" * 1901,
        " " * 900 + "a",
        "a:" * 900 + ":*",
    ):
        rules(deny=[f"bash({pattern})"], allow=[f"bash({pattern})"]).decide("bash", (long, line("a $x" * 50)))
    for pattern in ("**/a*" * 30, "*a" * 900, "{a,b}" * 300, "**/" * 600 + "x", "[a-z]*" * 300, "{" * 1900, "[" * 1900):
        rules(deny=[f"edit({pattern})"], allow=[f"edit({pattern})"]).decide("edit", (file(path),))
    assert time.process_time() - began < 10
