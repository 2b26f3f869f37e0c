"""What a run changed is committed, and nothing of the user's: with real repositories of every kind."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrule.core.errors import SessionError
from ferrule.core.events import Notice
from tests.extend.repositories import Work

LINES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture(autouse=True)
def own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user of their own, whom no setting of this machine reaches."""
    settings = tmp_path / "gitconfig"
    settings.write_text('[user]\n\tname = Ada\n\temail = ada@example.org\n[protocol "file"]\n\tallow = always\n')
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("EMAIL", raising=False)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    work = Work(tmp_path)
    work.begin(a_txt=LINES, b_txt="b\n")
    return work


def edit(work: Work, name: str, old: str, new: str) -> Callable[[], object]:
    return lambda: work.write(name, (work.project / name).read_text().replace(old, new))


def left_out(notice: Notice | None) -> str:
    assert notice is not None
    assert notice.level == "warning"
    return notice.text


async def test_what_a_run_did_is_one_commit(work: Work) -> None:
    (work.top / "gone.txt").write_text("x\n")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "second")

    notice = await work.run(
        edit(work, "a.txt", "line 1\n", "LINE 1\n"),
        lambda: work.write("sub/new.txt", "new\n"),
        (work.top / "gone.txt").unlink,
        request="Make line 1 large, please",
    )

    head = work.git("rev-parse", "HEAD").strip()
    assert notice == Notice(text=f"Committed 3 files as {head[:8]}: Make line 1 large, please.", level="info")
    assert work.git("log", "-1", "--format=%an <%ae> %cn <%ce>") == "Ada <ada@example.org> Ada <ada@example.org>\n"
    assert work.committed() == {"a.txt": "M", "gone.txt": "D", "sub/new.txt": "A"}
    assert work.subjects == ["Make line 1 large, please", "second", "first"]
    assert work.status == []
    assert work.git("reflog", "-1", "--format=%gs") == "commit: Make line 1 large, please\n"


async def test_the_users_changes_stay_theirs(work: Work) -> None:
    edit(work, "a.txt", "line 20\n", "mine\n")()
    edit(work, "b.txt", "b", "mine")()
    work.write("untracked.txt", "mine\n")
    work.write("staged.txt", "mine\n")
    work.git("add", "staged.txt")

    notice = await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))

    assert notice is not None
    assert notice.level == "info"
    assert work.committed() == {"a.txt": "M"}
    assert work.at_head("a.txt") == LINES.replace("line 1\n", "LINE 1\n", 1)
    assert work.status == [" M a.txt", " M b.txt", "A  staged.txt", "?? untracked.txt"]
    assert "-line 20\n+mine\n" in work.git("diff", "a.txt")
    assert "LINE 1\n" in (work.project / "a.txt").read_text()


async def test_staged_changes_stay_staged_and_only_they_do(work: Work) -> None:
    edit(work, "a.txt", "line 20\n", "mine\n")()
    work.git("add", "a.txt")
    before = work.git("diff", "--cached", "--", "a.txt").splitlines()[5:]

    await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))

    assert work.at_head("a.txt") == LINES.replace("line 1\n", "LINE 1\n", 1)
    assert work.status == ["M  a.txt"]
    assert work.git("diff", "--cached", "--", "a.txt").splitlines()[5:] == before


async def test_what_cannot_be_told_apart_is_left_out_and_said(work: Work) -> None:
    edit(work, "a.txt", "line 1\n", "my line\n")()
    work.write("own.txt", "mine\n")
    edit(work, "b.txt", "b", "mine")()
    notice = await work.run(
        edit(work, "a.txt", "my line\n", "MY LINE\n"),
        edit(work, "own.txt", "mine", "ours"),
        (work.project / "b.txt").unlink,
    )
    assert left_out(notice) == (
        "Nothing was committed. Left out: a.txt (you had changed the same lines), own.txt (it was there before and is "
        "in no commit), b.txt (it had changes of yours)."
    )
    assert work.subjects == ["first"]
    assert work.status == [" M a.txt", " D b.txt", "?? own.txt"]


async def test_staged_changes_of_the_same_lines_leave_the_file_out(work: Work) -> None:
    edit(work, "a.txt", "line 1\n", "staged\n")()
    work.git("add", "a.txt")
    edit(work, "a.txt", "staged\n", "line 1\n")()
    notice = await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"), lambda: work.write("c.txt", "c\n"))
    assert "Left out: a.txt (you had staged changes of it)." in left_out(notice)
    assert work.committed() == {"c.txt": "A"}
    assert work.status == ["MM a.txt"]


async def test_what_the_user_does_between_two_steps_is_not_the_agents(work: Work) -> None:
    notice = await work.run(
        edit(work, "a.txt", "line 1\n", "LINE 1\n"),
        edit(work, "a.txt", "line 20\n", "LINE 20\n"),
        between=edit(work, "a.txt", "line 10\n", "mine\n"),
    )
    assert notice is not None
    assert notice.level == "info"
    assert work.at_head("a.txt") == LINES.replace("line 1\n", "LINE 1\n", 1).replace("line 20", "LINE 20")
    assert work.status == [" M a.txt"]


async def test_what_git_itself_did_in_the_run_needs_no_commit(work: Work) -> None:
    def commit_alone() -> None:
        edit(work, "a.txt", "line 1\n", "LINE 1\n")()
        work.git("commit", "-q", "-a", "-m", "by the agent itself")

    assert await work.run(commit_alone) is None
    assert work.subjects == ["by the agent itself", "first"]
    assert await work.run(lambda: work.git("checkout", "-q", "-b", "other", "HEAD~1")) is None
    assert (work.subjects, work.status) == (["first"], [])


async def test_modes_links_and_other_kinds_of_files(work: Work) -> None:
    def change() -> None:
        (work.project / "b.txt").chmod(0o755)
        (work.project / "link").symlink_to("a.txt")
        work.write("run.sh", "#!/bin/sh\n").chmod(0o700)
        work.write("closed.txt", "c\n").chmod(0o600)

    await work.run(change)
    rows = work.git("ls-tree", "HEAD").splitlines()
    assert {row.split("\t")[1]: row.split(" ")[0] for row in rows} == {
        "a.txt": "100644",
        "b.txt": "100755",
        "closed.txt": "100644",
        "link": "120000",
        "run.sh": "100755",
    }
    assert (work.at_head("link"), work.status) == ("a.txt", [])

    def swap() -> None:
        (work.project / "link").unlink()
        work.write("link/inside.txt", "i\n")
        (work.project / "b.txt").rename(work.project / "moved.txt")

    await work.run(swap)
    assert work.committed() == {"b.txt": "D", "link": "D", "link/inside.txt": "A", "moved.txt": "A"}
    assert work.status == []


async def test_where_git_does_not_go_by_modes(work: Work) -> None:
    work.git("update-index", "--chmod=+x", "b.txt")
    work.git("commit", "-q", "-m", "second")
    work.git("config", "core.fileMode", "false")
    await work.run(edit(work, "b.txt", "b", "B"), lambda: work.write("new.sh", "x\n").chmod(0o755))
    assert [row.split(" ")[0] for row in work.git("ls-tree", "HEAD", "b.txt", "new.sh").splitlines()] == [
        "100755",
        "100644",
    ]
    await work.run((work.project / "b.txt").unlink)
    assert (work.committed(), work.status) == ({"b.txt": "D"}, [])


NAMES = [b"caf\xc3\xa9", b"\xff\xfe.txt", b"two words", b":(top)x", b"*.py", b"new\nline", b"tab\there", b"-rf", b'"q"']


async def test_names_of_any_bytes(work: Work) -> None:
    names = [os.fsdecode(name) for name in NAMES]
    await work.run(lambda: [work.write(name, "x\n") for name in names])
    assert work.committed() == dict.fromkeys(names, "A")
    await work.run(lambda: [work.write(name, "y\n") for name in names])
    assert work.committed() == dict.fromkeys(names, "M")
    assert work.status == []


async def test_what_is_ignored_is_not_committed_unless_it_always_was(work: Work) -> None:
    work.write("kept.log", "k\n")
    work.git("add", "-A")
    work.write(".gitignore", "*.log\nsecret/\n")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "second")
    notice = await work.run(
        lambda: work.write("new.log", "n\n"),
        lambda: work.write("secret/key", "k\n"),
        lambda: work.write("kept.log", "K\n"),
    )
    assert notice is not None
    assert notice.level == "info"
    assert work.committed() == {"kept.log": "M"}
    assert await work.run(lambda: work.write("new.log", "more\n")) is None


async def test_line_ends_are_kept_as_the_user_has_set_it(work: Work) -> None:
    work.write("windows.txt", "one\r\ntwo\r\n")
    work.git("add", "-A")
    work.git("commit", "-q", "-m", "second")
    work.write(
        ".gitattributes", "*.enc working-tree-encoding=UTF-16LE\n*.id ident\n*.unix text eol=crlf\n*.bin -text\n"
    )
    work.git("config", "core.autocrlf", "true")
    work.git("add", ".gitattributes")
    work.git("commit", "-q", "-m", "third")

    def change() -> None:
        work.write("windows.txt", "one\r\nTWO\r\n")
        work.write("new.txt", "a\r\nb\r\n")
        work.write("x.enc", "wide\n".encode("utf-16-le"))
        work.write("x.id", "$Id: 1234 $\n")
        work.write("x.unix", "u\r\n")
        work.write("x.bin", "b\r\n")
        work.write("a.txt", LINES.replace("\n", "\r\n").replace("line 1\r", "LINE 1\r", 1))

    notice = await work.run(change)
    assert notice is not None
    assert notice.level == "info"
    names = ("windows.txt", "new.txt", "x.enc", "x.id", "x.unix", "x.bin", "a.txt")
    assert [work.at_head(name) for name in names] == [
        "one\r\nTWO\r\n",
        "a\nb\n",
        "wide\n",
        "$Id$\n",
        "u\n",
        "b\r\n",
        LINES.replace("line 1\n", "LINE 1\n", 1),
    ]
    assert work.status == []


async def test_the_agents_part_of_a_file_with_other_line_ends(work: Work) -> None:
    work.git("config", "core.autocrlf", "true")
    work.write("a.txt", LINES.replace("\n", "\r\n").replace("line 20", "mine"))
    await work.run(lambda: work.write("a.txt", (work.project / "a.txt").read_bytes().replace(b"line 1\r", b"LINE 1\r")))
    assert work.at_head("a.txt") == LINES.replace("line 1\n", "LINE 1\n", 1)
    assert work.status == [" M a.txt"]


@pytest.mark.parametrize("may_sign", [False, True], ids=["", "trusted"])
async def test_nothing_that_the_repository_names_is_run(may_sign: bool, tmp_path: Path) -> None:
    work = Work(tmp_path, may_sign=may_sign)
    work.begin(a_txt=LINES)
    canary = tmp_path / "canary"
    script = work.top / ".git" / "evil"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >>{canary}\ncat\nexit 0\n')
    script.chmod(0o755)
    (work.top / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("pre-commit", "commit-msg", "post-commit", "post-index-change", "reference-transaction"):
        (work.top / ".git" / "hooks" / hook).symlink_to(script)
    work.write(".gitattributes", "*.dat filter=evil\n*.crypt filter=evil ident\na.txt diff=evil merge=evil\n")
    for key in (
        *("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command"),
        *("merge.evil.driver", "core.sshCommand", "core.editor", "core.pager", "core.alternateRefsCommand"),
    ):
        work.git("config", key, str(script))
    work.git("config", "filter.evil.required", "true")

    notice = await work.run(
        edit(work, "a.txt", "line 1\n", "LINE 1\r\n"),
        lambda: work.write("x.dat", "secret\r\n"),
        lambda: work.write("x.crypt", "$Id: x $\r\n"),
    )

    why = "the filter evil is a program, and none is run"
    assert f"Left out: x.dat ({why}), x.crypt ({why})." in left_out(notice)
    assert not canary.exists()
    assert work.git("-c", "core.fsmonitor=false", "show", "--format=", "--name-only").splitlines() == ["a.txt"]


@pytest.mark.parametrize("may_sign", [False, True], ids=["", "trusted"])
async def test_a_commit_is_signed_only_where_the_project_is_trusted(may_sign: bool, tmp_path: Path) -> None:
    work = Work(tmp_path, may_sign=may_sign)
    work.begin(a_txt=LINES)
    signer = tmp_path / "gpg"
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho SIGNATURE\n")
    signer.chmod(0o755)
    work.git("config", "gpg.program", str(signer))
    work.git("config", "commit.gpgSign", "true")
    notice = await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert notice is not None
    assert ("It is not signed, since the project is not trusted." in notice.text) == (not may_sign)
    assert ("gpgsig SIGNATURE\n" in work.git("cat-file", "commit", "HEAD")) == may_sign


async def test_a_signature_that_fails_commits_nothing(tmp_path: Path) -> None:
    work = Work(tmp_path, may_sign=True)
    work.begin(a_txt=LINES)
    work.git("config", "gpg.program", "/bin/false")
    work.git("config", "commit.gpgSign", "true")
    with pytest.raises(SessionError, match="git commit-tree failed: error: gpg failed to sign the data"):
        await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert (work.subjects, work.status) == (["first"], [" M a.txt"])
    assert not (work.top / ".git" / "index.lock").exists()


async def test_a_head_without_a_branch(work: Work) -> None:
    work.git("checkout", "-q", "--detach")
    await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert work.subjects == ["Do it", "first"]
    assert work.git("log", "--format=%s", "main") == "first\n"
    assert work.git("status", "--short", "--branch") == "## HEAD (no branch)\n"


@pytest.mark.parametrize("format", ["sha1", "sha256"])
async def test_a_branch_without_a_commit(format: str, tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.git("init", "-q", "-b", "main", f"--object-format={format}")
    work.write("mine.txt", "mine\n")
    await work.run(lambda: work.write("new.txt", "new\n"))
    assert work.subjects == ["Do it"]
    assert (work.committed(), work.status) == ({"new.txt": "A"}, ["?? mine.txt"])
    await work.run(edit(work, "new.txt", "new", "newer"), lambda: (work.project / "new.txt").chmod(0o755))
    await work.run((work.project / "new.txt").unlink)
    assert (work.committed(), work.status) == ({"new.txt": "D"}, ["?? mine.txt"])
    assert work.git("reflog", "--format=%gs").splitlines()[-1] == "commit (initial): Do it"


def merging(work: Work) -> None:
    work.git("merge", "-q", "--no-commit", "--no-ff", "other")


def rebasing(work: Work) -> None:
    subprocess.run(["git", "rebase", "-q", "--exec", "false", "HEAD~1"], cwd=work.top, capture_output=True)


def bisecting(work: Work) -> None:
    work.git("bisect", "start")


@pytest.mark.parametrize(
    ("begin", "what"), [(merging, "a merge"), (rebasing, "a rebase"), (bisecting, "a bisection")], ids=lambda one: ""
)
async def test_nothing_is_committed_in_the_middle_of_something(
    begin: Callable[[Work], None], what: str, work: Work
) -> None:
    for branch, name in (("other", "o.txt"), ("main", "m.txt")):
        work.git("checkout", "-q", "-B", branch, "main" if branch == "main" else "HEAD")
        work.write(name, "x\n")
        work.git("add", "-A")
        work.git("commit", "-q", "-m", branch)
    begin(work)
    before = (work.git("rev-parse", "HEAD"), work.git("ls-files", "-s"))
    notice = await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert notice == Notice(text=f"Nothing was committed: {what} is under way.")
    assert await work.run(edit(work, "a.txt", "line 2\n", "LINE 2\n")) is None, "it is said once"
    assert (work.git("rev-parse", "HEAD"), work.git("ls-files", "-s")) == before


async def test_conflicts_that_are_not_resolved_stay(work: Work) -> None:
    edit(work, "a.txt", "line 1\n", "stashed\n")()
    work.git("stash", "-q")
    edit(work, "a.txt", "line 1\n", "other\n")()
    work.git("commit", "-q", "-a", "-m", "second")
    subprocess.run(["git", "stash", "pop", "-q"], cwd=work.top, capture_output=True)
    assert work.status == ["UU a.txt"]
    notice = await work.run(edit(work, "a.txt", "line 20\n", "LINE 20\n"), edit(work, "b.txt", "b", "B"))
    assert "Left out: a.txt (it has conflicts that are not resolved)." in left_out(notice)
    assert (work.committed(), work.status) == ({"b.txt": "M"}, ["UU a.txt"])


async def test_repositories_inside_the_repository_are_left_alone(work: Work, tmp_path: Path) -> None:
    other = Work(tmp_path / "other")
    other.begin(s_txt="s\n")
    work.git("submodule", "--quiet", "add", str(other.top), "module")
    work.git("submodule", "--quiet", "add", str(other.top), "absent")
    work.git("commit", "-q", "-m", "second")
    work.git("submodule", "--quiet", "deinit", "-f", "absent")
    work.git("init", "-q", "nested")
    notice = await work.run(
        lambda: work.write("module/s.txt", "S\n"),
        lambda: work.write("nested/n.txt", "n\n"),
        lambda: work.write("absent/a.txt", "a\n"),
        edit(work, "b.txt", "b", "B"),
    )
    why = "it belongs to a repository of its own"
    assert left_out(notice).endswith(f"Left out: module/s.txt ({why}), nested/n.txt ({why}), absent/a.txt ({why}).")
    assert work.committed() == {"b.txt": "M"}
    assert work.git("log", "--format=%s", cwd=work.top / "module") == "first\n"


async def test_a_project_below_the_top_of_its_repository(tmp_path: Path) -> None:
    work = Work(tmp_path, "apps/one")
    work.begin(a_txt=LINES)
    (work.top / "above.txt").write_text("mine\n")
    edit(work, "a.txt", "line 20\n", "mine\n")()
    work.write("own.txt", "mine\n")
    notice = await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"), edit(work, "own.txt", "mine", "ours"))
    assert "Left out: own.txt (it was there before and is in no commit)." in left_out(notice)
    assert work.committed() == {"apps/one/a.txt": "M"}
    assert work.status == [" M apps/one/a.txt", "?? above.txt", "?? apps/one/own.txt"]


async def test_a_worktree_has_an_index_and_a_head_of_its_own(work: Work, tmp_path: Path) -> None:
    work.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "wt" / "repository"))
    side = Work(tmp_path / "wt")
    await side.run(edit(side, "a.txt", "line 1\n", "LINE 1\n"))
    assert (side.subjects, side.status) == (["Do it", "first"], [])
    assert (work.subjects, work.status) == (["first"], [])


async def test_without_a_working_tree_or_a_repository_nothing_is_said(tmp_path: Path) -> None:
    work = Work(tmp_path)
    assert await work.run(lambda: work.write("a.txt", "a\n")) is None
    work.git("init", "-q", "--bare", ".")
    assert await work.run(lambda: work.write("b.txt", "b\n")) is None
    assert work.git("--git-dir=.", "rev-list", "--all") == ""


async def test_a_user_without_a_name_is_told_once(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    notice = await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert notice == Notice(
        text="Nothing was committed: git does not know who you are (git config --global user.name and user.email)."
    )
    assert await work.run(edit(work, "a.txt", "line 2\n", "LINE 2\n")) is None
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Eve")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "eve@example.org")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Eve")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "eve@example.org")
    await work.run(edit(work, "b.txt", "b", "B"))
    assert work.git("log", "-1", "--format=%an <%ae>") == "Eve <eve@example.org>\n"


async def test_variables_of_another_repository_are_not_obeyed(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Work(tmp_path / "other")
    other.begin(x_txt="x\n")
    with monkeypatch.context() as set_:
        set_.setenv("GIT_DIR", str(other.top / ".git"))
        set_.setenv("GIT_INDEX_FILE", str(other.top / ".git" / "index"))
        await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert (work.subjects, other.subjects) == (["Do it", "first"], ["first"])


async def test_another_git_at_work_is_not_disturbed(tmp_path: Path) -> None:
    work = Work(tmp_path, patience=0.05)
    work.begin(a_txt=LINES)
    lock = work.top / ".git" / "index.lock"
    lock.write_text("theirs")
    with pytest.raises(SessionError, match="another git is at work here"):
        await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert (lock.read_text(), work.subjects) == ("theirs", ["first"])


async def test_a_branch_that_moves_meanwhile_is_followed(work: Work, tmp_path: Path) -> None:
    """The program that signs commits something itself: just then the branch is elsewhere."""
    work = Work(tmp_path, may_sign=True)
    signer = tmp_path / "gpg"
    tree = work.git("rev-parse", "HEAD^{tree}").strip()
    signer.write_text(
        "#!/bin/sh\ncat >/dev/null\n"
        f"if [ ! -e {tmp_path}/once ]; then touch {tmp_path}/once\n"
        f"git -C {work.top} update-ref HEAD $(git -C {work.top} commit-tree -p HEAD -m theirs {tree}); fi\n"
        "echo '[GNUPG:] SIG_CREATED ' >&2\necho SIGNATURE\n"
    )
    signer.chmod(0o755)
    work.git("config", "gpg.program", str(signer))
    work.git("config", "commit.gpgSign", "true")
    await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert (work.subjects, work.status) == (["Do it", "theirs", "first"], [])


async def test_a_file_that_is_in_no_record(work: Work) -> None:
    notice = await work.run(lambda: work.write("huge.bin", b"x" * (11 << 20)), edit(work, "b.txt", "b", "B"))
    assert "Left out: huge.bin (it is too large to be recorded)." in left_out(notice)
    assert work.committed() == {"b.txt": "M"}


MESSAGES = {
    "Fix it": "Fix it\n",
    "  Fix   it\n\n": "Fix it\n\nFix   it\n",
    "\nFix it.\nBut gently.": "Fix it.\n\nFix it.\nBut gently.\n",
    "": "Change c.txt\n",
    "Use sk-abcdefghijklmnopqrstuvwx here": "Use [masked] here\n",
    "x" * 100: "x" * 71 + "…\n\n" + "x" * 100 + "\n",
    "a word " * 12: "a word " * 9 + "a word…\n\n" + ("a word " * 12).strip() + "\n",
    "Red\x1b[31m \u202ealert": "Red [31m alert\n\nRed [31m  alert\n",
}


@pytest.mark.parametrize("request_", MESSAGES, ids=range(len(MESSAGES)))
async def test_messages(request_: str, work: Work) -> None:
    await work.run(lambda: work.write("c.txt", "c\n"), request=request_)
    assert work.git("cat-file", "commit", "HEAD").partition("\n\n")[2] == MESSAGES[request_]


async def test_a_prefix_counts_as_part_of_the_line(tmp_path: Path) -> None:
    work = Work(tmp_path, prefix="agent: ")
    work.begin(a_txt=LINES)
    await work.run(lambda: work.write("c.txt", "c\n"), request="y" * 70)
    assert work.subjects[0] == "agent: " + "y" * 64 + "…"


async def test_what_is_no_whole_repository_is_none(work: Work) -> None:
    shutil.rmtree(work.top / ".git" / "objects")
    assert await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n")) is None


async def test_a_repository_that_cannot_be_written_to(tmp_path: Path) -> None:
    work = Work(tmp_path, patience=0)
    work.begin(a_txt=LINES)
    (work.top / ".git" / "index.lock").mkdir()
    with pytest.raises(SessionError, match=r"index\.lock"):
        await work.run(edit(work, "a.txt", "line 1\n", "LINE 1\n"))
    assert work.subjects == ["first"]
