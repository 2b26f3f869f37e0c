"""External tools for the tests: real programs, good ones and broken ones."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.tool import ToolContext
from ferrule.extend.declared import Declared
from ferrule.extend.discover import Found, Place, Run, asking, discover
from ferrule.extend.external import External, ExternalTool, stamp_of
from ferrule.host.machine import Host
from tests.tools.calling import context_in

ECHO = {"type": "object", "properties": {"text": {"type": "string"}}}


def described(name: str = "echo", **more: Any) -> str:
    """What a tool says of itself, as JSON."""
    return msgspec.json.encode({"name": name, "description": "Says it again.", "parameters": ECHO} | more).decode()


def program(path: Path, text: str | bytes, *, mode: int = 0o755) -> Path:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return path


def shell(path: Path, body: str, *, schema: str | None = None) -> Path:
    """Write a shell script that describes itself, and does something else when it is called."""
    said = described(path.name) if schema is None else schema
    return program(path, f"#!/bin/sh\nif [ \"$1\" = --schema ]; then\ncat <<'END'\n{said}\nEND\nexit\nfi\n{body}\n")


def tool_of(path: Path, **declared: Any) -> ExternalTool:
    """A program as a tool, without asking it."""
    about = {"name": path.name, "description": "Does something.", "parameters": ECHO} | declared
    stamp = stamp_of(path)
    return ExternalTool(External(declared=Declared(**about), argv=(str(path),), origin=path, stamp=stamp))


@asynccontextmanager
async def project(base: Path) -> AsyncIterator[ToolContext[Host]]:
    """A directory in which tools run, unconfined; nothing is left of what they exchange."""
    directory = base / "project"
    directory.mkdir(exist_ok=True)
    context = context_in(directory)
    try:
        yield context
    finally:
        await context.host.processes.close()
    outputs = context.host.outputs
    assert [*outputs.glob("call-*"), *outputs.glob("apart-*")] == []


async def found_in(base: Path, *places: Place, run: Run | None = None, **more: Any) -> Found:
    """What is found in directories, with a cache beside the project."""
    async with project(base) as context:
        host = context.host
        run = run or asking(host.processes, host.outputs, cwd=context.directory, seconds=10)
        return await discover(places or [Place(base / "tools")], run=run, **{"cache": base / "cache.json"} | more)


def alive(pid: int) -> bool:
    """Whether a process still runs."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
