"""Places whose loss would be a catastrophe: the disk, the system's directories, a home, a device; in any spelling."""

from fnmatch import fnmatchcase

from ferrule.core.regex import lazy
from ferrule.policy.command import Word
from ferrule.policy.programs.options import names

TOP = names(
    "applications bin boot data dev etc home lib lib32 lib64 libx32 library media mnt nix opt private proc root run "
    "sbin snap srv storage sys system users usr var volumes windows"
)
"""Directories directly below `/` that hold a system or its people's work; `/tmp` is not one of them."""
DEEPER = names(
    "usr/bin usr/sbin usr/lib usr/lib32 usr/lib64 usr/libexec usr/share usr/include usr/local usr/local/bin "
    "usr/local/lib var/lib var/log var/mail var/spool var/www private/etc private/var lib/modules lib/systemd "
    "etc/systemd etc/pam.d etc/ssh etc/init.d etc/apt mnt/c mnt/d mnt/c/windows mnt/c/users system/library "
    "library/preferences run/systemd sys/firmware"
)
VITAL = names(
    "etc/passwd etc/shadow etc/group etc/gshadow etc/sudoers etc/fstab etc/hosts etc/resolv.conf etc/ld.so.preload "
    "etc/ld.so.conf etc/pam.conf etc/profile etc/crontab etc/securetty etc/shells etc/inittab etc/ssh/sshd_config "
    "bin/sh bin/bash usr/bin/sh usr/bin/bash usr/bin/env usr/bin/sudo bin/su usr/bin/su"
)
"""Single files without which a system does not start, or lets anybody in."""

_DISK = lazy(
    r"/dev/(?:[shv]d[a-z*?\[]|xvd|nvme|mmcblk|r?disk\d?|md\d|dm-|mapper/|loop\d|sr\d|nbd|zram|ram\d|pmem|bus/|"
    r"mtd|k?mem\b|port\b|sd\b|hda|block/|disk/)"
)
_MACHINE = lazy(r"/proc/(?:sysrq-trigger|kcore|kmem|sys/kernel)|/sys/(?:firmware|power|kernel|block)\b|/boot(?:/|$)")
_QUIET_DEVICE = lazy(r"/dev/(?:null|zero|full|stdin|stdout|stderr|tty|u?random|fd/\d+|pts/\d+|shm/.*)$")
_SWEEPING = lazy(r"(?:\.?(?:\*+|\?\*|\[[^\]]*\]\*?|\?)+(?:\.\*)?)$")
_HOME_RAW = lazy(r"""["']?(?:\$HOME|\$\{HOME(?:[:?!#%-][^}]*)?\}|~[\w.-]*)["']?(?:/+\.?)*(?:/?[*.?\[\]!]+)?["']?$""")
_DRIVE = lazy(r"(?i)(?:[a-z]:|%systemdrive%|%systemroot%|%userprofile%|/[a-z])(?:[\\/]+(?:windows|users|\*+|\.)?)*$")


def steps(text: str, directory: str | None) -> tuple[str, ...] | None:
    """The components of a path from the root, `.`, `..` and doubled slashes removed; None where it is not known."""
    if not text.startswith("/"):
        if directory is None:
            return None
        text = f"{directory}/{text}"
    found: list[str] = []
    for part in text.split("/"):
        if part == "..":
            del found[-1:]
        elif part not in {"", "."}:
            found.append(part)
    return tuple(found)


def doomed(word: Word, directory: str | None, home: str) -> str:
    """What would be lost with this path: `/`, `/etc`, the home directory … Empty where it is no such place."""
    if word.text is None or word.raw.startswith("~"):
        if _HOME_RAW.match(word.raw):
            return "the home directory"
        if word.text is None:
            return ""
    if _DRIVE.match(word.text) and not word.text.startswith("/"):
        return word.text
    path = steps(word.text, directory)
    if path is None:
        return ""
    if word.glob:
        while path and _SWEEPING.match(path[-1]):
            path = path[:-1]
    return _name_of(path, home=home, glob=word.glob)


def _name_of(path: tuple[str, ...], *, home: str, glob: bool) -> str:
    if not path:
        return "the whole disk"
    folded = tuple(part.lower() for part in path)
    top = folded[0]
    if len(folded) == 1 and (top in TOP or (glob and any(fnmatchcase(name, top) for name in TOP))):
        return f"/{path[0]}"
    if "/".join(folded) in DEEPER:
        return "/" + "/".join(path)
    if len(folded) == 2 and top in {"home", "users"}:
        return f"the home directory /{'/'.join(path)}"
    own = steps(home, None) if home else None
    if own and path == own[: len(path)]:
        return "the home directory"
    return ""


def is_vital(word: Word, directory: str | None) -> bool:
    """Whether it is one of the files on which the system stands."""
    path = steps(word.text, directory) if word.text is not None else None
    return path is not None and "/".join(path).lower() in VITAL


def is_disk(word: Word, directory: str | None) -> bool:
    """Whether writing there overwrites a disk, memory, or what the machine starts from."""
    start = word.prefix if word.text is None else word.text
    path = steps(start, directory)
    if path is None:
        return False
    text = "/" + "/".join(path)
    return bool(_DISK.match(text) or _MACHINE.match(text))


def is_device(word: Word, directory: str | None) -> bool:
    """Whether it is a device that is more than a drain or the terminal."""
    path = steps(word.text, directory) if word.text is not None else None
    return bool(path and path[0] == "dev" and not _QUIET_DEVICE.match("/" + "/".join(path)))


def everything_here(word: Word, directory: str | None) -> bool:
    """Whether it names the present directory, one above it, or all that lies in it."""
    if word.text is None:
        return False
    if directory is None:
        return word.text.strip("/") in {".", "..", "*", "./*", "../*", "**"} or word.text.startswith("..")
    path, here = steps(word.text, directory), steps(directory, None)
    if path is None or here is None:
        return True
    if word.glob:
        while path and _SWEEPING.match(path[-1]):
            path = path[:-1]
    return path == here[: len(path)]
