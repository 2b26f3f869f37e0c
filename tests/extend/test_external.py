"""Calls of external tools: good answers, and every way in which a program can fail to give one."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.errors import ArgumentError
from ferrule.core.tool import Effect, Output
from ferrule.extend.calling import LIMIT
from tests.extend.programs import alive, program, project, shell, tool_of
from tests.support import until
from tests.tools.calling import output_of, refusal_of

ANSWERS = {
    'printf %s \'{"content": "two\\nlines"}\'': Output("two\nlines"),
    'echo \'{"content": "all well", "error": null}\'': Output("all well"),
    'echo \'{"error": "no such city"}\'': Output("no such city", is_error=True),
    "echo '{\"degrees\": 7}'": Output('{"degrees": 7}'),
    "echo '\"a word\"'": Output("a word"),
    "echo plain words; echo of two lines": Output("plain words\nof two lines"),
    "true": Output(""),
    "exec <&-; echo deaf": Output("deaf"),
    "echo careful >&2; echo done": Output("done"),
    "printf '\\033[31mred\\033[0m\\r\\n'": Output("red"),
    'printf \'{"content": "\\\\u001b]0;title\\\\u0007text"}\'': Output("text"),
    'echo \'{"content": "cut\'': Output('{"content": "cut'),
    "echo half; exit 3": Output("half\nbroken failed: exit code 3.", is_error=True),
    "echo why >&2; exit 1": Output("broken failed: exit code 1.\nwhy", is_error=True),
    'echo \'{"error": "quota"}\'; exit 4': Output("quota\nbroken failed: exit code 4.", is_error=True),
    "kill -SEGV $$": Output("broken failed: it was killed by SIGSEGV.", is_error=True),
    "head -c 3000 /dev/zero": Output("broken printed 3,000 bytes that are not text.", is_error=True),
    "printf '\\377\\376rubbish'": Output("broken printed 9 bytes that are not text.", is_error=True),
    "yes": Output(
        f"broken printed more than {LIMIT:,} bytes and was stopped. It should answer with less.", is_error=True
    ),
    "(echo hello >/dev/tty) 2>&- || echo no terminal": Output("no terminal"),
}


@pytest.mark.parametrize("body", ANSWERS, ids=lambda body: body[:40])
async def test_an_answer(body: str, tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "broken", body)
    async with project(tmp_path) as context:
        assert await output_of(tool_of(path), context, text="x") == ANSWERS[body]


async def test_the_program_has_its_arguments_and_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "hush")
    path = shell(tmp_path / "it's a $(place)" / "echo", 'cat; printf "\\n%s %s" "$PWD" "$ACME_API_KEY"')
    async with project(tmp_path) as context:
        output = await output_of(tool_of(path), context, text="it's `here` $HOME\n\u2028ü")
        assert output == Output(f'{{"text":"it\'s `here` $HOME\\n\u2028ü"}}\n{context.directory} ')


async def test_long_arguments_and_a_long_answer_arrive_whole(tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "echo", "cat")
    text = "ü" * 300_000
    async with project(tmp_path) as context:
        assert await output_of(tool_of(path), context, text=text) == Output(f'{{"text":"{text}"}}')


async def test_a_flood_on_stderr_is_cut(tmp_path: Path) -> None:
    path = shell(
        tmp_path / "tools" / "noisy", "head -c 30000000 /dev/zero | tr '\\0' x >&2; echo; echo last >&2; exit 1"
    )
    async with project(tmp_path) as context:
        output = await output_of(tool_of(path), context)
    assert output.is_error
    assert len(str(output.content)) < 5_000
    assert str(output.content).endswith("xlast")


@pytest.mark.slow
async def test_one_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "hang", "trap '' TERM; sleep 1000 & echo $! $$ >pids; wait")
    async with project(tmp_path) as context:
        words = await refusal_of(tool_of(path, timeout=1.5), context)
        assert words == "hang failed. It did not end within 1.5 s, and was killed with all that it had started."
        assert not any(map(alive, map(int, (context.directory / "pids").read_text().split())))


async def test_a_daemon_neither_holds_it_up_nor_survives(tmp_path: Path) -> None:
    forks = "setsid sh -c 'echo $$ >pid; exec sleep 1000' & until test -s pid; do sleep 0.01; done; echo done"
    path = shell(tmp_path / "tools" / "forks", forks)
    async with project(tmp_path) as context:
        assert await output_of(tool_of(path, timeout=30), context) == Output("done")
        assert not alive(int((context.directory / "pid").read_text()))


async def test_an_interrupted_call_leaves_nothing(tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "hang", "echo $$ >pid; exec sleep 1000")
    async with project(tmp_path) as context:
        task = asyncio.create_task(output_of(tool_of(path), context))
        pid = context.directory / "pid"
        await until(lambda: pid.exists() and pid.read_text().strip())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not alive(int(pid.read_text()))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo hello\n", "it is no program; a script needs a first line such as #!/bin/sh"),
        (b"\x7fELF\x00\x01garbage" * 100, "it is no program; a script needs a first line such as #!/bin/sh"),
        ("", "it is no program; a script needs a first line such as #!/bin/sh"),
        (
            "#!/no/such/interpreter\n",
            "there is no such file, or not the interpreter that its first line names",
        ),
    ],
    ids=["no-shebang", "binary-garbage", "empty", "no-interpreter"],
)
async def test_one_that_cannot_be_started(text: str | bytes, why: str, tmp_path: Path) -> None:
    path = program(tmp_path / "tools" / "broken", text)
    async with project(tmp_path) as context:
        assert await refusal_of(tool_of(path), context) == f"broken failed. It could not be started: {why}."


async def test_one_that_changed_or_went_is_not_run(tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "swapped", "echo good")
    tool = tool_of(path)
    async with project(tmp_path) as context:
        shell(path, "touch evil; echo evil")
        os.utime(path, ns=(0, 0))
        assert await refusal_of(tool, context) == (
            f"swapped was not run: {path} has changed since the tools were loaded."
        )
        path.unlink()
        assert await refusal_of(tool, context) == f"swapped cannot be run: {path}: No such file or directory."
        assert list(context.directory.iterdir()) == []


async def test_without_a_project(tmp_path: Path) -> None:
    path = shell(tmp_path / "tools" / "echo", "cat")
    async with project(tmp_path) as context:
        context.directory.rmdir()
        words = await refusal_of(tool_of(path), context)
        assert words == (
            f"echo failed. The command could not be started: No such file or directory: '{context.directory}'."
        )


def effects(program: Path, effect: str, **args: Any) -> tuple[Effect, ...]:
    tool = tool_of(program, effect=effect, parameters={"type": "object"})
    return tool.effects(tool.parse(args))


def test_what_a_call_would_touch(tmp_path: Path) -> None:
    path = shell(tmp_path / "tool", "true")
    assert effects(path, "execute", path="a") == (Effect("execute", f'{path} {{"path":"a"}}'),)
    assert effects(path, "read") == (Effect("read", "."),)
    assert effects(path, "read", path="/etc/passwd", text="x") == (Effect("read", "/etc/passwd"),)
    assert effects(path, "write", paths=["a", "b", 3], file="a") == (Effect("write", "a"), Effect("write", "b"))
    assert effects(path, "write", path=" ") == (Effect("write", "."),)
    assert effects(path, "network", url="https://example.org/x") == (Effect("network", "https://example.org/x"),)
    assert effects(path, "network", query="x") == (Effect("network", f'{path} {{"query":"x"}}'),)


def test_arguments_that_do_not_fit(tmp_path: Path) -> None:
    tool = tool_of(shell(tmp_path / "echo", "cat"))
    with pytest.raises(ArgumentError, match=r"^echo: expected `string`, got `integer` for `text`\.$"):
        tool.parse({"text": 3})
