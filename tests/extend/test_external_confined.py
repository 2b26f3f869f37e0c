"""External tools run in the sandbox of the session: where they lie can be read, and no more is theirs than declared."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.tool import Output, ToolContext
from ferrule.extend.discover import Place, asking, discover
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.host.sandbox.bubblewrap import Bubblewrap
from tests.extend.programs import shell, tool_of
from tests.host.sandbox.boxes import BWRAP, PATH, Box, needs_bubblewrap
from tests.host.sandbox.internet import serving, web
from tests.host.shapes import new_token, sleepers
from tests.tools.calling import output_of

TOOLS = "home/.config/ferrule/tools"
pytestmark = needs_bubblewrap


@asynccontextmanager
async def confined(base: Path) -> AsyncIterator[ToolContext[Host]]:
    """A session as it is in earnest: Ferrule's own directories are closed, but for the tools and the outputs."""
    base = base.resolve()
    (base / TOOLS).mkdir(parents=True, exist_ok=True)
    (base / "home/.config/ferrule/config.json").write_text("secret")
    box = Box(base, masked=(".config/ferrule",))
    profile = msgspec.structs.replace(box.profile, readable=(box.own / "outputs", base / TOOLS))
    sandbox = Bubblewrap(BWRAP, profile, home=box.home, path=PATH, loopback=True)
    processes = Processes(box.root, profile.private, environment=box.environment, sandbox=sandbox)
    host = Host(files=Files(), processes=processes, outputs=box.own / "outputs")
    try:
        yield ToolContext(directory=box.root, host=host, report=lambda _: None)
    finally:
        await processes.close()


async def test_what_it_can_and_cannot_touch(tmp_path: Path) -> None:
    body = """
echo inside >made
(echo x >"$HOME/escaped") 2>&- || echo not in the home directory
(echo x >"$0") 2>&- || echo not in itself
cat "$HOME/.config/ferrule/config.json" 2>&- || echo no secrets
env | grep -c KEY
ls "$(dirname "$0")"
"""
    async with confined(tmp_path) as context:
        path = shell(tmp_path / TOOLS / "prying", body)
        output = await output_of(tool_of(path), context)
        assert output == Output("not in the home directory\nnot in itself\nno secrets\n0\nprying")
        assert (context.directory / "made").read_text() == "inside\n"
        assert not (tmp_path / "home/escaped").exists()


async def test_it_is_asked_for_its_schema_in_there_too(tmp_path: Path) -> None:
    async with confined(tmp_path) as context:
        path = shell(tmp_path / TOOLS / "prying", "true")
        path.write_text(path.read_text().replace("#!/bin/sh\n", '#!/bin/sh\necho x >"$HOME/escaped"\n'))
        run = asking(context.host.processes, context.host.outputs, cwd=context.directory, seconds=10)
        found = await discover([Place(tmp_path / TOOLS)], run=run, cache=tmp_path / "cache.json")
        assert [tool.spec.name for tool in found.tools] == ["prying"]
        assert not (tmp_path / "home/escaped").exists()


async def test_the_network_is_for_those_that_declare_it(tmp_path: Path) -> None:
    fetch = (
        'read line; exec 3<>"/dev/tcp/127.0.0.1/$PORT" || exit 7; printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3; head -n1 <&3'
    )
    async with confined(tmp_path) as context, serving(web) as port:
        path = tmp_path / TOOLS / "fetch"
        shell(path, fetch.replace("$PORT", str(port)))
        path.write_text(path.read_text().replace("#!/bin/sh", "#!/bin/bash"))
        refused = await output_of(tool_of(path), context)
        assert refused.is_error
        assert "Connection refused" in str(refused.content)
        reached: Any = await output_of(tool_of(path, effect="network"), context)
        assert reached == Output("HTTP/1.1 200 OK")
        assert [*context.host.outputs.glob("apart-*"), *context.host.outputs.glob("call-*")] == []


async def test_nothing_of_it_survives(tmp_path: Path) -> None:
    async with confined(tmp_path) as context:
        token = new_token()
        body = f"for way in '' setsid nohup; do $way sleep {token} & done; sleep 0.2; echo left"
        path = shell(tmp_path / TOOLS / "forks", body)
        for effect in ("execute", "network"):
            assert await output_of(tool_of(path, effect=effect), context) == Output("left")
            assert sleepers(token) == []
