import pytest

from ferrule.policy.command import Knowledge, Level, Nested, Word
from tests.policy.programs.words import ask, level


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git add .", "changes"),
        ("git commit -m x", "changes"),
        ("git checkout main", "changes"),
        ("git checkout -b x", "changes"),
        ("git checkout -- .", "danger"),
        ("git checkout .", "danger"),
        ("git checkout -f", "danger"),
        ("git switch -f x", "danger"),
        ("git restore x", "danger"),
        ("git restore --staged x", "changes"),
        ("git restore --staged --worktree x", "danger"),
        ("git reset", "changes"),
        ("git reset --soft HEAD~1", "changes"),
        ("git reset --hard", "danger"),
        ("git reset --har", "danger"),
        ("git clean -n", "reads"),
        ("git clean -fd", "danger"),
        ("git clean -fdn", "reads"),
        ("git branch x", "changes"),
        ("git branch -d x", "changes"),
        ("git branch -D x", "danger"),
        ("git branch -f x HEAD", "danger"),
        ("git tag -d x", "danger"),
        ("git stash", "changes"),
        ("git stash drop", "danger"),
        ("git stash clear", "danger"),
        ("git reflog expire --expire=now --all", "danger"),
        ("git gc", "changes"),
        ("git gc --prune=now", "danger"),
        ("git update-ref -d refs/heads/x", "danger"),
        ("git filter-branch --tree-filter x", "danger"),
        ("git rm x", "changes"),
        ("git rm -rf .", "danger"),
        ("git fetch", "network"),
        ("git pull --rebase", "network"),
        ("git push", "network"),
        ("git push -u origin main", "network"),
        ("git push --force", "danger"),
        ("git push -f", "danger"),
        ("git push --force-with-lease", "danger"),
        ("git push origin +main", "danger"),
        ("git push origin :main", "danger"),
        ("git push --delete origin x", "danger"),
        ("git clone https://x/y", "network"),
        ("git clone -c core.hooksPath=x y", "danger"),
        ("git clone 'ext::sh -c x'", "danger"),
        ("git fetch --upload-pack=x origin", "danger"),
        ("git ls-remote", "network"),
        ("git submodule update --init", "network"),
        ("git remote show origin", "network"),
        ("git config user.name x", "changes"),
        ("git config --global user.name x", "danger"),
        ("git config core.hooksPath x", "danger"),
        ("git config core.fsmonitor ./x", "danger"),
        ("git config alias.x '!sh'", "danger"),
        ("git config set core.pager x", "danger"),
        ("git credential fill", "danger"),
        ("git $x", "danger"),
        ("git lg", "changes"),
        ("git", "reads"),
        ("git --bogus status", "changes"),
        ("git --git-dir=/x status", "changes"),
        ("git --git-dir /x status", "changes"),
        ("git -c core.pager=cat log", "reads"),
        ("git -c core.pager=less log", "changes"),
        ("git -c diff.external=x diff", "changes"),
        ("git -c $x log", "changes"),
        ("git --no-pager -c color.ui=always diff --stat", "reads"),
    ],
)
def test_levels(line: str, expected: Level) -> None:
    assert level(line) == expected


def test_reading_depends_on_the_repository() -> None:
    assert ask("git status") == Knowledge(level="reads", git=True)
    assert ask("git --version") == Knowledge(level="reads")
    assert ask("git push").git is False
    assert ask("./git status").git is False


def test_another_directory_is_a_command_of_its_own() -> None:
    nested = Nested(
        words=(Word("git", "git"), Word("--no-pager", "--no-pager"), Word("log", "log")),
        directory=Word("sub", "sub"),
        wrapper="git -C",
    )
    assert ask("git --no-pager -C sub log") == Knowledge(level="reads", runs=(nested,))


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("git show HEAD:.env", [".env"]),
        ("git diff --no-index /dev/null /etc/passwd", ["/dev/null", "/etc/passwd"]),
        ("git diff HEAD -- src/a.py", ["src/a.py"]),
        ("git diff main", []),
        ("git grep x ../other", ["../other", "../other"]),
        ("git blame --contents=/x a.py", ["/x", "a.py"]),
    ],
)
def test_files_that_are_shown(line: str, reads: list[str]) -> None:
    assert [word.text for word in ask(line).reads] == reads


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("git rebase -x 'make test' HEAD~2", "make test"),
        ("git rebase --exec='make test' HEAD~2", "make test"),
        ("git submodule foreach --recursive 'rm x'", "rm x"),
        ("git submodule foreach rm x", "rm x"),
    ],
)
def test_commands_that_git_runs(line: str, script: str) -> None:
    found = ask(line)
    assert (found.level, [nested.script and nested.script.text for nested in found.runs]) == ("changes", [script])


def test_settings_that_make_git_run_programs_are_written_to_its_files() -> None:
    assert [word.text for word in ask("git config core.hooksPath x").writes] == [".git/config"]
    assert [word.text for word in ask("git config --global alias.x y").writes] == ["/home/kim/.gitconfig"]
    assert [word.text for word in ask("git config -f x core.pager y").writes] == ["x"]
    assert ask("git config user.name x").writes == ()


def test_bisect_runs_words() -> None:
    assert ask("git bisect run make test").runs == (
        Nested(words=(Word("make", "make"), Word("test", "test")), wrapper="git bisect run"),
    )
