"""Ferrule's own helpers run to their end, within bounds."""

import asyncio
import os
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.program import Captured, capture
from tests.host.shapes import new_token, sleepers, until


async def run(command: str, tmp_path: Path, *, limit: int = 1_000, timeout: float = 30, stdin: bytes = b"") -> Captured:
    return await capture(["bash", "-c", command], cwd=tmp_path, limit=limit, timeout=timeout, stdin=stdin)


async def test_output_errors_and_code_are_told_apart(tmp_path: Path) -> None:
    captured = await run("pwd; echo bad >&2; cat; exit 3", tmp_path)

    assert captured == Captured(code=3, stdout=f"{tmp_path}\n".encode(), stderr=b"bad\n", truncated=False)


async def test_input_is_given(tmp_path: Path) -> None:
    data = b"x" * 500_000

    assert (await run("wc -c", tmp_path, stdin=data)).stdout.strip() == b"500000"
    assert (await run("head -c 1", tmp_path, stdin=data)).stdout == b"x"


async def test_it_is_stopped_at_the_limit(tmp_path: Path) -> None:
    assert await run("yes", tmp_path, limit=10) == Captured(code=-9, stdout=b"y\n" * 5, stderr=b"", truncated=True)
    assert await run("printf 0123456789", tmp_path, limit=10) == Captured(
        code=0, stdout=b"0123456789", stderr=b"", truncated=False
    )


async def test_many_errors_do_not_hold_it_up(tmp_path: Path) -> None:
    captured = await run("yes | head -c 1000000 >&2; echo done", tmp_path)

    assert (captured.stdout, len(captured.stderr)) == (b"done\n", 65_536)


async def test_a_timeout_kills_it_and_what_it_started(tmp_path: Path) -> None:
    token = new_token()
    with pytest.raises(ToolError, match=r"^bash did not finish within 0\.3 s\.$"):
        await run(f"sleep {token} & sleep {token}", tmp_path, timeout=0.3)
    await until(lambda: sleepers(token) == [])


async def test_a_cancellation_kills_it(tmp_path: Path) -> None:
    token = new_token()
    task = asyncio.create_task(run(f"sleep {token}; true", tmp_path))
    await until(lambda: sleepers(token))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: sleepers(token) == [])


async def test_what_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await capture([str(tmp_path / "no-such-program")], cwd=tmp_path, limit=10, timeout=1)


async def test_secrets_stay_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_API_KEY", "secret")

    assert b"CANARY" not in (await run("env", tmp_path, limit=100_000)).stdout
    assert os.environ["CANARY_API_KEY"] == "secret"
