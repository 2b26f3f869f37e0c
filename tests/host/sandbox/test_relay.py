"""Commands in real sandboxes: what they reach, what they do not, and that they notice nothing else."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.process import Processes
from ferrule.host.relatives import descendants, process_table
from ferrule.host.sandbox.broker import Broker, prefix, variables
from ferrule.host.sandbox.find import find
from ferrule.host.sandbox.profile import Leave, Profile
from tests.host.sandbox.internet import BUBBLEWRAP, Inside, Ran, brokering, certificate, serving, until, web

pytestmark = pytest.mark.skipif(not Path(BUBBLEWRAP[0]).exists(), reason="needs bubblewrap")

NOT_LISTED = "host evil.com with port {} is not among those that the user allows (safety.network)"
AS_A_USER = ("/usr/sbin/runuser", "-u", "nobody", "--")


@asynccontextmanager
async def a_web() -> AsyncIterator[tuple[Broker, int]]:
    """A broker, and the port of a web server that has every name."""
    async with serving(web) as port, brokering() as broker:
        yield broker, port


@pytest.mark.parametrize("user", [(), AS_A_USER], ids=["as-is", "nobody"])
async def test_reaches_listed_hosts_and_no_others(user: tuple[str, ...]) -> None:
    python = "/usr/bin/python3" if user else sys.executable
    if user and (os.getuid() != 0 or subprocess.run([*user, python, "-c", ""]).returncode):
        pytest.skip("needs root, and an interpreter for everyone")
    async with a_web() as (broker, port):
        inside = Inside(broker, "*.example.org:*", wrapper=(*user, *BUBBLEWRAP, "--proc", "/proc"), python=python)
        ran = await inside.shell(
            f"curl -sS http://a.example.org:{port}/x | head -1; curl -sSp http://b.example.org:{port}/y | head -1;"
            f"curl -sS http://evil.com:{port}/; curl -sSp http://evil.com:{port}/;"
            f"curl -sS --socks5-hostname 127.0.0.1:61080 http://c.example.org:{port}/z | head -1; exit 7"
        )
        assert ran == Ran(
            code=7,
            output="GET /x HTTP/1.1\r\nGET /y HTTP/1.1\r\n"
            f"{NOT_LISTED.format(port)}\n"
            "curl: (56) CONNECT tunnel failed, response 403\n"
            "GET /z HTTP/1.1\r\n",
            refusals=(NOT_LISTED.format(port),),
        )


async def test_the_words_reach_whoever_reads_errors_alone() -> None:
    async with brokering() as broker:
        script = "import urllib.request as r; r.urlopen('https://evil.com:8443/')"
        ran = await Inside(broker, "host.org").run(sys.executable, "-c", script)
        assert f"Tunnel connection failed: 403 {NOT_LISTED.format(8443)}" in ran.output


async def test_encryption_goes_through_untouched(tmp_path: Path) -> None:
    tls, file = certificate(tmp_path, "host.org")
    async with serving(web, tls=tls) as port, brokering() as broker:
        inside = Inside(broker, "host.org:*", wrapper=(*BUBBLEWRAP, "--proc", "/proc", "--ro-bind", *([str(file)] * 2)))
        ran = await inside.shell(f"curl -sS --cacert {file} https://host.org:{port}/simple | head -1")
        assert ran == Ran(code=0, output="GET /simple HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "way_round",
    [
        "curl -sS --noproxy '*' http://127.0.0.1:{}/",
        "curl -sS --noproxy '*' --max-time 5 http://192.0.2.1:{}/",
        "env -i curl -sS http://localhost:{}/",
        "exec 3<>/dev/tcp/127.0.0.1/{}",
        "echo x > /dev/udp/192.0.2.1/{}",
        "env -i /usr/bin/getent hosts host.org {}",
        "curl -sSf http://127.0.0.1:{}/ -x 127.0.0.1:61080",
        "curl -sSf http://2130706433:{}/ -x 127.0.0.1:61080",
        "curl -sSf http://host.org:{}/ -x 127.0.0.1:61080 --request-target http://evil.com:{}/",
        "curl -sSf -H 'Host: host.org' http://evil.com:{}/",
        "curl -sSf --socks5 127.0.0.1:61080 http://127.0.0.1:{}/",
    ],
)
async def test_ways_round_the_list_lead_nowhere(way_round: str) -> None:
    async with a_web() as (broker, port):
        ran = await Inside(broker, "host.org:*").shell(way_round.replace("{}", str(port)))
        assert ran.code != 0
        assert "HTTP/1.1\r\n" not in ran.output


CONNECT = """
import socket, sys
connection = socket.create_connection(("127.0.0.1", 61080))
connection.sendall(b"CONNECT host.org:%s HTTP/1.1\\r\\n\\r\\n" % sys.argv[1].encode())
print(connection.recv(12).decode(), flush=True)
sys.stdin.read()
"""
STEAL = """
import ctypes, os, socket
call, found = ctypes.CDLL(None).syscall, []
for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
    holder = call(434, pid, 0)
    for number in range(64):
        if pid != os.getpid() and (taken := call(438, holder, number, 0)) >= 0:
            try:
                one = socket.socket(fileno=taken)
            except OSError:
                continue
            found.append((one.family.name, one.getpeername()))
print(sorted(found))
"""
"""Takes descriptors out of every other process (pidfd_open, pidfd_getfd)."""


async def test_no_socket_of_the_outer_network_can_be_had_inside() -> None:
    async with a_web() as (broker, port):
        python = sys.executable
        ran = await Inside(broker, "host.org:*").shell(
            f"coproc {python} -c '{CONNECT}' {port}; read -r first <&${{COPROC[0]}}; echo \"$first\";"
            f"{python} -c '{STEAL}'; true"
        )
        first, stolen, *rest = ran.output.splitlines()
        to_the_proxy = ("AF_INET", ("127.0.0.1", 61080))
        assert (first, rest) == ("HTTP/1.1 200", [])
        # What holds the line, over which nothing more is heard, can be had by one who may take from bubblewrap.
        assert eval(stolen) in ([to_the_proxy], [to_the_proxy, ("AF_UNIX", "")])


async def test_nothing_else_is_different_inside() -> None:
    async with brokering() as broker:
        inside = Inside(broker, "host.org")
        given = {"PATH": "/usr/bin:/bin", "ODD": "a=b\nc", "EMPTY": ""}
        inside.environment = {**given, "LD_LIBRARY_PATH": "/opt/for/the/interpreter"}
        ran = await inside.run("/usr/bin/env", "-0")
        expected = {**given, **variables(), "PWD": str(Path.cwd())}
        assert dict(one.split("=", 1) for one in ran.output.split("\0")[:-1]) == expected
        ran = await inside.shell("echo /proc/[0-9]*; ls /proc/self/fd; cat; echo $0 $#; grep SigIgn /proc/self/status")
        words, ignored = ran.output.split("SigIgn:")
        assert words == "/proc/1 /proc/2\n0\n1\n2\n3\n/bin/bash 0\n"
        assert not int(ignored, 16) >> (signal.SIGPIPE - 1) & 1  # Python's own habit, which a program must not inherit


async def test_without_proc_a_locale_is_all_that_is_added() -> None:
    async with brokering() as broker:
        inside = Inside(broker, "host.org", wrapper=(*BUBBLEWRAP, "--tmpfs", "/proc"))
        inside.environment = {"PATH": "/usr/bin:/bin", "LANG": "C"}
        ran = await inside.run("/usr/bin/env", "-0")
        expected = {**inside.environment, **variables(), "PWD": str(Path.cwd())}
        seen = dict(one.split("=", 1) for one in ran.output.split("\0")[:-1])
        assert {name: value for name, value in seen.items() if name != "LC_CTYPE"} == expected


async def test_any_bytes_can_be_arguments() -> None:
    async with brokering() as broker:
        ran = await Inside(broker).run("/usr/bin/printf", "%s|", b"a\xff\xfe", "é", "", "a b\nc", "--", "-c")
        assert ran.output.encode() == b"a\xef\xbf\xbd\xef\xbf\xbd|\xc3\xa9||a b\nc|--|-c|"


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (("/no/such/program",), 127, "/no/such/program: No such file or directory.\n"),
        (("/etc/passwd",), 126, "/etc/passwd: Permission denied.\n"),
    ],
)
async def test_a_program_that_cannot_be_started(argv: tuple[str, ...], code: int, words: str) -> None:
    async with brokering() as broker:
        ran = await Inside(broker).run(*argv)
        assert ran == Ran(code=code, output=f"The command could not be started in the sandbox: {words}")


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("kill -TERM $$", -15), ("kill -KILL $$", -9)])
def test_the_end_is_the_command_s_own(script: str, code: int) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        *start, _, _ = prefix(0, {})
        argv = [*start, str(theirs.fileno()), "0", "/bin/bash", "-c", script]
        assert subprocess.run(argv, pass_fds=[theirs.fileno()]).returncode == code
        _, (door,), _, _ = socket.recv_fds(ours, 1, 1)
        with socket.socket(fileno=door) as listener:
            assert listener.getsockname()[0] == "127.0.0.1"


def test_without_a_line_nothing_runs() -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs:
        *start, _, port = prefix(0, {})
        argv = [*start, str(theirs.fileno()), port, "/bin/echo", "ran"]
        ran = subprocess.run(argv, pass_fds=[theirs.fileno()], capture_output=True, text=True)
    words = "The command could not be started in the sandbox: the way to the allowed hosts: Broken pipe.\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (126, "", words)


async def test_its_own_servers_are_reached_without_the_proxy() -> None:
    async with brokering() as broker:
        server = f"{sys.executable} -m http.server -d /usr/share -b 127.0.0.1 8000"
        ran = await Inside(broker).shell(
            f"{server} 2>/dev/null & until curl -sf http://localhost:8000/ >/dev/null; do sleep 0.05; done; "
            "kill %1; echo ok"
        )
        assert ran.output == "ok\n"


async def test_a_background_process_keeps_its_way_out() -> None:
    async with a_web() as (broker, port):
        script = f"(exec 2>&1; sleep 0.2; curl -sS http://host.org:{port}/late | head -1) & exit 5"
        ran = await Inside(broker, "host.org:*", wrapper=(*BUBBLEWRAP, "--proc", "/proc")).shell(script)
        assert ran == Ran(code=5, output="GET /late HTTP/1.1\r\n")


async def test_a_killed_sandbox_leaves_nothing_behind() -> None:
    async with a_web() as (broker, port):
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(3):
            ask = f"exec 3<>/dev/tcp/127.0.0.1/61080; printf 'CONNECT host.org:{port} HTTP/1.1\\r\\n\\r\\n' >&3"
            script = f"{ask}; head -1 <&3; sleep 1000"
            line, process = await Inside(broker, "host.org:*").start("/bin/bash", "-c", script)
            assert process.stdout is not None
            assert await process.stdout.readline() == b"HTTP/1.1 200 Connection established\r\n"
            process.kill()
            await process.wait()
            await until(lambda line=line: line.is_closed)  # type: ignore[misc]
            del process
        await until(lambda: len(list(Path("/proc/self/fd").iterdir())) == before)


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
async def test_git_clones_from_a_listed_host(tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path / "work"], check=True)
    subprocess.run(["git", *identity, "commit", "-q", "--allow-empty", "-m", "one"], cwd=tmp_path / "work", check=True)
    subprocess.run(["git", "clone", "-q", "--bare", tmp_path / "work", origin], check=True)
    subprocess.run(["git", "update-server-info"], cwd=origin, check=True)

    async def files(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).decode().split()[1].split("?")[0]
        file = origin / path.removeprefix("/origin.git/")
        body = file.read_bytes() if file.is_file() else b""
        status = b"200 OK" if file.is_file() else b"404 Not Found"
        writer.write(b"HTTP/1.1 %b\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (status, len(body), body))
        await writer.drain()

    async with serving(files) as port, brokering() as broker:
        script = "cd /tmp && git clone -q http://{0}:{1}/origin.git copy && git -C copy log --format=%s; echo $?"
        ran = await Inside(broker, "git.example.org:*").shell(script.format("git.example.org", port))
        assert ran == Ran(code=0, output="one\n0\n")
        ran = await Inside(broker, "git.example.org:*").shell(script.format("evil.com", port))
        assert ran.refusals == (NOT_LISTED.format(port),)


async def test_commands_of_a_session_reach_the_hosts_that_they_have_leave_for(tmp_path: Path) -> None:
    root, private, scratch = (tmp_path / name for name in ("project", "private", "scratch"))
    for directory in (root, private, scratch):
        directory.mkdir(mode=0o700)
    profile = Profile(root=root, writable=(root,), private=private, scratch=scratch, state=tmp_path / "state")
    async with a_web() as (broker, port):
        found = find("bubblewrap", profile, home=Path.home(), path=os.defpath, open_way=broker.open_way)
        leave = Leave(hosts=(f"host.org:{port}",))
        processes = Processes(root, private, sandbox=found.sandbox, leave=lambda _: leave)
        try:
            script = f"curl -sS http://host.org:{port}/x | head -1; curl -sSp http://evil.com:{port}/; kill -9 $$"
            process = await processes.start(script, outputs=tmp_path)
            await processes.attend(process, seconds=30)
            assert await process.ended == 137
            text = process.output.take()
            assert "GET /x HTTP/1.1" in text
            assert "response 403" in text
            assert list(process.notes) == [f"A connection was refused: {NOT_LISTED.format(port)}."]
        finally:
            await processes.close()


async def test_a_host_in_the_list_that_is_none_is_said() -> None:
    async with brokering() as broker:
        with pytest.raises(ToolError, match=r"could not be started: in safety\.network '127\.1' is no host"):
            broker.open_way(("127.1",), 5)


def slay(pid: int) -> None:
    """Kill a process and all below it, as the keeper does; held still, it cannot start another one meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    for one in (pid, *descendants(pid, process_table())):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


@pytest.mark.slow
async def test_sandboxes_killed_at_any_moment_leave_nothing_behind() -> None:
    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(bytes(100_000))
            await writer.drain()

    async with serving(pour) as port, brokering() as broker:
        inside = Inside(broker, "host.org:*")
        before = len(list(Path("/proc/self/fd").iterdir()))
        for number in range(100):
            script = f"for i in 1 2 3; do curl -sp http://host.org:{port}/ >/dev/null & done; wait"
            line, process = await inside.start("/bin/bash", "-c", script)
            await asyncio.sleep(number / 1000)
            slay(process.pid)
            await process.communicate()
            await until(lambda line=line: line.is_closed)  # type: ignore[misc]
            del process
        await until(lambda: len(list(Path("/proc/self/fd").iterdir())) == before)
