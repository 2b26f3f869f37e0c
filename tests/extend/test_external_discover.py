"""External tools are found, asked once, and left out in words where something is wrong with them."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.extend.calling import Answer
from ferrule.extend.declared import Declared
from ferrule.extend.discover import Found, Given, Place, Run, asking, discover_at_once
from ferrule.extend.external import ExternalTool
from ferrule.host.sandbox.none import Unconfined
from tests.extend.programs import ECHO, alive, described, found_in, program, project, shell
from tests.tools.calling import words_of


def names(found: Found) -> list[str]:
    return [tool.spec.name for tool in found.tools]


def saying(*answers: bytes) -> tuple[Run, list[Sequence[str]]]:
    """Programs that say these things one after the other, without being run, and what was asked of them."""
    asked: list[Sequence[str]] = []

    async def run(argv: Sequence[str]) -> Answer:
        asked.append(argv)
        return Answer(code=0, stdout=answers[len(asked) - 1])

    return run, asked


async def test_a_program_that_describes_itself(tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "echo", "cat", schema=described(effect="read", timeout=5))
    found = await found_in(tmp_path)
    assert found.problems == ()
    (tool,) = found.tools
    assert tool.external.declared == Declared(
        name="echo", description="Says it again.", parameters=ECHO, effect="read", timeout=5
    )
    assert (tool.external.argv, tool.external.origin) == ((str(path),), path)
    async with project(tmp_path) as context:
        assert await words_of(tool, context, text="hi") == '{"text":"hi"}'


@pytest.mark.parametrize("sidecar", ["echo.sh.tool.json", "echo.tool.json"])
async def test_a_sidecar_describes_a_program_that_is_not_asked(sidecar: str, tmp_path: Path) -> None:
    program(tmp_path / "tools" / "echo.sh", "#!/bin/sh\ntouch asked\ncat\n")
    (tmp_path / "tools" / sidecar).write_text(described())
    found = await found_in(tmp_path)
    assert (names(found), found.problems) == (["echo"], ())
    assert not (tmp_path / "project" / "asked").exists()


NO_NAME = "has a name that is none: it takes small letters, digits, _ and -, and begins with a letter"
NO_PROGRAM = "It could not be started: it is no program; a script needs a first line such as #!/bin/sh."
KILLED = "{} does not say what it is. It did not end within 1 s, and was killed with all that it had started."
LEADS_OUT = "leads out of the project, to {}, which was not trusted with it."
BROKEN = {
    "exit 3": "does not say what it is: --schema ended with code 3",
    "echo nope >&2; exit 1": "does not say what it is: --schema ended with code 1 (nope)",
    "printf '\\033[31mbad\\033[0m' >&2; exit 1": "does not say what it is: --schema ended with code 1 (bad)",
    "true": "says nothing of itself",
    "echo hello": "describes itself in something that is not JSON: JSON is malformed: invalid character (byte 0)",
    "printf x; head -c 9 /dev/urandom | base64 -w0; printf '\\377'": "describes itself in something that is not JSON: ",
    "head -c 100000 /dev/zero": "describes itself in 100,000 bytes, and 65,536 are the most",
    "yes": "describes itself in more than anyone will read",
    "echo '[]'": "describes itself wrongly: expected `object`, got `array`",
    'echo \'{"description": "x"}\'': "describes itself wrongly: it needs the field `name`",
    'echo \'{"name": 3, "description": "x"}\'': "describes itself wrongly: expected `str`, got `int` for `name`",
    'echo \'{"name": "x", "description": " "}\'': "has no description, so a model would not know what it is for",
    'echo \'{"name": "Big One", "description": "x"}\'': NO_NAME,
    'echo \'{"name": "x", "description": "x", "effect": "destroy"}\'': (
        "describes itself wrongly: invalid enum value 'destroy' for `effect`"
    ),
    'echo \'{"name": "x", "description": "x", "timeout": 0}\'': ("has a timeout that is not between 0 and 600 seconds"),
    'echo \'{"name": "x", "description": "x", "parameters": {"type": "strin"}}\'': (
        'is not understood: its parameters need "type": "object" at the top'
    ),
    "kill -9 $$": "does not say what it is: --schema ended with code -9",
    "exec <&- >&-": "says nothing of itself",
}


async def test_programs_that_describe_themselves_badly(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    for number, body in enumerate(BROKEN, 10):
        program(tools / f"broken{number}", f"#!/bin/sh\n{body}\n")
    shell(tools / "good", "cat")
    found = await found_in(tmp_path)
    assert names(found) == ["good"]
    for number, (problem, words) in enumerate(zip(found.problems, BROKEN.values(), strict=True), 10):
        assert problem.startswith(f"{tools}/broken{number} {words}")
        assert problem.isprintable()


async def test_one_that_hangs_is_killed(tmp_path: Path) -> None:
    path = program(tmp_path / "tools" / "hang", "#!/bin/sh\necho $$ >pid\nexec sleep 1000\n")
    async with project(tmp_path) as context:
        run = asking(context.host.processes, context.host.outputs, cwd=context.directory, seconds=1)
        found = await found_in(tmp_path, run=run)
        assert found.problems == (KILLED.format(path),)
        assert not alive(int((context.directory / "pid").read_text()))


async def test_files_that_are_no_tools(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    shell(tools / "good", "cat")
    program(tools / "forgotten", "#!/bin/sh\n", mode=0o644)
    program(tools / "no-shebang", "echo hello\n")
    program(tools / "open", "#!/bin/sh\n", mode=0o777)
    (tools / "lonely.tool.json").write_text(described())
    (tools / "dangling").symlink_to("nowhere")
    (tools / "loop").symlink_to("loop")
    os.mkfifo(tools / "pipe", mode=0o755)
    for name in ("README.md", ".hidden", "_helper", "settings.json"):
        program(tools / name, "#!/bin/sh\ntouch run\n")
    (tools / "folder").mkdir()
    found = await found_in(tmp_path)
    assert names(found) == ["good"]
    assert sorted(found.problems) == [
        f"{tools}/dangling leads nowhere.",
        f"{tools}/forgotten is not executable; if it is a tool, say chmod +x.",
        f"{tools}/lonely.tool.json describes a program that is not there.",
        f"{tools}/loop leads nowhere.",
        f"{tools}/no-shebang does not say what it is. {NO_PROGRAM}",
        f"{tools}/open is passed over: others may write to it.",
        f"{tools}/pipe is no file.",
    ]
    assert not (tmp_path / "project" / "run").exists()


async def test_names_that_there_are_already(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    shell(first / "a", "cat", schema=described("bash"))
    shell(first / "b", "cat", schema=described("same"))
    shell(first / "c", "cat", schema=described("webfetch"))
    shell(second / "d", "cat", schema=described("same"))
    found = await found_in(tmp_path, Place(first), Place(second), taken=["bash", "web_fetch"])
    assert names(found) == ["same"]
    assert found.problems == (
        f"{first}/a is left out: bash is the name of a tool of Ferrule's own already.",
        f"{first}/c is left out: webfetch is the name of a tool of Ferrule's own already.",
        f"{second}/d is left out: same is the name of {first}/b already.",
    )


async def test_a_project_does_not_lead_out_of_itself(tmp_path: Path) -> None:
    root = tmp_path / "cloned"
    tools = root / ".ferrule" / "tools"
    outside = shell(tmp_path / "elsewhere" / "evil", "cat", schema=described("evil"))
    inside = shell(root / "scripts" / "fine", "cat", schema=described("fine"))
    shell(tools / "described", "cat")
    (tools / "evil").symlink_to(outside)
    (tools / "fine").symlink_to(inside)
    (tools / "described.tool.json").symlink_to(tmp_path / "elsewhere" / "words.json")
    (tmp_path / "elsewhere" / "words.json").write_text(described())
    found = await found_in(tmp_path, Place(tools, root))
    assert names(found) == ["fine"]
    assert found.problems == (
        f"{tools}/described.tool.json {LEADS_OUT.format(tmp_path / 'elsewhere' / 'words.json')}",
        f"{tools}/evil {LEADS_OUT.format(outside)}",
    )
    assert names(await found_in(tmp_path, Place(tools))) == ["echo", "evil", "fine"]


async def test_a_whole_directory_that_leads_out_of_the_project(tmp_path: Path) -> None:
    path = shell(tmp_path / "elsewhere" / "evil", "cat")
    root = tmp_path / "cloned"
    root.mkdir()
    (root / "tools").symlink_to(path.parent)
    found = await found_in(tmp_path, Place(root / "tools", root))
    assert found.tools == ()


async def test_places_that_cannot_be_looked_into(tmp_path: Path) -> None:
    shell(tmp_path / "open" / "echo", "cat")
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "file").touch()
    found = await found_in(tmp_path, Place(tmp_path / "open"), Place(tmp_path / "file"), Place(tmp_path / "none"))
    assert (found.tools, found.problems) == ((), (f"{tmp_path}/open is passed over: others may write to it.",))


async def test_a_directory_that_is_some_other_directory(tmp_path: Path) -> None:
    for number in range(70):
        program(tmp_path / "tools" / f"p{number:02}", "#!/bin/sh\n")
    run, asked = saying(*(described(f"p{number:02}").encode() for number in range(70)))
    found = await found_in(tmp_path, run=run)
    assert (len(found.tools), len(asked)) == (64, 64)
    assert found.problems == (f"{tmp_path}/tools holds more than 64 tools; the rest is passed over.",)


async def test_names_that_would_paint_on_the_terminal(tmp_path: Path) -> None:
    program(tmp_path / "tools" / "\x1b[31mred", "", mode=0o644)
    program(tmp_path / "tools" / os.fsdecode(b"\xff"), "", mode=0o644)
    found = await found_in(tmp_path)
    assert len(found.problems) == 2
    assert all(problem.isprintable() for problem in found.problems)


async def test_a_program_is_asked_again_only_when_it_changed(tmp_path: Path) -> None:
    path = program(tmp_path / "tools" / "echo", "#!/bin/sh\n")
    run, asked = saying(described("one").encode(), described("two").encode())
    assert names(await found_in(tmp_path, run=run)) == ["one"]
    assert names(await found_in(tmp_path, run=run)) == ["one"]
    assert asked == [(str(path), "--schema")]
    program(path, "#!/bin/sh\n# new\n")
    assert names(await found_in(tmp_path, run=run)) == ["two"]
    assert (tmp_path / "cache.json").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


async def test_a_cache_that_is_rubbish(tmp_path: Path) -> None:
    program(tmp_path / "tools" / "echo", "#!/bin/sh\n")
    run, _ = saying(described("one").encode())
    await found_in(tmp_path, run=run)
    cache = tmp_path / "cache.json"
    whole = cache.read_bytes()
    for rubbish in (b"", b"\xff\x00", b"[]", b'{"x": 3}', whole[:-9], whole.replace(b"one", b"o e")):
        cache.write_bytes(rubbish)
        run, _ = saying(described("again").encode())
        assert names(await found_in(tmp_path, run=run)) == ["again"]


async def test_what_went_is_forgotten_and_what_is_broken_not_kept(tmp_path: Path) -> None:
    path = program(tmp_path / "tools" / "a", "#!/bin/sh\n")
    run, _ = saying(described("a").encode(), described("b").encode())
    await found_in(tmp_path, run=run)
    path.rename(path.with_name("b"))
    await found_in(tmp_path, run=run)
    kept = (tmp_path / "cache.json").read_text()
    assert (f"{path}" in kept, f"{path.with_name('b')}" in kept) == (False, True)
    program(tmp_path / "tools" / "b", "#!/bin/sh\n# other\n")
    run, asked = saying(b"rubbish", described("b").encode())
    assert names(await found_in(tmp_path, run=run)) == []
    assert names(await found_in(tmp_path, run=run)) == ["b"]
    assert len(asked) == 2


async def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    program(tmp_path / "tools" / "echo", "#!/bin/sh\n")
    run, _ = saying(described().encode())
    (tmp_path / "file").touch()
    assert names(await found_in(tmp_path, run=run, cache=tmp_path / "file" / "cache.json")) == ["echo"]


async def test_tools_that_a_configuration_names(tmp_path: Path) -> None:
    path = shell(tmp_path / "bin" / "server", 'shift; echo "$*"; cat')
    declared = Declared(name="given", description="Given.", parameters=ECHO)
    found = await found_in(
        tmp_path,
        given=[
            Given(command=(str(path), "--server", "a b"), origin="config.json:3", declared=declared),
            Given(command=(str(path),), origin="config.json:4"),
            Given(command=("server",), origin="config.json:5"),
            Given(command=(str(tmp_path / "gone"),), origin="config.json:6"),
            Given(command=(str(path),), origin="config.json:7", declared=Declared(name="X", description="x")),
        ],
    )
    assert names(found) == ["given", "server"]
    assert found.problems == (
        "config.json:5: server is no full path.",
        f"config.json:6: {tmp_path}/gone leads nowhere.",
        f"config.json:7: {path} {NO_NAME}.",
    )
    async with project(tmp_path) as context:
        assert await words_of(found.tools[0], context, text="hi") == 'a b\n{"text":"hi"}'


async def test_whoever_cannot_wait(tmp_path: Path) -> None:
    """From a coroutine too, whose own loop is held up for that long."""
    shell(tmp_path / "tools" / "echo", "cat")
    (tmp_path / "project").mkdir()

    def look(name: str) -> Found:
        return discover_at_once(
            [Place(tmp_path / name)],
            directory=tmp_path / "project",
            outputs=tmp_path / "outputs",
            sandbox=Unconfined(),
            cache=tmp_path / "cache.json",
        )

    assert look("none") == Found()
    assert not (tmp_path / "outputs").exists()
    tool: ExternalTool = look("tools").tools[0]
    assert (tool.spec.name, list((tmp_path / "outputs").iterdir())) == ("echo", [])
    assert await asyncio.to_thread(lambda: names(look("tools"))) == ["echo"]


async def test_one_that_fails_to_run_at_all(tmp_path: Path) -> None:
    async def run(argv: Sequence[str]) -> Answer:
        raise ToolError("There is no room.")

    path = program(tmp_path / "tools" / "echo", "#!/bin/sh\n")
    found = await found_in(tmp_path, run=run)
    assert found.problems == (f"{path} does not say what it is. There is no room.",)
