"""The filter as the kernel applies it here, and interpreted for the machine that this one is not."""

import errno
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.sandbox.seccomp import SUPERVISED, call_numbers, filter_bytes

_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="there is no seccomp")
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOW, _KILL, _ASK = "allow", "kill", "ask"

_UNDER_FILTER = """
import ctypes, errno, os, socket, struct, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
program = bytes.fromhex(sys.argv[1])
code = ctypes.create_string_buffer(program, len(program))
pointer = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(code)))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, pointer, 0, 0) == 0

def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return errno.errorcode[ctypes.get_errno()] if result < 0 else "done"

def attempt(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

exec(sys.argv[2])
"""


def run(code: str, *, network: bool = False, unix_sockets: bool = False, bare: bool = False) -> str:
    program = filter_bytes(network=network, unix_sockets=unix_sockets, bare=bare)
    done = subprocess.run(
        [sys.executable, "-c", _UNDER_FILTER, program.hex(), code], capture_output=True, text=True, timeout=30
    )
    assert done.stderr == ""
    return done.stdout.strip()


def judge(program: bytes, machine: str, call: str | int, *arguments: int, architecture: int = 0) -> str:
    """Interpret a program as the kernel does."""
    number = call_numbers(machine)[call] if isinstance(call, str) else call
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, architecture or _ARCHITECTURES[machine], 0, *padded)
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at = value = 0
    while True:
        operation, if_so, if_not, operand = code[at]
        at += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                value &= operand
            case 0x15:
                at += if_so if value == operand else if_not
            case 0x35:
                at += if_so if value >= operand else if_not
            case 0x45:
                at += if_so if value & operand else if_not
            case 0x06:
                return _name(operand)
            case _:
                raise AssertionError(operation)


def _name(answer: int) -> str:
    if answer >> 16 == 5:
        return errno.errorcode[answer & 0xFFFF]
    return {0x7FFF0000: _ALLOW, 0x80000000: _KILL, 0x7FC00000: _ASK}[answer]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_the_program_answers(machine: str) -> None:
    closed, opened = filter_bytes(network=False, machine=machine), filter_bytes(network=True, machine=machine)
    cases: dict[tuple[Any, ...], str] = {
        (closed, "mount"): "EPERM",
        (closed, "setns", 3, 0): "EPERM",
        (closed, "keyctl", 0): "EPERM",
        (closed, "bpf", 0): "EPERM",
        (closed, "clone3"): "ENOSYS",
        (closed, "io_uring_setup", 1): "ENOSYS",
        (closed, "clone", 0x11): _ALLOW,
        (closed, "clone", 0x3D0F00): _ALLOW,
        (closed, "clone", 0x10000011): "EPERM",
        (closed, "clone", 0x20000): "EPERM",
        (closed, "unshare", 0x400): _ALLOW,
        (closed, "unshare", 0x80): "EPERM",
        (closed, "unshare", 1 << 63 | 0x10000000): "EPERM",
        (closed, "socket", socket.AF_UNIX, 1, 0): "EACCES",
        (closed, "socket", socket.AF_INET, 1, 0): "EACCES",
        (closed, "socket", 1 << 32 | socket.AF_INET, 1, 0): "EACCES",
        (closed, "socket", 16, 3, 0): _ALLOW,
        (closed, "socket", 16, 3, 9): "EACCES",
        (closed, "socketpair", 1, 1 | 0o2000000, 0): _ALLOW,
        (closed, "socketpair", 1, 5, 0): _ALLOW,
        (closed, "socketpair", 1, 2, 0): "EACCES",
        (closed, "socketpair", 1, 3, 0): "EACCES",
        (closed, "ioctl", 0, 0x5412): "EPERM",
        (closed, "ioctl", 0, 1 << 32 | 0x5412): "EPERM",
        (closed, "ioctl", 0, 0x5413): _ALLOW,
        (closed, "fchmodat", 0): _ALLOW,
        (closed, "shmget", 0): _ALLOW,
        (opened, "socket", socket.AF_INET, 1, 0): _ALLOW,
        (opened, "socket", socket.AF_INET6, 2, 0): _ALLOW,
        (opened, "socket", socket.AF_UNIX, 1, 0): "EACCES",
        (opened, "socket", 17, 3, 0): "EACCES",
        (opened, "socket", 40, 1, 0): "EACCES",
    }
    assert {case: judge(case[0], machine, *case[1:]) for case in cases} == cases


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_it_answers_without_namespaces(machine: str) -> None:
    program = filter_bytes(network=False, bare=True, machine=machine)
    numbers = call_numbers(machine)
    assert {judge(program, machine, name) for name in SUPERVISED.split() if name in numbers} == {_ASK}
    cases: dict[tuple[Any, ...], str] = {
        ("shmat", 1): "EPERM",
        ("mq_open", 0): "EPERM",
        ("setxattr", 0): "ENOTSUP",
        ("file_setattr", 0): "ENOTSUP",
        ("prlimit64", 0, 7, 4096): _ALLOW,
        ("prlimit64", 99, 7, 0): _ALLOW,
        ("prlimit64", 99, 7, 4096): "EPERM",
        ("prlimit64", 99, 7, 1 << 32): "EPERM",
        ("ioctl", 0, 0x5412): "EPERM",
        ("ioctl", 0, 0x40086602): "EPERM",
        ("ioctl", 0, 0x80086601): _ALLOW,
        ("ioctl", 0, 0x40049409): _ALLOW,
        ("ioctl", 0, 0x5000940E): "EPERM",
        ("ioctl", 0, 0x5401): _ALLOW,
    }
    assert {case: judge(program, machine, *case) for case in cases} == cases


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_no_program_is_made_to_run_as_its_owner(machine: str) -> None:
    numbers = call_numbers(machine)
    calls = {"chmod": (0,), "fchmod": (3,), "fchmodat": (3, 0), "fchmodat2": (3, 0)}
    known = {name: before for name, before in calls.items() if name in numbers}
    assert len(known) == (4 if machine == "x86_64" else 3)
    for bare, otherwise in ((False, _ALLOW), (True, _ASK)):
        program = filter_bytes(network=False, bare=bare, machine=machine)
        for name, before in known.items():
            modes = (0o4755, 0o6777, 0o4000, 1 << 32 | 0o4000, 0o755, 0o2775, 0o1777, 1 << 43)
            answers = [judge(program, machine, name, *before, mode) for mode in modes]
            assert answers == ["EPERM"] * 4 + [otherwise] * 4


@_LINUX
@pytest.mark.parametrize("bare", [False, True])
def test_the_kernel_refuses_it_too(tmp_path: Path, *, bare: bool) -> None:
    file = tmp_path / "program"
    file.touch(mode=0o700)
    code = f"""
path = {str(file)!r}
descriptor, directory = os.open(path, os.O_RDONLY), os.open(os.path.dirname(path), os.O_RDONLY)
print(attempt(lambda: os.chmod(path, 0o4755)), attempt(lambda: os.fchmod(descriptor, 0o4755)))
print(attempt(lambda: os.chmod("program", 0o6755, dir_fd=directory)), call(452, directory, b"program", 0o4755, 0))
"""
    assert run(code, bare=bare).split() == ["EPERM"] * 4
    assert file.stat().st_mode & 0o7777 == 0o700


def test_calls_in_a_foreign_form_are_not_taken() -> None:
    program = filter_bytes(network=True, machine="x86_64")
    assert judge(program, "x86_64", 0x40000000 | 41, 1, 1) == "ENOSYS"
    assert judge(program, "x86_64", 514, 0, 0x5412) == "ENOSYS"
    assert judge(program, "x86_64", "socket", 1, 1, architecture=0x40000003) == _KILL
    assert judge(filter_bytes(network=True, machine="aarch64"), "aarch64", 281, architecture=0x40000028) == _KILL


def test_every_jump_stays_inside() -> None:
    for machine in _ARCHITECTURES:
        for bare in (False, True):
            program = filter_bytes(network=True, bare=bare, machine=machine)
            count = len(program) // 8
            for at, (operation, if_so, if_not, _) in enumerate(struct.iter_unpack("<HBBI", program)):
                assert operation & 7 != 5 or at + 1 + max(if_so, if_not) < count
            assert program[-8:] == struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000)


def test_an_unknown_machine_is_refused() -> None:
    with pytest.raises(ToolError, match="not filtered on riscv64 machines"):
        filter_bytes(network=False, machine="riscv64")


@_LINUX
def test_the_numbers_are_those_of_this_kernel(tmp_path: Path) -> None:
    """The C compiler knows them too."""
    compiler = shutil.which("gcc")
    if not compiler:
        pytest.skip("there is no C compiler")
    numbers = call_numbers(os.uname().machine)
    lines = [f"#ifdef __NR_{name}\n{name} __NR_{name}\n#endif" for name in numbers]
    source = tmp_path / "numbers.c"
    source.write_text("#include <sys/syscall.h>\n" + "\n".join(lines))
    text = subprocess.run([compiler, "-E", "-P", source], capture_output=True, text=True, check=True).stdout
    known = dict(line.split() for line in text.splitlines() if len(line.split()) == 2 and line.split()[0] in numbers)
    assert len(known) > 60
    assert {name: int(number) for name, number in known.items()} == {name: numbers[name] for name in known}


@_LINUX
def test_sockets() -> None:
    code = """
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, 38, 40):
    print(attempt(lambda: socket.socket(family, socket.SOCK_STREAM).close()))
print(attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()))
print(attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()))
"""
    refused = ["EACCES"] * 6
    assert run(code).split() == [*refused, "EACCES", "done"]
    assert run(code, network=True).split() == ["EACCES", "done", "done", *refused[:3], "done", "done"]
    assert run(code, unix_sockets=True).split() == ["done", *refused[:5], "EACCES", "done"]


@_LINUX
@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_SEQPACKET", "SOCK_DGRAM", "SOCK_RAW"])
def test_a_pair_leads_to_no_other_socket(tmp_path: Path, kind: str) -> None:
    """A pair of datagram sockets would: each can be connected anew, or asked to send elsewhere."""
    path = tmp_path / "socket"
    listening = socket.socket(
        socket.AF_UNIX, socket.SOCK_DGRAM if kind in {"SOCK_DGRAM", "SOCK_RAW"} else getattr(socket, kind)
    )
    listening.bind(str(path))
    if kind in {"SOCK_STREAM", "SOCK_SEQPACKET"}:
        listening.listen()
    code = f"""
try:
    one, other = socket.socketpair(socket.AF_UNIX, socket.{kind})
except OSError:
    print("refused")
    sys.exit()
other.close()
for action in (
    lambda: one.connect({str(path)!r}),
    lambda: one.sendto(b"x", {str(path)!r}),
    lambda: libc.connect(one.fileno(), struct.pack("H", 0), 2) and one.connect({str(path)!r}),
    lambda: one.listen(),
    lambda: one.sendmsg([b"x"], [], 0, {str(path)!r}),
):
    print(attempt(action))
"""
    said = run(code).split()
    assert said == ["refused"] if kind in {"SOCK_DGRAM", "SOCK_RAW"} else "done" not in said
    listening.setblocking(False)
    with pytest.raises(BlockingIOError):
        listening.recv(1) if kind in {"SOCK_DGRAM", "SOCK_RAW"} else listening.accept()
    listening.close()


@_LINUX
def test_namespaces_and_privileges() -> None:
    numbers = call_numbers(os.uname().machine)
    code = f"""
numbers = {numbers!r}
print(call(numbers["unshare"], 0x10000000), call(numbers["unshare"], 0x20000), call(numbers["unshare"], 0x400))
print(call(numbers["clone"], 0x10000011, 0, 0, 0, 0), call(numbers["clone3"], 0, 0))
for name in ("mount", "umount2", "setns", "pivot_root", "chroot", "open_by_handle_at", "keyctl", "add_key", "bpf",
             "perf_event_open", "userfaultfd", "init_module", "kexec_load", "reboot", "fsopen", "open_tree"):
    print(call(numbers[name], 0, 0, 0, 0, 0))
for name in ("io_uring_setup", "io_uring_enter", "io_uring_register"):
    print(call(numbers[name], 0, 0, 0, 0, 0))
print(attempt(lambda: __import__("fcntl").ioctl(0, 0x5412, b"x")))
"""
    expected = ["EPERM", "EPERM", "done", "EPERM", "ENOSYS", *["EPERM"] * 16, *["ENOSYS"] * 3, "EPERM"]
    assert run(code).split() == expected


@_LINUX
def test_ordinary_programs_go_on() -> None:
    code = """
thread = threading.Thread(target=lambda: print("thread", flush=True))
thread.start()
thread.join()
print(subprocess.run(["sh", "-c", "echo $(echo child) | cat"], capture_output=True, text=True).stdout.strip())
one, other = socket.socketpair()
one.send(b"pair")
print(other.recv(4).decode())
import asyncio
print(asyncio.run(asyncio.sleep(0, "loop")))
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print(os.posix_spawn("/bin/true", ["true"], {}) > 0)
"""
    for bare in (False, True):
        assert run(code, bare=bare).split() == ["thread", "child", "pair", "loop", "True"]


@_LINUX
@pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace")
def test_a_debugger_may_look_at_its_own() -> None:
    code = (
        "print(subprocess.run(['strace', '-o', '/dev/null', 'echo', 'traced'], capture_output=True, text=True).stdout)"
    )
    assert run(code) == "traced"


@_LINUX
def test_changes_are_unknown_calls_where_nobody_answers(tmp_path: Path) -> None:
    """Without a monitor the filter fails closed."""
    (tmp_path / "file").touch(mode=0o600)
    code = f"print(attempt(lambda: os.chmod({str(tmp_path / 'file')!r}, 0o777)))"
    assert run(code, bare=True) == "ENOSYS"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
