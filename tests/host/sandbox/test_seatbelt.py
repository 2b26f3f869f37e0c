"""The rules for macOS, read and judged here as the system does: of those that match, the last one counts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ferrule.host.sandbox.profile import Leave, Profile
from ferrule.host.sandbox.seatbelt import Seatbelt, profile_text

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Text(str):
    """A string in quotes, as opposed to a name."""

    __slots__ = ()


def read(text: str) -> list[Any]:
    """Read rules into lists."""
    tokens = list(_tokens(text))
    forms, at = [], 0
    while at < len(tokens):
        form, at = _form(tokens, at)
        forms.append(form)
    return forms


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] in "()":
            yield text[at]
            at += 1
        elif text[at] == '"':
            found, at = [], at + 1
            while text[at] != '"':
                if text[at] == "\\":
                    at += 1
                    found.append(_ESCAPES.get(text[at], text[at]))
                else:
                    found.append(text[at])
                at += 1
            yield Text("".join(found))
            at += 1
        else:
            word = re.match(r'[^\s()"]+', text[at:])
            assert word
            yield word.group()
            at += len(word.group())


def _form(tokens: list[str], at: int) -> tuple[Any, int]:
    if tokens[at] != "(" or isinstance(tokens[at], Text):
        return tokens[at], at + 1
    form, at = [], at + 1
    while tokens[at] != ")" or isinstance(tokens[at], Text):
        part, at = _form(tokens, at)
        form.append(part)
    return form, at + 1


def may(text: str, operation: str, subject: str = "") -> bool:
    """Whether rules allow an operation on a path, a service or a kind of socket."""
    answer = False
    for word, *parts in read(text):
        if word == "version":
            continue
        operations = [part for part in parts if isinstance(part, str)]
        filters = [part for part in parts if isinstance(part, list)]
        named = any(one in {operation, "default"} or _covers(one, operation) for one in operations)
        if named and (not filters or any(_matches(one, subject) for one in filters)):
            answer = word == "allow"
    return answer


def _covers(rule: str, operation: str) -> bool:
    return rule.endswith("*") and operation.startswith(rule[:-1])


def _matches(condition: list[Any], subject: str) -> bool:
    match condition:
        case ["subpath", path]:
            return subject == path or subject.startswith(path.rstrip("/") + "/")
        case ["literal", path] | ["global-name", path]:
            return bool(subject == path)
        case ["regex", expression]:
            return re.search(expression, subject) is not None
        case ["require-all", *conditions]:
            return all(_matches(one, subject) for one in conditions)
        case ["remote", "ip"] | ["local", "ip"]:
            return subject == "ip"
        case ["target", "same-sandbox"]:
            return subject == "own"
        case ["extension", _]:
            return False
    raise AssertionError(condition)


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    for name in ("project/.git/hooks", "project/src", "home/.ssh", "state/private", "state/scratch", "added", "other"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "project/.git/config").touch()
    return Profile(
        root=tmp_path / "project",
        writable=(tmp_path / "project", tmp_path / "added"),
        private=tmp_path / "state/private",
        scratch=tmp_path / "state/scratch",
        state=tmp_path / "state",
        masked=(tmp_path / "home/.ssh", tmp_path / "project/keys"),
    )


@pytest.mark.parametrize(
    ("path", "reads", "writes"),
    [
        ("project", True, True),
        ("project/src/file", True, True),
        ("project/.git/index.lock", True, True),
        ("project/.git/refs/heads/config", True, True),
        ("project/.gitignore", True, True),
        ("project/src/.vscoder", True, True),
        ("added/file", True, True),
        ("state/scratch/file", True, True),
        ("project-evil/file", True, False),
        ("other/file", True, False),
        ("home/file", True, False),
        ("home/.ssh", False, False),
        ("home/.ssh/id", False, False),
        ("home/.sshd", True, False),
        ("project/keys/key", False, False),
        ("state", False, False),
        ("state/else", False, False),
        ("state/private/prelude", True, False),
        ("project/.git/hooks", True, False),
        ("project/.git/hooks/pre-commit", True, False),
        ("project/.git/config", True, False),
        ("project/.git/commondir", True, False),
        ("project/.GIT/Hooks/x", True, False),
        ("project/deep/er/.git/config", True, False),
        ("project/.git/modules/a/b/hooks/x", True, False),
        ("project/.git/worktrees/a/config.worktree", True, False),
        ("project/.gitmodules", True, False),
        ("project/.vscode/tasks.json", True, False),
        ("project/.VSCode/tasks.json", True, False),
        ("project/.ferrule/settings.json", True, False),
        ("project/.mcp.json", True, False),
        ("project/.bashrc", True, False),
        ("added/.idea/x", True, False),
        ("added/.git/hooks/x", True, False),
    ],
)
def test_what_can_be_read_and_written(profile: Profile, path: str, reads: bool, writes: bool) -> None:
    text = profile_text(profile, Leave())
    subject = str(profile.root.parent / path)
    assert (may(text, "file-read-data", subject), may(text, "file-write-data", subject)) == (reads, writes)


def test_the_rest_of_the_machine(profile: Profile) -> None:
    text = profile_text(profile, Leave())
    assert may(text, "file-read-data", "/usr/lib/libSystem.dylib")
    assert may(text, "process-exec", "/bin/bash")
    assert may(text, "file-write-data", "/dev/null")
    assert may(text, "file-ioctl", "/dev/ttys004")
    assert may(text, "signal", "own")
    assert may(text, "mach-lookup", "com.apple.system.opendirectoryd.libinfo")
    refused = (
        ("file-write-data", "/etc/hosts"),
        ("file-write-data", "/dev/disk0"),
        ("file-write-data", "/dev/ttys004"),
        ("signal", "other"),
        ("mach-lookup", "com.apple.SecurityServer"),
        ("mach-lookup", "com.apple.pasteboard.1"),
        ("mach-register", "any"),
        ("appleevent-send", "com.apple.finder"),
        ("job-creation", ""),
        ("system-privilege", ""),
    )
    assert [one for one in refused if may(text, *one)] == []


def test_the_network_only_with_leave(profile: Profile) -> None:
    uses = [
        ("network-outbound", "ip"),
        ("network-inbound", "ip"),
        ("network-bind", "ip"),
        ("network-outbound", "/private/var/run/mDNSResponder"),
        ("network-outbound", "/var/run/docker.sock"),
        ("network-bind", str(profile.root / "socket")),
    ]
    without, within = profile_text(profile, Leave()), profile_text(profile, Leave(network=True))
    assert [may(without, *use) for use in uses] == [False] * 6
    assert [may(within, *use) for use in uses] == [True, True, True, True, False, False]


def test_more_places_for_one_command(profile: Profile) -> None:
    other, file = profile.root.parent / "other", profile.private / "directory-1"
    text = profile_text(profile, Leave(writable=(other, file)))
    assert may(text, "file-write-create", str(other / "new"))
    assert may(text, "file-write-data", str(file))
    assert not may(text, "file-write-data", str(profile.private / "prelude"))
    assert not may(text, "file-write-data", str(other / ".git/hooks/x"))


def test_directories_above_what_is_protected_stay(profile: Profile) -> None:
    (profile.root / "vendor/lib/.git/hooks").mkdir(parents=True)
    for name in ("HEAD", "config"):
        (profile.root / "vendor/lib/.git" / name).touch()
    launch = Seatbelt(profile, home=profile.root.parent / "home").confine(["/bin/sh"], {}, profile.root, Leave())
    assert (launch.argv[:2], launch.argv[3:]) == (("/usr/bin/sandbox-exec", "-p"), ("--", "/bin/sh"))
    text = launch.argv[2]
    for name in (".git", "vendor", "vendor/lib", "vendor/lib/.git", ".git/config", "vendor/lib/.git/hooks"):
        assert not may(text, "file-write-unlink", str(profile.root / name)), name
    for name in ("src", "vendor/lib/file", ".git/index"):
        assert may(text, "file-write-unlink", str(profile.root / name)), name
    assert may(text, "file-write-create", str(profile.root / "vendor/lib/.git/index.lock"))
    assert launch.environment["TMPDIR"] == str(profile.scratch)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", 'a")) (allow default) (("', "a(b)[c]^$.*+?|{2}", "ä ö", "a\\"])
def test_odd_names_are_only_names(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    for path in (root, tmp_path / "private", tmp_path / "scratch", tmp_path / "state"):
        path.mkdir()
    profile = Profile(
        root=root,
        writable=(root,),
        private=tmp_path / "private",
        scratch=tmp_path / "scratch",
        state=tmp_path / "state",
    )
    text = profile_text(profile, Leave())
    plain = profile_text(
        Profile(
            root=tmp_path / "scratch",
            writable=(),
            private=tmp_path / "private",
            scratch=tmp_path / "scratch",
            state=tmp_path / "state",
        ),
        Leave(),
    )
    assert {form[0] for form in read(text)} == {form[0] for form in read(plain)}
    assert [form for form in read(text) if form[:2] == ["allow", "default"]] == []
    assert may(text, "file-write-data", f"{root}/file")
    assert not may(text, "file-write-data", f"{root}/.git/hooks/x")
    assert not may(text, "file-write-data", f"{tmp_path}/file")


def test_links_are_named_by_what_they_lead_to(tmp_path: Path) -> None:
    for name in ("real", "private", "scratch", "state", "secret"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "mask").symlink_to("secret")
    profile = Profile(
        root=tmp_path / "link",
        writable=(tmp_path / "link",),
        private=tmp_path / "private",
        scratch=tmp_path / "scratch",
        state=tmp_path / "state",
        masked=(tmp_path / "mask",),
    )
    text = profile_text(profile, Leave())
    assert may(text, "file-write-data", f"{tmp_path}/real/file")
    assert not may(text, "file-read-data", f"{tmp_path}/secret/key")
