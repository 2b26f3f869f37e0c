"""A small world around a project, in which ways out of a sandbox are tried, with all that they may not touch.

It runs as a program of its own, so that it can be another user's: `python -m tests.host.sandbox.world BACKEND`.
It reads commands from its input, as a JSON object, and writes what became of each.
"""

import asyncio
import ctypes
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ferrule.host.process import Processes
from ferrule.host.sandbox.find import find
from ferrule.host.sandbox.profile import Choice, Profile

SECRET = "S3CR3T-4f1c"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "PATH": PATH}
IDENTITY = '[user]\n\tname = T\n\temail = t@example.org\n[protocol "file"]\n\tallow = always\n'


class World:
    """A home directory with a project in it, secrets, and neighbours that listen."""

    def __init__(self, base: Path) -> None:
        self.base, self.home, self.own = base, base / "home", base / "own"
        self.root = self.home / "work" / "project"
        self.secret, self.login = self.home / ".ssh" / "id_ed25519", self.home / ".netrc"
        self.tag = f"ferrule-{os.urandom(6).hex()}"
        for path in (self.root, self.home / "open", self.secret.parent, self.own / "state", self.own / "private"):
            path.mkdir(parents=True)
        (self.own / "scratch").mkdir(mode=0o700)
        for path in (self.secret, self.login, self.own / "credentials", self.home / ".bash_history"):
            path.write_text(SECRET)
            path.chmod(0o600)
        for name in ("victim", ".bashrc", ".profile"):
            (self.home / name).write_text("as it was\n")
        (self.home / ".gitconfig").write_text(IDENTITY)
        (self.home / "open").chmod(0o777)
        self._make_repositories()
        shutil.copytree(self.root, base / "pristine", symlinks=True)

    @property
    def profile(self) -> Profile:
        masked = (self.secret.parent, self.login, self.home / ".bash_history", self.own, Path("/etc/shadow"))
        return Profile(
            root=self.root,
            writable=(self.root,),
            private=self.own / "private",
            scratch=self.own / "scratch",
            state=self.own / "state",
            masked=masked,
        )

    def state(self) -> dict[str, str]:
        """Everything that must stay as it is."""
        protected = [".vscode", ".gitmodules", ".mcp.json", ".ferrule", ".ferrule.json", ".idea", ".claude", ".cursor"]
        protected += [".bashrc", ".zshrc", ".profile", ".bash_profile", ".zshenv", ".inputrc", ".config/fish"]
        git = [".git", "vendor/lib/.git", ".git/modules/sub", "linked/.git"]
        for name in git:
            protected += [f"{name}/{one}" for one in ("hooks", "config", "config.worktree", "commondir")]
        protected += ["sub/.git", "linked/shared-hooks", ".git/worktrees/tree", ".git/modules/sub/hooks/x"]
        found = dict(_outside(self.home, self.root))
        del found[str(self.root)]
        for name in protected:
            found |= dict(_inside(self.root / name))
        return found

    def _make_repositories(self) -> None:
        (self.home / "other").mkdir()
        for repository in (self.root, self.root / "vendor/lib", self.root / "linked", self.home / "other"):
            repository.mkdir(parents=True, exist_ok=True)
            (repository / "file").write_text("1\n")
            self.git(repository, "init -q", "add file", "commit -qm first")
        self.git(self.root, f"submodule --quiet add {self.home}/other sub", "commit -qm sub")
        self.git(self.root, f"worktree add -q {self.home}/work/tree")
        (self.root / ".vscode").mkdir()
        (self.root / ".vscode/settings.json").write_text("{}")
        shutil.rmtree(self.root / "linked/.git/hooks")
        (self.root / "linked/shared-hooks").mkdir()
        (self.root / "linked/.git/hooks").symlink_to("../shared-hooks")

    def reset(self) -> None:
        """Make the project what it was at first."""
        for path in self.root.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(self.base / "pristine", self.root, symlinks=True, dirs_exist_ok=True)

    def git(self, directory: Path, *commands: str) -> None:
        environment = {**GIT, "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"), "HOME": str(self.home)}
        for command in commands:
            subprocess.run(["git", *command.split(" ")], cwd=directory, env=environment, check=True)


def _outside(path: Path, skip: Path) -> Iterator[tuple[str, str]]:
    """What lies at a path and below, each with the time of its last change of whatever kind, which nobody can forge."""
    for below in sorted(path.iterdir()):
        found = below.lstat()
        yield str(below), f"{found.st_mode:o} {found.st_ctime_ns} {found.st_size}"
        if stat.S_ISDIR(found.st_mode) and below != skip:
            yield from _outside(below, skip)


def _inside(path: Path) -> Iterator[tuple[str, str]]:
    """What lies at a path and below, each with its content."""
    try:
        found = path.lstat()
    except OSError:
        yield str(path), "missing"
        return
    text = ""
    if stat.S_ISREG(found.st_mode):
        text = repr(path.read_bytes()[:10_000])
    elif stat.S_ISLNK(found.st_mode):
        text = str(path.readlink())
    yield str(path), f"{found.st_mode:o} {text}"
    if stat.S_ISDIR(found.st_mode):
        for below in sorted(path.iterdir()):
            yield from _inside(below)


class Neighbours:
    """Those outside who would notice: listeners on sockets, a process, shared memory."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.listeners: list[socket.socket] = []
        self.port = self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", self.port))
        self.sock = str(world.home / "agent.sock")
        self._listen(socket.AF_UNIX, socket.SOCK_STREAM, self.sock)
        self._listen(socket.AF_UNIX, socket.SOCK_DGRAM, self.sock + ".dgram")
        self._listen(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + world.tag)
        self.shared = Path("/dev/shm") / world.tag
        self.shared.write_text(SECRET)
        environment = {"VICTIM_KEY": SECRET}
        self.victim = subprocess.Popen(["/bin/sleep", "600"], env=environment, cwd=world.home, start_new_session=True)
        self.key = int.from_bytes(os.urandom(3), "big") + 1
        libc = ctypes.CDLL(None)
        libc.shmat.restype = ctypes.c_void_p
        self.segment = libc.shmget(self.key, 4096, 0o1600)
        if self.segment >= 0:
            ctypes.memmove(libc.shmat(self.segment, None, 0), SECRET.encode(), len(SECRET))

    def _listen(self, family: int, kind: int, address: tuple[str, int] | str) -> int:
        listener = socket.socket(family, kind)
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        listener.setblocking(False)
        self.listeners.append(listener)
        return listener.getsockname()[1] if family == socket.AF_INET else 0

    def variables(self) -> str:
        """What the commands are told, as the beginning of each."""
        world = self.world
        words = {
            "OUT": world.home,
            "ROOT": world.root,
            "SECRET": world.secret,
            "LOGIN": world.login,
            "OWN": world.own,
            "VICTIM": self.victim.pid,
            "PORT": self.port,
            "SOCK": self.sock,
            "ABSTRACT": world.tag,
            "SHM": world.tag,
            "KEY": self.key,
        }
        return "; ".join(f"{name}={value}" for name, value in words.items())

    def heard(self) -> list[str]:
        """Who was spoken to since the last time."""
        found = []
        for listener in self.listeners:
            with suppress(BlockingIOError):
                if listener.type == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(100)
                found.append(f"heard something at {listener.getsockname()!r}")
        if self.victim.poll() is not None:
            found.append("a process outside was killed")
        elif Path(f"/proc/{self.victim.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
            found.append("a process outside was stopped")
        if self.shared.read_text() != SECRET or self.shared.with_name(f"new-{self.world.tag}").exists():
            found.append("shared memory was changed")
        return found

    def close(self) -> None:
        for listener in self.listeners:
            listener.close()
        self.victim.kill()
        self.victim.wait()
        self.shared.unlink(missing_ok=True)
        if self.segment >= 0:
            ctypes.CDLL(None).shmctl(self.segment, 0, None)


@contextmanager
def world_and_neighbours() -> Iterator[tuple[World, Neighbours]]:
    with ExitStack() as end:
        base = Path(tempfile.mkdtemp(prefix="ferrule-world-"))
        end.callback(shutil.rmtree, base, ignore_errors=True)
        world = World(base.resolve())
        neighbours = Neighbours(world)
        end.callback(neighbours.close)
        yield world, neighbours


def survivors(tag: str) -> list[str]:
    """Processes that carry a mark in their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"ferrule-{tag}".encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


async def try_all(backend: Choice, commands: Mapping[str, str]) -> dict[str, object]:
    """Try the commands, and say what each broke."""
    with world_and_neighbours() as (world, neighbours):
        found = find(backend, world.profile, home=world.home, path=PATH)
        if found.sandbox.name in {"off", "external"}:
            return {"sandbox": found.sandbox.name, "why": found.why}
        environment = {"PATH": PATH, "HOME": str(world.home), "TERM": "dumb"}
        processes = Processes(world.root, world.own / "private", environment=environment, sandbox=found.sandbox)
        report: dict[str, object] = {"sandbox": found.sandbox.name}
        for name, command in commands.items():
            report[name] = await _try(processes, f"{neighbours.variables()}\n{command}", world, neighbours)
            if name.startswith("protected.") or report[name]:
                world.reset()
        await processes.close()
        return report | {"survivors": survivors(world.tag)}


async def _try(processes: Processes, command: str, world: World, neighbours: Neighbours) -> list[str]:
    before = world.state()
    process = await processes.start(command, outputs=world.own / "private")
    await asyncio.wait([process.ended], timeout=20)
    await asyncio.wait([process.gone], timeout=0.5)
    await process.kill()
    output, after = process.output.take(), world.state()
    changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    told = [f"told {word}: {output}" for word in (SECRET, "ESCAPED") if word in output]
    return [*(f"{path}: {before.get(path)} -> {after.get(path)}" for path in changed), *neighbours.heard(), *told]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(try_all(sys.argv[1], json.load(sys.stdin)))))  # type: ignore[arg-type]
