"""The external tools that are shipped as examples: found as they lie there, and called as a model would call them."""

import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError

import msgspec
import pytest

from ferrule.core.tool import Output
from ferrule.extend.discover import Place
from ferrule.extend.external import External, ExternalTool
from tests.extend.programs import found_in, program, project
from tests.tools.calling import output_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "tools"
Page = tuple[int, dict[str, str], bytes]

pytestmark = pytest.mark.slow  # each starts several programs


@pytest.fixture
async def tools(tmp_path: Path) -> dict[str, ExternalTool]:
    found = await found_in(tmp_path, Place(EXAMPLES))
    assert found.problems == ()
    return {tool.spec.name: tool for tool in found.tools}


def started_with(tool: ExternalTool, *words: str) -> ExternalTool:
    external: External = msgspec.structs.replace(tool.external, argv=(*tool.external.argv, *words))
    return ExternalTool(external)


def test_all_four_are_there_and_say_what_they_touch(tools: dict[str, ExternalTool]) -> None:
    assert {name: tool.external.declared.effect for name, tool in tools.items()} == {
        "git_status": "read",
        "run_tests": "execute",
        "web_fetch": "network",
        "web_search": "network",
    }


@contextmanager
def site(pages: dict[str, Page]) -> Iterator[str]:
    """A web server on loopback with a few pages; gives its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = pages.get(self.path, (404, {}, b"nothing"))
            self.send_response(status)
            for name, value in ({"Content-Type": "text/html"} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PAGE = b"""<html><head><title> The  Shop </title><style>p {}</style></head><body><h1>Bolts</h1>
<p>All of   them are <b>new</b>.</p><script>alert(1)</script>
<ul><li>M3<li><a href="/m4?x=1">M4</a></ul></body></html>"""
PAGES: dict[str, Page] = {
    "/": (200, {}, PAGE),
    "/data": (200, {"Content-Type": "application/json"}, b'{"bolts": 120}'),
    "/latin": (200, {"Content-Type": "text/plain; charset=latin-1"}, "grün".encode("latin-1")),
    "/odd": (200, {"Content-Type": "text/plain; charset=nonsense"}, b"words"),
    "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/huge": (200, {"Content-Type": "text/plain"}, b"x" * 5_000_001),
    "/long": (200, {"Content-Type": "text/plain"}, b"y" * 1_000),
    "/moved": (302, {"Location": "/data"}, b""),
    "/away": (302, {"Location": "http://other.example/x"}, b""),
    "/round": (302, {"Location": "/round"}, b""),
    "/file": (302, {"Location": "file:///etc/passwd"}, b""),
}
FETCHED = {
    "/": "# The Shop\n\nBolts\n\nAll of them are new.\n\n- M3\n- M4 ({site}/m4?x=1)",
    "/data": '{"bolts": 120}',
    "/latin": "grün",
    "/odd": "words",
    "/moved": '{"bolts": 120}',
    "/long": "y" * 100 + "\n… 900 characters left out; ask for more with max_chars.",
}
REFUSED = {
    "/picture": "It is image/png, and only text can be shown.",
    "/huge": "It has more than 5,000,000 bytes.",
    "/away": "It redirects to http://other.example/x, on another host. Fetch that if it is what you want.",
    "/round": "HTTP Error 302: The HTTP server returned a redirect error that would lead to an infinite loop.",
    "/file": "HTTP Error 302: Found - Redirection to url 'file:///etc/passwd' is not allowed",
    "/none": "HTTP Error 404: Not Found",
}
NOT_HERE = "is this machine or its private network ({}), which is not fetched from."
KEPT_AWAY = {
    "http://127.0.0.1:9/": f"127.0.0.1 {NOT_HERE.format('127.0.0.1')}",
    "http://[::1]:9/": f"::1 {NOT_HERE.format('::1')}",
    "http://0x7f.1:9/": f"0x7f.1 {NOT_HERE.format('127.0.0.1')}",
    "http://169.254.169.254/latest": f"169.254.169.254 {NOT_HERE.format('169.254.169.254')}",
    "http://[::ffff:10.0.0.1]/": f"::ffff:10.0.0.1 {NOT_HERE.format('::ffff:10.0.0.1')}",
    "https://0.0.0.0/": f"0.0.0.0 {NOT_HERE.format('0.0.0.0')}",
    "file:///etc/passwd": "file:///etc/passwd is no http:// or https:// address.",
    "http://user:word@example.org/": "An address with a user or a password in it is not fetched.",
}


def inner(name: str) -> ModuleType:
    """An example as a module, for what would take long through the front door."""
    loader = SourceFileLoader(name, str(EXAMPLES / name))
    module = ModuleType(name)
    exec(compile(loader.get_data(loader.path), loader.path, "exec"), module.__dict__)
    return module


async def test_web_fetch(tools: dict[str, ExternalTool], tmp_path: Path) -> None:
    fetch = started_with(tools["web_fetch"], "--allow-private")
    with site(PAGES) as address:
        async with project(tmp_path) as context:
            assert await output_of(fetch, context, url=f"{address}/") == Output(FETCHED["/"].format(site=address))
            assert await output_of(fetch, context, url=f"{address}/none") == Output(
                "The server answered 404 Not Found.", is_error=True
            )
            assert await output_of(fetch, context, url=f"{address}/away") == Output(
                f"It could not be fetched: {REFUSED['/away']}", is_error=True
            )
            assert await output_of(tools["web_fetch"], context, url=f"{address}/") == Output(
                f"It could not be fetched: 127.0.0.1 {NOT_HERE.format('127.0.0.1')}", is_error=True
            )


@pytest.mark.parametrize("path", FETCHED)
def test_web_fetch_reads(path: str) -> None:
    more = {"max_chars": 100} if path == "/long" else {}
    with site(PAGES) as address:
        text = inner("web_fetch").page({"url": f"{address}{path}"} | more, private=True)
    assert text == (FETCHED[path].format(site=address) if "{site}" in FETCHED[path] else FETCHED[path])


@pytest.mark.parametrize("path", REFUSED)
def test_web_fetch_refuses(path: str) -> None:
    fetch = inner("web_fetch")
    with site(PAGES) as address, pytest.raises((fetch.FailedError, OSError)) as caught:
        fetch.page({"url": f"{address}{path}"}, private=True)
    if isinstance(caught.value, HTTPError):
        caught.value.close()
    assert str(caught.value).startswith(REFUSED[path])


@pytest.mark.parametrize("url", KEPT_AWAY)
def test_web_fetch_stays_away_from_this_machine(url: str) -> None:
    fetch = inner("web_fetch")
    with pytest.raises(fetch.FailedError) as caught:
        fetch.page({"url": url}, private=False)
    assert str(caught.value) == KEPT_AWAY[url]


FOUND = b"""<div class="result"><h2><a rel="nofollow" class="result__a"
 href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fa%3Fb%3D1&amp;rut=x">First <b>one</b></a></h2>
<a class="result__snippet" href="x">Words of
 it</a></div><div><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Advertisement</a></div>
<div><a class="result__a" href="https://example.org/c">Second</a></div>"""


async def test_web_search(tools: dict[str, ExternalTool], tmp_path: Path) -> None:
    results = {"results": [{"title": "Only", "url": "https://example.org/o", "content": None}, {"title": "Not"}]}
    pages: dict[str, Page] = {
        "/html/?q=two+words": (200, {}, FOUND),
        "/html/?q=nothing": (200, {}, b"<html>"),
        "/search?q=mine&format=json": (200, {}, msgspec.json.encode(results)),
        "/search?q=odd&format=json": (200, {}, b"<html>"),
    }
    with site(pages) as address:
        page = started_with(tools["web_search"], "--page", f"{address}/html/")
        server = started_with(tools["web_search"], "--server", f"{address}/")
        async with project(tmp_path) as context:
            assert await output_of(page, context, query="two words") == Output(
                "1. First one\nhttps://example.org/a?b=1\nWords of it\n\n2. Second\nhttps://example.org/c"
            )
            assert await output_of(page, context, query="nothing") == Output("Nothing was found.")
            assert await output_of(server, context, query="mine", count=1) == Output("1. Only\nhttps://example.org/o")
            assert (await output_of(server, context, query="odd")).is_error
            assert await output_of(page, context, query="gone") == Output(
                "The search failed: HTTP Error 404: Not Found", is_error=True
            )


def git(directory: Path, *words: str) -> None:
    settings = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *settings, *words], cwd=directory, check=True, capture_output=True)


async def test_git_status(tools: dict[str, ExternalTool], tmp_path: Path) -> None:
    status = tools["git_status"]
    async with project(tmp_path) as context:
        root = context.directory
        assert (await output_of(status, context)).is_error
        git(root, "init")
        for name in ("a.txt", "b c.txt", "d.txt"):
            (root / name).write_text("one\n")
        git(root, "add", ".")
        git(root, "commit", "-m", "first")
        assert await output_of(status, context) == Output("On main\nNothing has changed.")
        (root / "a.txt").write_text("two\n")
        git(root, "add", "a.txt")
        (root / "b c.txt").write_text("two\n")
        (root / "d.txt").unlink()
        (root / "ü").touch()
        assert await output_of(status, context) == Output(
            "On main\nStaged (1):\n  M a.txt\nChanged (2):\n  M b c.txt\n  D d.txt\nNew, not yet in git (1):\n  ü"
        )
        git(root, "config", "filter.evil.clean", "touch evil; cat")
        (root / ".gitattributes").write_text("* filter=evil\n")
        assert await output_of(status, context) == Output(
            "This repository names programs of its own for git to run (filter.evil.clean); use bash to run git here.",
            is_error=True,
        )
        assert await output_of(status, context, path="none") == Output("none is no directory.", is_error=True)
        assert not (root / "evil").exists()


@asynccontextmanager
async def python_project(base: Path) -> AsyncIterator[Any]:
    async with project(base) as context:
        (context.directory / "conftest.py").touch()
        (context.directory / "test_sums.py").write_text(
            "def test_good():\n    assert 1 + 1 == 2\n\n\ndef test_bad():\n    assert 1 + 1 == 3\n"
        )
        (context.directory / ".venv" / "bin").mkdir(parents=True)
        # The interpreter of these tests has pytest; the one that starts the example need not.
        python = context.directory / ".venv" / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
        yield context


async def test_run_tests(tools: dict[str, ExternalTool], tmp_path: Path) -> None:
    async with python_project(tmp_path) as context:
        good = await output_of(tools["run_tests"], context, path="test_sums.py", match="good")
        assert not good.is_error
        first, *_, last = str(good.content).split("\n")
        assert first == "$ .venv/bin/python -m pytest -q -k good test_sums.py"
        assert last == "The tests passed."
        bad = str((await output_of(tools["run_tests"], context)).content)
        assert "assert (1 + 1) == 3" in bad
        assert bad.endswith("The tests failed (exit code 1).")
        assert await output_of(tools["run_tests"], context, path="--version") == Output(
            "Neither path nor match can begin with a dash.", is_error=True
        )


async def test_run_tests_by_make_or_not_at_all(tools: dict[str, ExternalTool], tmp_path: Path) -> None:
    async with project(tmp_path) as context:
        assert (await output_of(tools["run_tests"], context)).is_error
        (context.directory / "Makefile").write_text("all:\n\ntest:\n\t@seq 200\n")
        told = str((await output_of(tools["run_tests"], context)).content).split("\n")
        assert told[:3] == ["$ make test", "… 80 lines left out …", "81"]
        assert told[-1] == "The tests passed."


async def test_the_tool_of_the_documentation(tmp_path: Path) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "external-tools.md").read_text("utf-8")
    tool_text, *_, by_hand = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    home = tmp_path / "home"
    path = program(home / ".config/ferrule/tools/word_count", tool_text)
    found = await found_in(tmp_path, Place(path.parent))
    assert found.problems == ()
    async with project(tmp_path) as context:
        assert await output_of(found.tools[0], context, text="one two three") == Output("3 words")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    ran = subprocess.run(["bash", "-c", by_hand], env=environment, check=True, capture_output=True, text=True)
    assert ran.stdout.endswith("}}\n3 words\n")
