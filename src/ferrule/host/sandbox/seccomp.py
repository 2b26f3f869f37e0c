"""The filter on system calls: a seccomp program that closes what mounts, namespaces and Landlock leave open.

Everything is allowed but what stands in the lists below. A program that asks for more is told that it may not, as
it would be for want of a privilege, and can go on without.
"""

import errno
import os
import struct

from ferrule.core.errors import ToolError

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NUMBERS = """
clone 56 220                clone3 435 435              unshare 272 97              setns 308 268
mount 165 40                umount2 166 39              pivot_root 155 41           chroot 161 51
open_tree 428 428           move_mount 429 429          fsopen 430 430              fsconfig 431 431
fsmount 432 432             fspick 433 433              mount_setattr 442 442       open_tree_attr 467 467
name_to_handle_at 303 264   open_by_handle_at 304 265   quotactl 179 60             quotactl_fd 443 443
io_uring_setup 425 425      io_uring_enter 426 426      io_uring_register 427 427
add_key 248 217             request_key 249 218         keyctl 250 219
bpf 321 280                 perf_event_open 298 241     userfaultfd 323 282         fanotify_init 300 262
kexec_load 246 104          kexec_file_load 320 294     init_module 175 105         finit_module 313 273
delete_module 176 106       reboot 169 142              acct 163 89                 syslog 103 116
swapon 167 224              swapoff 168 225             sethostname 170 161         setdomainname 171 162
settimeofday 164 170        clock_settime 227 112       vhangup 153 58              lookup_dcookie 212 18
iopl 172 -                  ioperm 173 -                nfsservctl 180 42
socket 41 198               socketpair 53 199           ioctl 16 29                 prlimit64 302 261
shmget 29 194               shmat 30 196                shmctl 31 195               mq_open 240 180
semget 64 190               semop 65 193                semctl 66 191               semtimedop 220 192
msgget 68 186               msgsnd 69 189               msgrcv 70 188               msgctl 71 187
mq_unlink 241 181           seccomp 317 277
chmod 90 -                  fchmod 91 52                fchmodat 268 53             fchmodat2 452 452
chown 92 -                  lchown 94 -                 fchown 93 55                fchownat 260 54
utime 132 -                 utimes 235 -                futimesat 261 -             utimensat 280 88
setxattr 188 5              lsetxattr 189 6             fsetxattr 190 7             setxattrat 463 463
removexattr 197 14          lremovexattr 198 15         fremovexattr 199 16         removexattrat 466 466
file_setattr 469 469
"""
"""The calls that are spoken of here, by their numbers on the two architectures."""
_FIRST_FOREIGN = 512
"""From here on the numbers of x86_64 belong to x32, another form of the same calls."""

_PRIVILEGED = """
setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
open_tree_attr name_to_handle_at open_by_handle_at quotactl quotactl_fd
add_key request_key keyctl bpf perf_event_open userfaultfd fanotify_init
kexec_load kexec_file_load init_module finit_module delete_module reboot acct syslog swapon swapoff
sethostname setdomainname settimeofday clock_settime vhangup lookup_dcookie iopl ioperm nfsservctl
"""
"""What changes the machine, sees more of it than files and own processes, or has been a way into the kernel."""
_UNKNOWN = "clone3 io_uring_setup io_uring_enter io_uring_register"
"""What programs do without where the kernel does not know it. No filter sees the flags of `clone3`, nor what is
done through a ring."""
_SHARED_MEMORY = "shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink"
_EXTENDED = "setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr"
"""What programs are used to find missing on many file systems."""
SUPERVISED = "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes futimesat utimensat"
"""What Landlock lets through, by whatever path: the monitor does it in the command's stead (see `apply.py`)."""

_MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}
"""Which argument of a call is the mode that it sets."""
_SET_USER = 0o4000
"""A program with this mode runs as its owner: one left behind would lend the user's rights to others."""

_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
_NEW_TIME_NAMESPACE = 0x80
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _SEQPACKET, _KIND_OF_SOCKET = 1, 5, 0xF
_TERMINAL_INPUT = (0x5412, 0x541C, 0x541D)
"""TIOCSTI, TIOCLINUX and TIOCCONS: typing on a terminal, and taking the console's output."""
_FILE_FLAGS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40086604, 0x800C6613, 0xC0506617, 0x40806685)
"""Attributes, version, encryption and sealing of a file, for which a descriptor for reading is enough."""
_BTRFS, _KIND_OF_IOCTL, _CLONES = 0x9400, 0xFF00, (0x40049409, 0x4020940D, 0xC0189436)

_ALLOW, _KILL, _ASK, _REFUSE = 0x7FFF0000, 0x80000000, 0x7FC00000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_Code = list[tuple[int, int, int, int]]
"""Instructions: what to do, how many to skip if so, if not, and with which value."""


def filter_bytes(*, network: bool, unix_sockets: bool = False, bare: bool = False, machine: str = "") -> bytes:
    """Make the program, as bubblewrap and the kernel take it.

    `network` is for internet sockets: in a network namespace of its own a command may have them, they reach nobody.
    `bare` is for a command without namespaces of its own.

    Raises:
        ToolError: system calls cannot be filtered on this kind of machine.
    """
    machine = machine or os.uname().machine
    if machine not in _ARCHITECTURES:
        raise ToolError(f"Commands cannot be confined: system calls are not filtered on {machine} machines.")
    numbers = call_numbers(machine)
    code = [
        *_load(_ARCHITECTURE),
        *_unless(_ARCHITECTURES[machine], _return(_KILL)),
        *_load(_NUMBER),
        (0x35, 0, 1, _FIRST_FOREIGN),
        *_return(_REFUSE | errno.ENOSYS),
        *_refuse(numbers, _PRIVILEGED, errno.EPERM),
        *_refuse(numbers, _UNKNOWN, errno.ENOSYS),
        *_when(numbers["clone"], _refuse_flags(0, _NEW_NAMESPACES)),
        *_when(numbers["unshare"], _refuse_flags(0, _NEW_NAMESPACES | _NEW_TIME_NAMESPACE)),
        *_when(numbers["socket"], _check_socket(network=network, unix_sockets=unix_sockets)),
        *(_when(numbers["socketpair"], _check_pair()) if not unix_sockets else ()),
        *_check_modes(numbers, otherwise=_ASK if bare else _ALLOW),
        *(_check_bare(numbers) if bare else _when(numbers["ioctl"], _refuse_values(1, _TERMINAL_INPUT))),
        *_return(_ALLOW),
    ]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def call_numbers(machine: str) -> dict[str, int]:
    """The numbers of the system calls that matter here, as far as a kind of machine has them."""
    column = 1 if machine == "x86_64" else 2
    words = _NUMBERS.split()
    rows = (words[start : start + 3] for start in range(0, len(words), 3))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def _check_bare(numbers: dict[str, int]) -> _Code:
    """What namespaces would keep apart, and what Landlock does not govern."""
    supervised = (numbers[name] for name in SUPERVISED.split() if name in numbers and name not in _MODES)
    return [
        *_refuse(numbers, _SHARED_MEMORY, errno.EPERM),
        *_refuse(numbers, _EXTENDED, errno.EOPNOTSUPP),
        *(instruction for number in supervised for instruction in _when(number, _return(_ASK))),
        *_when(numbers["prlimit64"], _check_limit()),
        *_when(numbers["ioctl"], _check_ioctl()),
    ]


def _check_modes(numbers: dict[str, int], *, otherwise: int) -> _Code:
    """Refuse to make a program run as its owner, whoever starts it."""
    known = ((numbers[name], argument) for name, argument in _MODES.items() if name in numbers)
    checks = ((number, _refuse_flags(argument, _SET_USER, otherwise=otherwise)) for number, argument in known)
    return [instruction for number, check in checks for instruction in _when(number, check)]


def _check_socket(*, network: bool, unix_sockets: bool) -> _Code:
    """Allow some families; of netlink the part that tells which networks there are, for which resolvers ask."""
    families = [*((_INET, _INET6) if network else ()), *((_UNIX,) if unix_sockets else ())]
    return [
        *_load_argument(0),
        *(instruction for family in families for instruction in _when(family, _return(_ALLOW))),
        *_unless(_NETLINK, _return(_REFUSE | errno.EACCES)),
        *_load_argument(2),
        *_when(0, _return(_ALLOW)),
        *_return(_REFUSE | errno.EACCES),
    ]


def _check_pair() -> _Code:
    """Allow pairs that are connected for good; one for datagrams could be connected anew, to a socket outside."""
    return [
        *_load_argument(1),
        (0x54, 0, 0, _KIND_OF_SOCKET),
        *_when(_STREAM, _return(_ALLOW)),
        *_when(_SEQPACKET, _return(_ALLOW)),
        *_return(_REFUSE | errno.EACCES),
    ]


def _check_limit() -> _Code:
    """Limits can be read; only one's own can be set, or a command could bring down whoever started it."""
    return [
        *_load_argument(0),
        *_when(0, _return(_ALLOW)),
        *_load_argument(2),
        *_unless(0, _return(_REFUSE | errno.EPERM)),
        *_load_argument(2, high=True),
        *_unless(0, _return(_REFUSE | errno.EPERM)),
        *_return(_ALLOW),
    ]


def _check_ioctl() -> _Code:
    """A descriptor for reading is enough for some, on a file that may not be changed."""
    return [
        *_load_argument(1),
        *(instruction for value in _CLONES for instruction in _when(value, _return(_ALLOW))),
        *(instruction for value in _FILE_FLAGS for instruction in _when(value, _return(_REFUSE | errno.EPERM))),
        *(instruction for value in _TERMINAL_INPUT for instruction in _when(value, _return(_REFUSE | errno.EPERM))),
        (0x54, 0, 0, _KIND_OF_IOCTL),
        *_when(_BTRFS, _return(_REFUSE | errno.EPERM)),
        *_return(_ALLOW),
    ]


def _refuse(numbers: dict[str, int], names: str, number: int) -> _Code:
    known = (numbers[name] for name in names.split() if name in numbers)
    return [instruction for call in known for instruction in _when(call, _return(_REFUSE | number))]


def _refuse_flags(argument: int, flags: int, *, otherwise: int = _ALLOW) -> _Code:
    return [*_load_argument(argument), (0x45, 0, 1, flags), *_return(_REFUSE | errno.EPERM), *_return(otherwise)]


def _refuse_values(argument: int, values: tuple[int, ...]) -> _Code:
    refusals = (instruction for value in values for instruction in _when(value, _return(_REFUSE | errno.EPERM)))
    return [*_load_argument(argument), *refusals, *_return(_ALLOW)]


def _load(offset: int) -> _Code:
    return [(0x20, 0, 0, offset)]


def _load_argument(index: int, *, high: bool = False) -> _Code:
    """Load half of an argument. The kernel itself looks at the lower half of those that are no pointers."""
    return _load(_ARGUMENTS + 8 * index + (4 if high else 0))


def _when(value: int, then: _Code) -> _Code:
    """Do something where the loaded value is this one; it must end in an answer."""
    return [(0x15, 0, len(then), value), *then]


def _unless(value: int, then: _Code) -> _Code:
    return [(0x15, len(then), 0, value), *then]


def _return(answer: int) -> _Code:
    return [(0x06, 0, 0, answer)]
