"""What /proc tells about real processes."""

import marshal
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ferrule.host import probe
from ferrule.host.keeper import pack
from ferrule.host.probe import Family, Work
from ferrule.host.relatives import descendants, kin, process_table
from tests.host.shapes import wait_for

pytestmark = pytest.mark.skipif(not probe.AVAILABLE, reason="there is no /proc")


@contextmanager
def running(program: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that has printed something, so that it stands."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", program], stdin=stdin, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            assert process.stdout
            process.stdout.readline()
            yield process
        finally:
            process.kill()


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = os.openpty()
    yield theirs, os.fstat(theirs).st_rdev
    os.close(ours)
    os.close(theirs)


READY = "print(flush=True);"


def test_a_reader_of_the_terminal_is_seen() -> None:
    with terminal() as (end, device), running(READY + "input()", stdin=end) as reader:
        assert wait_for(lambda: probe.reads_terminal([reader.pid], device, threads=False))
        assert not probe.reads_terminal([reader.pid], device + 1, threads=False)
        assert not probe.reads_terminal([os.getpid()], device, threads=False)


def test_a_reader_of_the_controlling_terminal_is_seen() -> None:
    program = "import os; os.open(os.ttyname(0), os.O_RDWR);" + READY + "open('/dev/tty').read()"
    with terminal() as (end, device), running(program, stdin=end) as reader:
        assert wait_for(lambda: probe.reads_terminal([reader.pid], device, threads=False))


def test_a_thread_that_reads_counts_only_when_threads_do() -> None:
    program = "import threading,time; threading.Thread(target=input, daemon=True).start();" + READY + "time.sleep(60)"
    with terminal() as (end, device), running(program, stdin=end) as reader:
        assert wait_for(lambda: probe.reads_terminal([reader.pid], device, threads=True))
        assert not probe.reads_terminal([reader.pid], device, threads=False)


def test_who_waits_for_something_else_reads_nothing() -> None:
    with terminal() as (end, device), running(READY + "import time; time.sleep(60)", stdin=end) as sleeper:
        assert not probe.reads_terminal([sleeper.pid], device, threads=True)


@pytest.mark.parametrize("address", [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")], ids=["v4", "v6"])
def test_a_listening_port_is_found(address: tuple[int, str]) -> None:
    family, host = address
    with socket.socket(socket.AF_INET) as other:  # one that is bound, but does not listen
        other.bind(("127.0.0.1", 0))
        try:
            listener = socket.socket(family)
            listener.bind((host, 0))
        except OSError:
            pytest.skip("no such address here")
        with listener:
            listener.listen()
            ports = probe.listening_ports([os.getpid()])
            assert listener.getsockname()[1] in ports
            assert other.getsockname()[1] not in ports


def test_work_is_seen_and_rest_is_not() -> None:
    with running(READY + "import time; time.sleep(60)") as sleeper, running(READY + "\nwhile True: pass") as worker:
        rest, work = probe.work_of([sleeper.pid], 0.0), probe.work_of([worker.pid], 0.0)
        assert wait_for(lambda: work.goes_on_in(probe.work_of([worker.pid], 0.5)))
        assert not rest.goes_on_in(probe.work_of([sleeper.pid], 0.5))
        assert rest.goes_on_in(probe.work_of([sleeper.pid, worker.pid], 0.5))


def test_moved_bytes_are_work() -> None:
    program = READY + "import os,time\nwhile True: os.write(1, b'x' * 60); time.sleep(0.0005)"
    with running(program) as writer:
        assert writer.stdout
        before = probe.work_of([writer.pid], 0.0)
        while not Work(0.0, before.pids, before.seconds, before.bytes).goes_on_in(
            Work(0.1, before.pids, before.seconds, probe.work_of([writer.pid], 0.1).bytes)
        ):
            os.read(writer.stdout.fileno(), 4096)


def test_the_family_is_everyone_below() -> None:
    program = "import subprocess,sys; subprocess.Popen(['sleep', '60']);" + READY + "import time; time.sleep(60)"
    with running(program) as parent:
        family = Family(parent.pid)
        assert wait_for(lambda: [probe.title(pid) for pid in family.members()] == ["sleep 60"])
        (child,) = family.members()
        assert kin(child) == (parent.pid, parent.pid)
        assert set(family.members()) <= set(Family(os.getpid()).members())
        os.kill(child, 9)
        assert wait_for(lambda: family.members() == [])  # a dead child that nobody buried is no member


def test_a_process_that_is_gone_tells_nothing() -> None:
    process = subprocess.Popen(["true"])
    process.wait()

    assert probe.work_of([process.pid], 1.0) == Work(1.0)
    assert probe.listening_ports([process.pid]) == []
    assert not probe.reads_terminal([process.pid], 1, threads=True)
    assert (probe.title(process.pid), kin(process.pid)) == ("", None)


def test_a_long_title_is_cut() -> None:
    with subprocess.Popen(["sleep", "60", *["0"] * 80]) as process:
        try:
            assert wait_for(lambda: probe.title(process.pid) == "sleep 60 " + "0 " * 25 + "…")
        finally:
            process.kill()


def test_descendants_are_found_through_the_generations() -> None:
    table = {2: (1, 2), 3: (2, 2), 4: (3, 4), 5: (1, 5), 6: (4, 4)}

    assert descendants(2, table) == [3, 4, 6]
    assert descendants(9, table) == []
    assert process_table()[os.getpid()] == (os.getppid(), os.getpgrp())


def test_a_request_is_the_same_after_its_journey() -> None:
    words = ([b"bash", b"-c", b"echo \xff\n"], {b"A": b"1=2", b"B": b""}, b"/tmp/x y", (b"\0\1", b""))
    packed = pack(*words, locks=True, rules=b"r")

    assert int.from_bytes(packed[:8], "big") == len(packed) - 8
    assert marshal.loads(packed[8:]) == (*words, True, b"r")


def test_a_look_is_cheap() -> None:
    family = Family(os.getpid())
    family.members()
    began = time.process_time()
    for _ in range(20):
        probe.work_of(family.members(), 0.0)
    assert time.process_time() - began < 20 * 0.02
