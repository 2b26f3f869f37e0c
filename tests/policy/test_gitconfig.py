"""Whether a repository makes git start programs."""

import os
import subprocess
from pathlib import Path

import pytest

from ferrule.policy.gitconfig import git_runs_programs


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    return tmp_path / "repo"


def test_a_fresh_repository_starts_nothing(repository: Path) -> None:
    (repository / "sub").mkdir()
    assert not git_runs_programs(str(repository))
    assert not git_runs_programs(str(repository / "sub"))


def test_no_repository_at_all(tmp_path: Path) -> None:
    assert not git_runs_programs(str(tmp_path))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "./evil"),
        ("core.hooksPath", "hooks"),
        ("core.pager", "./evil"),
        ("core.sshCommand", "./evil"),
        ("core.attributesFile", "x"),
        ("core.worktree", "/"),
        ("diff.external", "./evil"),
        ("diff.x.textconv", "./evil"),
        ("diff.x.command", "./evil"),
        ("filter.x.clean", "./evil"),
        ("filter.lfs.clean", "./evil"),
        ("alias.st", "!./evil"),
        ("include.path", "../evil"),
        ("includeIf.gitdir:/.path", "../evil"),
        ("gpg.program", "./evil"),
        ("credential.helper", "!./evil"),
        ("submodule.x.update", "!./evil"),
        ("pager.status", "./evil"),
        ("merge.x.driver", "./evil"),
        ("log.showSignature", "true"),
        ("extensions.worktreeConfig", "true"),
        ("something.new", "x"),
    ],
)
def test_settings_that_may_start_a_program(repository: Path, key: str, value: str) -> None:
    subprocess.run(["git", "-C", str(repository), "config", key, value], check=True)
    assert git_runs_programs(str(repository))


def test_ordinary_settings(repository: Path) -> None:
    for key, value in [
        ("remote.origin.url", "https://example.org/x.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.main.remote", "origin"),
        ("branch.main.merge", "refs/heads/main"),
        ("user.name", "A # B"),
        ("filter.lfs.clean", "git-lfs clean -- %f"),
        ("filter.lfs.required", "true"),
        ("core.autocrlf", "input"),
    ]:
        subprocess.run(["git", "-C", str(repository), "config", key, value], check=True)
    assert not git_runs_programs(str(repository))


def test_a_change_is_noticed(repository: Path) -> None:
    assert not git_runs_programs(str(repository))
    with (repository / ".git/config").open("a") as file:
        file.write("[core] fsmonitor = ./evil\n")
    assert git_runs_programs(str(repository))


def test_a_git_file_leads_to_the_settings_that_count(repository: Path, tmp_path: Path) -> None:
    run = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*run, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    assert not git_runs_programs(str(tmp_path / "tree"))
    subprocess.run(["git", "-C", str(repository), "config", "core.fsmonitor", "./evil"], check=True)
    assert git_runs_programs(str(tmp_path / "tree"))


def test_a_bare_repository_in_the_way(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path)], check=True)
    assert not git_runs_programs(str(tmp_path))
    subprocess.run(["git", "-C", str(tmp_path), "config", "core.fsmonitor", "./evil"], check=True)
    assert git_runs_programs(str(tmp_path))


def test_what_cannot_be_read_counts_as_hostile(repository: Path) -> None:
    config = repository / ".git/config"
    config.write_text("[core\n")
    assert git_runs_programs(str(repository))
    config.unlink()
    os.mkfifo(config)
    assert git_runs_programs(str(repository))
    config.unlink()
    (repository / ".git/index").unlink(missing_ok=True)
    os.mkfifo(repository / ".git/index")
    assert git_runs_programs(str(repository))
    (repository / ".git/index").unlink()
    (repository / ".git/HEAD").unlink()
    config.write_bytes(b"[core]\n\tfsmonitor\n")
    assert git_runs_programs(str(repository))


@pytest.mark.parametrize(
    "text",
    [
        "# a comment \\\n[core]\n\tfsmonitor = ./evil\n",
        '[filter "lfs"]\n\tclean = "git-lfs clean -- %f"" ; ./evil"\n',
        '[filter "lfs"]\n\tclean = git-lfs clean -- %f ; ./evil\n',
        "[core] fsmonitor=./evil\n",
        "[CORE]\n\tFSMonitor=./evil\n",
    ],
)
def test_settings_written_so_as_to_deceive(repository: Path, text: str) -> None:
    with (repository / ".git/config").open("a") as file:
        file.write(text)
    assert git_runs_programs(str(repository))


def test_git_goes_on_upwards_where_a_repository_is_not_whole(repository: Path) -> None:
    (repository / "sub/.git").mkdir(parents=True)
    (repository / "bare/objects").mkdir(parents=True)
    (repository / "bare/HEAD").write_text("x")
    subprocess.run(["git", "-C", str(repository), "config", "core.fsmonitor", "./evil"], check=True)
    assert git_runs_programs(str(repository / "sub"))
    assert git_runs_programs(str(repository / "bare"))


def test_a_repository_inside_another_has_its_say(repository: Path) -> None:
    inner = repository / "vendor/inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    run = ["git", "-C", str(inner), "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run(["git", "-C", str(repository), "add", "vendor/inner"], check=True, capture_output=True)
    assert not git_runs_programs(str(repository))
    subprocess.run(["git", "-C", str(inner), "config", "core.fsmonitor", "./evil"], check=True)
    assert git_runs_programs(str(repository))
