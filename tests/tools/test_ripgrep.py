import os
import sys
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.tools.ripgrep import BUILT_IN, files_below, find_program, run
from tests.tools.calling import make_tree

BESIDE_PYTHON = str(Path(sys.executable).parent / "rg")


def executable(path: Path) -> str:
    make_tree(path.parent, {path.name: "#!/bin/sh\n"})
    path.chmod(0o755)
    return str(path)


def found(project: Path) -> str:
    return find_program.__wrapped__(project)[0]


def test_the_systems_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = executable(tmp_path / "bin" / "rg")
    monkeypatch.setenv("PATH", f"{tmp_path / 'nowhere'}:{tmp_path / 'bin'}")
    assert found(tmp_path / "project") == system


def test_else_the_one_that_came_with_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found(tmp_path / "project") == BESIDE_PYTHON


def test_never_one_that_the_project_brings_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    executable(project / "bin" / "rg")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").symlink_to(project / "bin" / "rg")
    (tmp_path / "alias").symlink_to(project)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", f"{project}/bin:{tmp_path}/bin:{tmp_path}/alias/bin:bin:.")
    assert found(project) == BESIDE_PYTHON
    assert found(tmp_path / "alias") == BESIDE_PYTHON


def test_what_cannot_be_run_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tmp_path, {"plain/rg": "", "folder/rg/x": ""})
    monkeypatch.setenv("PATH", f"{tmp_path}/plain:{tmp_path}/folder")
    assert found(tmp_path / "project") == BESIDE_PYTHON


def test_where_there_is_none_our_own_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find_program.__wrapped__(Path("/")) == BUILT_IN


def test_what_lies_beside_our_own_interpreter_is_ours_even_inside_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert found(Path(sys.executable).parent.parent) == BESIDE_PYTHON


def test_it_is_looked_for_once(tmp_path: Path) -> None:
    assert find_program(tmp_path) is find_program(tmp_path)


@pytest.mark.parametrize("program", ["rg", "built-in"])
async def test_files_are_listed_without_what_gitignore_hides(tmp_path: Path, program: str) -> None:
    make_tree(tmp_path, {".gitignore": "*.log\n", "a.log": "", "b.py": "", "sub/c.py": "", "sub/d.txt": ""})
    argv = find_program(tmp_path) if program == "rg" else BUILT_IN
    assert sorted(await files_below(argv, tmp_path)) == [".gitignore", "b.py", "sub/c.py", "sub/d.txt"]
    assert sorted(await files_below(argv, tmp_path, name="*.py")) == ["b.py", "sub/c.py"]
    assert await files_below(argv, tmp_path, name="*.log") == []


@pytest.mark.parametrize("program", ["rg", "built-in"])
async def test_the_users_own_settings_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    make_tree(tmp_path, {"config": f"--pre={tmp_path}/evil\n", "tree/a": "x\n"})
    executable(tmp_path / "evil")
    (tmp_path / "evil").write_text(f"#!/bin/sh\ntouch {tmp_path}/canary\n")
    make_tree(tmp_path, {"home/git/ignore": "*\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    argv = find_program(tmp_path) if program == "rg" else BUILT_IN
    assert await run(argv, ["-l", "--null", "--regexp=x", "./"], root=tmp_path / "tree") == b"./a\0"
    assert not (tmp_path / "canary").exists()


async def test_a_module_in_the_project_is_not_imported(tmp_path: Path) -> None:
    make_tree(tmp_path, {"argparse.py": "raise SystemExit(7)\n", "ferrule/__init__.py": "raise SystemExit(7)\n"})
    assert sorted(await files_below(BUILT_IN, tmp_path)) == ["argparse.py", "ferrule/__init__.py"]


async def test_failures_are_words(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"unrecognized file type: nope"):
        await run(find_program(tmp_path), ["--type=nope", "--regexp=x", "./"], root=tmp_path)
    with pytest.raises(ToolError, match=r"could not be started.*null byte"):
        await run(find_program(tmp_path), ["--regexp=a\0b", "./"], root=tmp_path)
    with pytest.raises(ToolError, match=r"could not be started"):
        await run(("/nonexistent/rg",), ["./"], root=tmp_path)
    with pytest.raises(ToolError, match=r"too much to list"):
        await run(("sh", "-c", "yes"), [], root=tmp_path)
    with pytest.raises(ToolError, match=r"ended with code -9"):
        await run(("sh", "-c", "kill -9 $$"), [], root=tmp_path)
    assert await run(("sh", "-c", "echo a warning >&2; echo found"), [], root=tmp_path) == b"found\n"
    os.mkfifo(tmp_path / ".ignore")
    with pytest.raises(ToolError, match=r"did not finish within 0.2 s"):
        await run(find_program(tmp_path), ["--files", "./"], root=tmp_path, seconds=0.2)
