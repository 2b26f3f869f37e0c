"""Git's directories are found without git, and pointers are believed only where they are confirmed."""

import os
import subprocess
from pathlib import Path

import pytest

from ferrule.host.sandbox.profile import Protected
from ferrule.host.sandbox.protect import Survey
from ferrule.host.sandbox.repositories import (
    Repositories,
    Repository,
    common_directory,
    git_directory,
    is_confirmed,
    modules,
    worktrees,
)


def git(directory: Path, *arguments: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    options = ("-c", "user.name=T", "-c", "user.email=t@x", "-c", "protocol.file.allow=always")
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nowhere"}
    subprocess.run(["git", *options, *arguments], cwd=directory, check=True, capture_output=True, env=environment)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with a submodule that has a slash in its name, and a worktree."""
    library, main = tmp_path.resolve() / "library", tmp_path.resolve() / "main"
    for repository in (library, main):
        git(repository, "init", "-q")
        git(repository, "commit", "-q", "--allow-empty", "-m", "one")
    git(main, "submodule", "add", str(library), "deep/sub")
    git(main, "worktree", "add", str(tmp_path / "tree"))
    return main


def test_repositories_are_found_to_a_depth(tmp_path: Path) -> None:
    for name in (".", "a", "a/b/c", "a/b/c/d", "node/.git-no"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    for name in (".", "a", "a/b/c", "a/b/c/d"):
        (tmp_path / name / ".git").mkdir()
    git(tmp_path / "bare.git", "init", "-q", "--bare")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    found = sorted(repository.work for repository in Repositories(str(tmp_path), depth=3).look())

    assert found == [str(tmp_path / name) for name in ("", "a", "a/b/c", "bare.git")]


def test_another_look_sees_what_is_new(tmp_path: Path) -> None:
    repositories = Repositories(str(tmp_path), depth=3)
    assert repositories.look() == []
    (tmp_path / "a/.git").mkdir(parents=True)
    repositories._next_look = 0
    assert repositories.look() == [Repository(f"{tmp_path}/a", f"{tmp_path}/a/.git")]


def test_a_large_tree_is_not_looked_through_each_time(tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / str(number % 50) / str(number)).mkdir(parents=True)
    repositories = Repositories(str(tmp_path), depth=3)
    assert repositories.look() == []
    (tmp_path / "0/.git").mkdir()
    assert repositories.look() == []


def test_submodules_and_worktrees(place: Path) -> None:
    sub = Repository(f"{place}/deep/sub", git_directory(f"{place}/deep/sub"))
    tree = Repository(f"{place.parent}/tree", git_directory(f"{place.parent}/tree"))

    assert sub.directory == f"{place}/.git/modules/deep/sub"
    assert tree.directory == f"{place}/.git/worktrees/tree"
    assert (common_directory(sub.directory), common_directory(tree.directory)) == (sub.directory, f"{place}/.git")
    assert (is_confirmed(sub), is_confirmed(tree)) == (True, True)
    assert list(modules(f"{place}/.git")) == [sub.directory]
    assert list(worktrees(f"{place}/.git")) == [tree.directory]


@pytest.mark.parametrize(
    "target", ["library/.git", "main/.git", "main/.git/worktrees/tree", "main/.git/modules/deep/sub", "."]
)
def test_a_pointer_from_elsewhere_is_not_confirmed(target: str, place: Path) -> None:
    hostile = place.parent / "hostile"
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {place.parent / target}\n")
    directory = git_directory(str(hostile))

    assert directory == str(place.parent / target)
    assert not is_confirmed(Repository(str(hostile), directory))


@pytest.mark.parametrize("shares", ["main/.git", "library", "."])
@pytest.mark.parametrize("is_worktree", [True, False])
def test_what_a_project_says_to_share_is_not_confirmed_by_itself(shares: str, is_worktree: bool, place: Path) -> None:
    hostile = place.parent / "hostile"
    for name in ("objects", "refs"):
        (hostile / "fake" / name).mkdir(parents=True)
    for name, text in (("HEAD", "ref: refs/heads/m\n"), ("config", "[core]\n worktree = ..\n")):
        (hostile / "fake" / name).write_text(text)
    (hostile / "fake/commondir").write_text(f"{place.parent / shares}\n")
    if is_worktree:
        (hostile / "fake/gitdir").write_text(f"{hostile}/.git\n")
    (hostile / ".git").write_text("gitdir: fake\n")
    directory = git_directory(str(hostile))

    assert directory == str(hostile / "fake")
    assert not is_confirmed(Repository(str(hostile), directory))


@pytest.mark.parametrize(
    "text", [b"", b"gitdir: ", b"gitdir: \0", b"\xff\xfe", b"x" * 20_000, b"gitdir: " + b"x/" * 9000]
)
def test_what_leads_nowhere(text: bytes, tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(text)
    assert not os.path.isdir(f"{git_directory(str(tmp_path))}/objects")  # noqa: PTH112 - it is no path at all


def test_pipes_are_not_waited_for(place: Path) -> None:
    sub = Repository(f"{place}/deep/sub", git_directory(f"{place}/deep/sub"))
    for name in ("config", "commondir", "gitdir"):
        (Path(sub.directory) / name).unlink(missing_ok=True)
        os.mkfifo(Path(sub.directory) / name)
    assert not is_confirmed(sub)
    (Path(place) / ".git/worktrees/tree/gitdir").unlink()
    os.mkfifo(Path(place) / ".git/worktrees/tree/gitdir")
    standing = Survey(Protected(), home="/nowhere").look(str(place))
    assert f"{place}/.git/worktrees/tree" in standing.frozen


@pytest.mark.parametrize("target", ["nowhere", ".git/modules/gone", "a/b/c", "file"])
def test_a_pointer_that_leads_nowhere_goes_on_doing_so(target: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text(f"gitdir: ../{target}\n")
    standing = Survey(Protected(), home="/nowhere").look(str(tmp_path))
    first = {"a/b/c": "a", ".git/modules/gone": ".git/modules"}.get(target, target)
    assert standing.firm == [f"{tmp_path}/.git"]
    assert (os.fsencode(tmp_path / first) in dict(standing.missing)) == (target != "file")
    assert (str(tmp_path / "file") in standing.frozen) == (target == "file")
