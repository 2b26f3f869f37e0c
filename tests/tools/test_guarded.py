"""The file tools show nothing of what is blocked: no content, no names in it, not whether it is there."""

from pathlib import Path
from typing import Any

import pytest

from ferrule.core.tool import Tool, ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.policy.paths import Places
from ferrule.policy.permit import Permit
from ferrule.tools.edit import Edit
from ferrule.tools.glob import Glob
from ferrule.tools.grep import Grep
from ferrule.tools.ls import Ls
from ferrule.tools.read import Read
from ferrule.tools.ripgrep import BUILT_IN, FindProgram, find_program
from ferrule.tools.write import Write
from tests.tools.calling import make_tree, refusal_of, words_of

FINDERS = pytest.mark.parametrize("find", [find_program, lambda _: BUILT_IN], ids=["rg", "built-in"])
TREE: dict[str, str | bytes] = {
    "proj/a.py": "needle\n",
    "proj/.env": "needle=1\n",
    "proj/.env.example": "needle=\n",
    "proj/keys/id_rsa": "needle\n",
    "proj/[odd] {x}!/a.txt": "needle\n",
    "proj/vault/deep/b.txt": "needle\n",
    "proj/src/c.pem": "needle\n",
    "proj/src/c.py": "needle\n",
    ".ssh/config": "needle\n",
    ".ssh/id_ed25519": "needle\n",
    "other/d.py": "needle\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path.resolve() / "home"
    make_tree(home, TREE)
    (home / "proj" / "link").symlink_to("../.ssh")
    (home / "proj" / "out").symlink_to("../other")
    return home


def context_for(home: Path, root: Path | None = None, *allowed: str) -> ToolContext[Host]:
    directory = root or home / "proj"
    blocked = (f"{home}/proj/vault", "*.pem", f"{home}/proj/\\[odd] {{x}}!")
    permit = Permit(Places(root=directory, home=home, blocked=blocked))
    for path in allowed:
        permit.allow(path, "read")
    private = home.with_name("private")
    host = Host(files=Files(permit=permit), processes=Processes(directory, private), outputs=private / "outputs")
    return ToolContext(directory=directory, host=host, report=lambda _: None)


@FINDERS
async def test_a_search_of_the_project(home: Path, find: FindProgram) -> None:
    context = context_for(home)
    assert await words_of(Grep(find), context, pattern="needle") == ".env.example\na.py\nsrc/c.py"
    assert await words_of(Grep(find), context, pattern="needle", output_mode="count") == (
        ".env.example:1\na.py:1\nsrc/c.py:1\n(in all 3 matches in 3 files)"
    )
    assert await words_of(Grep(find), context, pattern="needle", output_mode="content", head_limit=1) == (
        ".env.example:1:needle=\n(the first 1; in all 3 matches in 3 files)"
    )
    assert await words_of(Grep(find), context, pattern="needle", glob="*.pem") == "No match for needle."
    names = (await words_of(Glob(find), context, pattern="**/*")).split("\n")
    assert set(names) == {".env", ".env.example", "a.py", "src/c.py", "(4 files)"}
    assert await words_of(Glob(find), context, pattern="id_*") == "No file matches id_*."


@FINDERS
async def test_a_search_of_the_home_directory(home: Path, find: FindProgram) -> None:
    context = context_for(home, home)
    words = await words_of(Grep(find), context, pattern="needle")
    assert words == "other/d.py\nproj/.env.example\nproj/a.py\nproj/src/c.py"
    names = (await words_of(Glob(find), context, pattern="*")).split("\n")
    assert not [name for name in names if ".ssh" in name or "id_" in name or "vault" in name]
    assert "other/d.py" in names
    assert ".ssh/" in (await words_of(Ls(), context)).split("\n")


@FINDERS
async def test_what_is_named_itself(home: Path, find: FindProgram) -> None:
    context = context_for(home)
    paths = [f"{home}/.ssh", "link", "../.ssh/config", "link/config", "keys/id_rsa", "vault/deep", "src/c.pem"]
    for path in paths:
        searches: list[tuple[Tool, dict[str, Any], str]] = [
            (Grep(find), {"pattern": "needle", "path": path}, "read"),
            (Glob(find), {"pattern": "*", "path": path}, "listed"),
            (Glob(find), {"pattern": path}, "listed"),
            (Glob(find), {"pattern": f"{path}/*"}, "listed"),
            (Ls(), {"path": path}, "listed"),
            (Read(find=find), {"file_path": path}, "read"),
        ]
        for tool, arguments, what in searches:
            words = await refusal_of(tool, context, **arguments)
            assert f" may not be {what}: it " in words, (tool, path)
            assert "Beside" not in words
            assert "There is" not in words


async def test_not_even_whether_it_is_there(home: Path) -> None:
    context = context_for(home)
    tools: list[tuple[Tool, str]] = [(Read(), "file_path"), (Ls(), "path"), (Grep(), "path"), (Glob(), "path")]
    for tool, key in tools:
        more = {} if key == "file_path" or isinstance(tool, Ls) else {"pattern": "x"}
        there, missing = [
            (await refusal_of(tool, context, **{key: f"{home}/.ssh/{name}"}, **more)).replace(name, "NAME")
            for name in ("config", "nothing-of-that-name")
        ]
        assert there == missing


async def test_a_huge_file_that_is_blocked_has_no_size(home: Path) -> None:
    with (home / ".ssh" / "big").open("wb") as file:
        file.truncate(100_000_000)
    words = await refusal_of(Read(), context_for(home), file_path=f"{home}/.ssh/big")
    assert words == f"{home}/.ssh/big may not be read: it is one of the blocked paths."


async def test_where_there_are_files_of_a_name(home: Path) -> None:
    make_tree(home / "proj", {"x/b.txt": "", "y/b.txt": ""})
    words = await refusal_of(Read(), context_for(home), file_path="b.txt")
    assert words == f"There is no file {home}/proj/b.txt. There is x/b.txt, y/b.txt."


async def test_outside_with_leave(home: Path) -> None:
    refused = f"{home}/proj/out may not be read: it leads to {home}/other, and it lies outside the project."
    assert await refusal_of(Grep(), context_for(home), pattern="needle", path="out") == refused
    context = context_for(home, None, "out")
    assert await words_of(Grep(), context, pattern="needle", path="out") == "out/d.py"
    assert await words_of(Grep(), context, pattern="needle", path="out/d.py") == "out/d.py"
    assert await words_of(Glob(), context, pattern="*", path="out") == "out/d.py\n(1 file)"
    assert await words_of(Glob(), context, pattern="out") == "out/d.py\n(1 file)"
    assert await words_of(Ls(), context, path="out") == "d.py"
    assert await words_of(Read(), context, file_path="out/d.py") == "     1\tneedle"
    allowed = context_for(home, None, str(home))
    names = await words_of(Grep(), allowed, pattern="needle", path="..")
    assert names == f"{home}/other/d.py\n.env\n.env.example\na.py\nsrc/c.py"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (Write(), {"content": "evil"}),
        (Edit(), {"old_string": "needle", "new_string": "evil"}),
        (Edit(), {"old_string": "neadle", "new_string": "evil"}),
    ],
)
async def test_writing(home: Path, tool: Tool, arguments: dict[str, Any]) -> None:
    context = context_for(home)
    make_tree(home / "proj", {".git/config": "needle", ".vscode/tasks.json": "needle", ".ferrule.json": "needle"})
    (home / "proj" / "twin").hardlink_to(home / "other" / "d.py")
    for path in [
        ".git/config",
        ".git/hooks/pre-commit",
        ".GIT/hooks/x",
        ".vscode/tasks.json",
        ".ferrule.json",
        ".env",
        "twin",
        "out/d.py",
        "link/config",
        "link/authorized_keys",
        "../other/new/x",
        "../proj-evil/x",
        f"{home}/.bashrc",
        "keys/id_rsa",
    ]:
        words = await refusal_of(tool, context, file_path=path, **arguments)
        assert " may not be written: it " in words, path
        assert "needle" not in words
    assert (home / "other" / "d.py").read_text() == "needle\n"
    assert not (home / "other" / "new").exists()
    assert sorted(path.name for path in home.iterdir()) == [".ssh", "other", "proj"]


async def test_write_that_changes_nothing_needs_no_leave_to_read(home: Path) -> None:
    context = context_for(home)
    permit = context.host.files._permit
    assert isinstance(permit, Permit)
    permit.allow("../other/d.py", "write")
    words = await words_of(Write(), context, file_path="../other/d.py", content="needle\n")
    assert "nothing was written" in words
    assert context.host.files.seen(home / "other" / "d.py")
