"""Landlock with its filter and its monitor, on real commands, as root and as an ordinary user."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ferrule.host.process import Processes
from ferrule.host.sandbox.landlock import Landlock, Probe, probe
from ferrule.host.sandbox.profile import Leave, Profile

_RUNNER = Path(__file__).with_name("confined.py")
_NOBODY = 65534
_USERS = [os.geteuid(), _NOBODY] if os.geteuid() == 0 else [os.geteuid()]
_SECRET = "canary-4711"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or bool(probe().problem), reason="there is no Landlock, or an old one"
)


class Bench:
    """A project and its surroundings, all of one user."""

    def __init__(self, base: Path, user: int) -> None:
        self.base, self.user = base, user
        self.project, self.outside, self.home = base / "project", base / "outside", base / "home"
        for name in ("project", "outside/directory", "home/.ssh", "private", "scratch", "state"):
            (base / name).mkdir(parents=True)
        (self.outside / "file").write_text(_SECRET)
        (self.outside / "directory/inner").write_text("inner")
        (self.outside / "empty").mkdir()
        (self.home / ".ssh/id").write_text(_SECRET)
        (self.home / "notes").write_text("notes")
        (self.home / ".gitconfig").write_text("[user]\n\tname = Someone\n\temail = someone@example.org\n")
        os.mkfifo(self.outside / "fifo")
        if user != os.geteuid():
            for path in (base, *base.rglob("*")):
                os.chown(path, user, user)
        self.profile = Profile(
            root=self.project,
            writable=(self.project,),
            private=base / "private",
            scratch=base / "scratch",
            state=base / "state",
            masked=(self.home / ".ssh",),
        )
        self.sandbox = Landlock(self.profile, home=self.home, path="/usr/bin:/bin")

    def run(self, command: str, *, leave: Leave | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        argv = ["bash", "--noprofile", "--norc", "-c", command]
        launch = self.sandbox.confine(argv, environment, self.project, leave or Leave())
        rules = self.base / "rules"
        rules.write_bytes(launch.rules)
        rules.chmod(0o644)
        start = [sys.executable, "-I", "-S", str(_RUNNER), str(rules), str(self.user), str(self.project)]
        options = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 50} | options
        done = subprocess.run([*start, *launch.argv], text=True, errors="replace", env=launch.environment, **options)
        self.notes = (*launch.finish(is_over=False), *launch.finish(is_over=True))
        return done

    def git(self, *arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C"}
        command = ["git", "-c", f"safe.directory={self.project}", *arguments]
        done = subprocess.run(command, cwd=self.project, env=environment, capture_output=True, text=True, check=True)
        if self.user != os.geteuid():
            subprocess.run(["chown", "-R", f"{self.user}:{self.user}", self.project], check=True)
        return done.stdout


@pytest.fixture(params=_USERS, ids=lambda user: "root" if user == 0 else "user")
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="ferrule-")))
    base.chmod(0o755)
    yield Bench(base, request.param)
    shutil.rmtree(base)


def state_of(place: Path) -> dict[str, tuple[object, ...]]:
    """All that can be changed about a place and what is in it, but for when it was last read."""
    found: dict[str, tuple[object, ...]] = {}
    for path in (place, *sorted(place.rglob("*"))):
        status = path.lstat()
        data = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        names = tuple(os.listxattr(path, follow_symlinks=False))
        found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, data, names)
    return found


_PYTHON = "python3 -I -S -c"
_IN_PYTHON = """
import ctypes, fcntl, os, socket, subprocess, sys, threading
out = os.environ["OUT"]
libc = ctypes.CDLL(None, use_errno=True)
reading = os.open(f"{out}/file", os.O_PATH)
inside = os.open(".", os.O_RDONLY)
attempts = (
    lambda: os.chmod(f"{out}/file", 0o777),
    lambda: os.chmod("link", 0o777),
    lambda: os.chmod("./../outside/file", 0o777),
    lambda: os.chmod("../outside/file", 0o777, dir_fd=inside),
    lambda: os.chmod(f"/proc/self/fd/{reading}", 0o777),
    lambda: os.chmod(f"/proc/self/cwd/../outside/file", 0o777),
    lambda: os.chmod(f"/proc/{os.getpid()}/root{out}/file", 0o777),
    lambda: os.chmod(f"/proc/{os.getppid()}/cwd/../outside/file", 0o777),
    lambda: os.chmod(f"/dev/fd/{reading}", 0o777),
    lambda: os.fchmod(reading, 0o777),
    lambda: os.chmod(out, 0o777),
    lambda: os.chown(f"{out}/file", os.getuid(), os.getgid()),
    lambda: os.lchown(f"{out}/file", os.getuid(), os.getgid()),
    lambda: os.chown(reading, 1, 1),
    lambda: os.utime(f"{out}/file"),
    lambda: os.utime(f"{out}/file", (1, 1)),
    lambda: os.utime("link", (1, 1)),
    lambda: os.utime(f"{out}/directory", (1, 1)),
    lambda: os.setxattr(f"{out}/file", "user.x", b"x"),
    lambda: os.setxattr("link", "user.x", b"x"),
    lambda: os.truncate(f"{out}/file", 0),
    lambda: os.open(f"{out}/file", os.O_WRONLY),
    lambda: os.open(f"{out}/file", os.O_RDONLY | os.O_TRUNC),
    lambda: os.open(f"{out}/new", os.O_WRONLY | os.O_CREAT),
    lambda: os.open(f"{out}/fifo", os.O_RDWR | os.O_NONBLOCK),
    lambda: os.open(f"{out}/directory", os.O_TMPFILE | os.O_RDWR),
    lambda: os.open(f"/proc/self/fd/{reading}", os.O_RDWR),
    lambda: os.unlink(f"{out}/file"),
    lambda: os.rename(f"{out}/file", f"{out}/other"),
    lambda: os.rename(f"{out}/file", "stolen"),
    lambda: os.rename("planted", f"{out}/planted"),
    lambda: os.rename("planted", f"{out}/file"),
    lambda: os.link(f"{out}/file", "hard"),
    lambda: os.link("planted", f"{out}/hard"),
    lambda: os.link(f"/proc/self/fd/{reading}", "hard2", follow_symlinks=True),
    lambda: os.symlink("x", f"{out}/symbolic"),
    lambda: os.mkdir(f"{out}/made"),
    lambda: os.rmdir(f"{out}/empty"),
    lambda: os.mkfifo(f"{out}/made"),
    lambda: os.mknod(f"{out}/made", 0o600 | 0o140000),
    lambda: libc.renameat2(-100, b"planted", -100, f"{out}/file".encode(), 2) and None,
    lambda: libc.syscall(452, -100, f"{out}/file".encode(), 0o777, 0),
    lambda: libc.syscall(469, -100, f"{out}/file".encode(), 0, 0, 0),
    lambda: libc.mount(b"none", out.encode(), b"tmpfs", 0, None),
    lambda: libc.unshare(0x10000000),
    lambda: libc.chroot(out.encode()),
)
open("planted", "w").close()
os.symlink(f"{out}/file", "link")
for attempt in attempts:
    try:
        attempt()
    except OSError:
        pass
"""
_IN_SHELL = """
chmod 777 "$OUT/file"; chmod -R 777 "$OUT"; chown 0:0 "$OUT/file"; touch "$OUT/file"; touch -h "$OUT/file" "$OUT/new"
echo x > "$OUT/file"; echo x >> "$OUT/file"; echo x > "$OUT/new"; : > "$OUT/file"; truncate -s 0 "$OUT/file"
cp /etc/passwd "$OUT/"; mv "$OUT/file" .; rm -rf "$OUT"/*; ln "$OUT/file" hard; ln -s . "$OUT/l"; mkdir -p "$OUT/a/b"
dd if=/dev/zero of="$OUT/file" count=1; tee "$OUT/file" </dev/null; sed -i s/a/b/ "$OUT/file"
install /etc/passwd "$OUT/i"
tar cf "$OUT/x.tar" .; echo x > "$OUT/fifo" & echo x > /proc/$PPID/cwd/../outside/new; chattr +d "$OUT/file"
setfattr -n user.x -v 1 "$OUT/file"; rsync -a ./ "$OUT/"; ln -s "$OUT" linked; echo x > linked/new; echo x > linked/file
cd "$OUT" && echo x > file; cd - ; echo x > ../outside/file; git init "$OUT/repo"; cp -a /etc/hostname "$OUT/file"
mount -t tmpfs none "$OUT"; unshare -U true && unshare -Um mount -t tmpfs none "$OUT"
kill %1; wait
"""


def test_nothing_is_written_outside(bench: Bench) -> None:
    before = state_of(bench.outside)
    bench.run(f"export OUT={bench.outside}\n{_PYTHON} '{_IN_PYTHON}'\n{_IN_SHELL}")
    assert state_of(bench.outside) == before
    assert (bench.project / "planted").exists()


def test_a_thread_that_rewrites_the_path_gains_nothing(bench: Bench) -> None:
    before = state_of(bench.outside)
    code = """
import ctypes, os, sys, threading
libc = ctypes.CDLL(None)
sys.setswitchinterval(0.0001)  # a call that is done does not wait long for its turn; the path is rewritten all the time
good, bad = b"aaaaaaaaaaaaaaaaaaaa/file", os.environb[b"OUT"] + b"/file"
path = ctypes.create_string_buffer(good, 4096)
os.mkdir("a" * 20); open(good, "w").close(); os.chmod(good, 0o600)
done = False
def swap():
    while not done:
        path.raw = bad.ljust(4096, bytes(1)); path.raw = good.ljust(4096, bytes(1))
thread = threading.Thread(target=swap); thread.start()
results = {libc.chmod(path, 0o707) for _ in range(400)}
done = True; thread.join()
print(sorted(results), oct(os.stat(good).st_mode))
"""
    done = bench.run(f"OUT={bench.outside} {_PYTHON} '{code}'")
    assert done.stdout.strip().endswith("0o100707"), done.stderr
    assert state_of(bench.outside) == before


def test_modes_and_times_inside_are_changed_as_asked(bench: Bench) -> None:
    command = f"""
echo x > a; chmod 640 a; stat -c %a a; chmod u+x a; stat -c %a a; touch -d @1000 a; stat -c %Y a
cp -a a b; stat -c '%a %Y' b; ln -s a l; touch -h -d @2000 l; stat -c %Y l; stat -c %Y a; chmod 600 l; stat -c %a a
mkdir d; chmod 700 d; stat -c %a d; (cd d; echo y > c; chmod 444 ./c; stat -c %a c)
chown $(id -u):$(id -g) a && chgrp $(id -g) a && chown -h $(id -u) l && echo own
chmod 600 missing 2>/dev/null || echo missing; {_PYTHON} '
import os
def said(action):
    try: action()
    except OSError as error: return error.strerror
    return "done"
file = os.open("a", os.O_RDONLY)
print(said(lambda: os.fchmod(file, 0o604)), oct(os.stat("a").st_mode))
print(said(lambda: os.utime(file, ns=(3000, 4000))), os.stat("a").st_mtime_ns)
print(said(lambda: os.chmod(f"/proc/self/fd/{{file}}", 0o605)), oct(os.stat("a").st_mode))
print(said(lambda: os.chmod("a", 0o606, dir_fd=os.open(".", os.O_RDONLY))), oct(os.stat("a").st_mode))
print(said(lambda: os.chmod("x" * 5000, 0)))
print(said(lambda: os.chmod("a/b", 0)))
print(said(lambda: os.chmod("", 0)))
print(said(lambda: os.fchmod(99, 0)))
print(said(lambda: os.setxattr("a", "user.x", b"1")))
'
"""
    done = bench.run(command)
    assert done.stdout.splitlines() == [
        *["640", "740", "1000", "740 1000", "2000", "1000", "600", "700", "444", "own", "missing"],
        *["done 0o100604", "done 4000", "done 0o100605", "done 0o100606", "File name too long", "Not a directory"],
        *["No such file or directory", "Bad file descriptor", "Operation not supported"],
    ], done.stderr


def test_no_program_is_made_to_run_as_its_owner(bench: Bench) -> None:
    done = bench.run(
        "cp /bin/true b; chmod 4777 b; chmod u+s b; chmod 755 b && install -m 6755 /bin/true c; stat -c %a b"
    )
    assert done.stdout == "755\n"
    assert done.stderr.count("Operation not permitted") == 3
    assert not any(path.stat().st_mode & stat.S_ISUID for path in bench.project.iterdir())


def test_what_is_masked_cannot_be_read(bench: Bench) -> None:
    home = bench.home
    done = bench.run(
        f"cat {home}/.ssh/id; cat {bench.outside}/file; ls {home}/.ssh; cd {home}/.ssh && cat id; ln {home}/.ssh/id x; "
        f"cp -r {home} copy; cat copy/.ssh/id; cat /proc/self/root{home}/.ssh/id; tar c {home}; grep -r canary {home}; "
        f"mv {home}/.ssh s; ls {bench.base}/state; echo END; "
        f"cat {home}/notes; head -1 {home}/.gitconfig; ls /usr/bin/env"
    )
    assert done.stdout.replace("\0", "").split("END")[1].split() == ["notes[user]", "/usr/bin/env"]
    assert _SECRET not in done.stdout
    assert "id\n" not in done.stdout.split("END")[0]
    assert (home / ".ssh/id").read_text() == _SECRET


def test_a_masked_place_in_the_project(bench: Bench) -> None:
    for name in ("keys/key", "kept/file"):
        (bench.project / name).parent.mkdir()
        (bench.project / name).write_text(_SECRET)
    subprocess.run(["chown", "-R", f"{bench.user}", bench.project], check=True)
    profile = Profile(
        root=bench.project,
        writable=(bench.project,),
        private=bench.profile.private,
        scratch=bench.profile.scratch,
        state=bench.profile.state,
        masked=(bench.project / "keys",),
    )
    bench.sandbox = Landlock(profile, home=bench.home)
    done = bench.run(
        "cat keys/key; chmod 777 keys/key; echo x > keys/new; echo x > new; echo y > kept/new && cat kept/file"
    )
    assert done.stdout == _SECRET
    assert sorted(path.name for path in bench.project.rglob("*")) == ["file", "kept", "key", "keys", "new"]


def test_processes_outside_are_out_of_reach(bench: Bench) -> None:
    other = subprocess.Popen(["sleep", "100"], user=bench.user, env={"KEY": _SECRET})
    try:
        done = bench.run(
            f"kill -9 {other.pid}; kill -0 {other.pid}; kill -9 $PPID; cat /proc/{other.pid}/environ; "
            f"cat /proc/$PPID/environ; readlink /proc/{other.pid}/fd/0; ls -l /proc/{other.pid}/cwd/; "
            f"head -c 10 /proc/{other.pid}/mem; prlimit --pid {other.pid} --cpu=1:1; "
            f"{_PYTHON} 'import os; os.kill({other.pid}, 9)'; echo END; sleep 100 & kill $!; wait; echo own"
        )
        assert done.stdout.split() == ["END", "own"], done.stderr
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_no_privilege_is_left(bench: Bench) -> None:
    done = bench.run("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status; id -u")
    fields = dict(line.split() for line in done.stdout.splitlines()[:-1])
    assert {fields[name] for name in ("CapInh:", "CapPrm:", "CapEff:", "CapAmb:")} == {"0" * 16}
    assert bench.user or fields["CapBnd:"] == "0" * 16
    assert (fields["NoNewPrivs:"], fields["Seccomp:"]) == ("1", "2")
    assert done.stdout.splitlines()[-1] == str(bench.user)


def test_sockets(bench: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(bench.project / "socket"))
        local.listen()
        (bench.project / "socket").chmod(0o777)
        port = server.getsockname()[1]
        code = f"""
import socket, subprocess
def attempt(action):
    try: action()
    except OSError as error: return error.strerror
    return "done"
print(attempt(lambda: socket.create_connection(("127.0.0.1", {port}))))
print(attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {port}))))
print(attempt(lambda: socket.socket(socket.AF_UNIX).connect("socket")))
print(attempt(lambda: socket.socketpair()))
print(attempt(lambda: socket.create_server(("127.0.0.1", 0))))
"""
        refused = "Permission denied"
        assert bench.run(f"{_PYTHON} '{code}'").stdout.splitlines() == [refused, refused, refused, "done", refused]
        done = bench.run(f"{_PYTHON} '{code}'", leave=Leave(network=True))
        assert done.stdout.splitlines() == ["done", "done", refused, "done", "done"]


def test_further_places_for_one_command(bench: Bench) -> None:
    file = bench.base / "private/directory"
    file.touch()
    os.chown(file, bench.user, bench.user)
    command = f"echo x > {bench.outside}/new; echo y > {file}; echo z > {bench.base}/private/other"
    bench.run(command, leave=Leave(writable=(bench.outside, file)))
    assert (bench.outside / "new").read_text() == "x\n"
    assert file.read_text() == "y\n"
    bench.run(f"echo no > {bench.outside}/new; echo no > {file}")
    assert (bench.outside / "new").read_text() == "x\n"
    assert file.read_text() == "y\n"
    assert not (bench.base / "private/other").exists()


def test_devices_and_temporary_files(bench: Bench) -> None:
    done = bench.run(
        "echo x > /dev/null && head -c 2 /dev/zero | wc -c && head -c 2 /dev/urandom | wc -c; "
        'file=$(mktemp) && [[ $file == "$TMPDIR"/* ]] && echo temporary; seq 50000 | sort -S 100K -r | wc -l; '
        "cat <<< here; (echo two > /dev/stderr) 2> err; cat err; diff <(echo a) <(echo a) && echo same; "
        "echo x > /dev/shm/ferrule-test || echo x > /tmp/ferrule-test || echo closed"
    )
    assert done.stdout.split() == ["2", "2", "temporary", "50000", "here", "two", "same", "closed"], done.stderr


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_work_with_git(bench: Bench) -> None:
    bench.git("init", "-q", "-b", "main")
    done = bench.run(
        "echo 1 > file && git add file && git commit -qm first && git checkout -qb other && echo 2 > file && "
        "git commit -qam second && git checkout -q main && git merge -q other && git stash list && git gc -q && "
        "git log --format=%s%an && git worktree add -q tree && git status --short && git clone -q . copy && echo done"
    )
    assert done.stdout.split() == ["secondSomeone", "firstSomeone", "??", "tree/", "done"], done.stderr
    assert bench.notes == ()


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_what_steers_git_is_put_back(bench: Bench) -> None:
    bench.git("init", "-q")
    before = state_of(bench.project)
    bench.run(
        "git config core.fsmonitor ./evil; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; "
        "echo .. > .git/commondir; rm .git/hooks/*.sample; mkdir .vscode; echo x > .vscode/tasks.json; chmod 700 .git"
    )
    after = state_of(bench.project)
    unstamped = [{path: (one[0], one[4]) for path, one in state.items()} for state in (before, after)]
    assert unstamped[0] == unstamped[1]
    (taken,) = (bench.base / "state/taken").iterdir()
    git, vscode = bench.project / ".git", bench.project / ".vscode"
    samples = sorted(path for path in unstamped[0] if path.endswith(".sample"))
    said = "Protected files that the command"
    assert set(bench.notes) == {
        f"{said} changed are put back, and the changed ones kept in {taken}: {git}/config",
        f"{said} made are kept in {taken}: {git}/hooks/pre-commit, {vscode}, {git}/commondir",
        f"{said} removed are put back: {', '.join(samples[:4])} and {len(samples) - 4} more",
    }
    assert sorted(path.name.partition("-")[2] for path in taken.iterdir()) == [
        ".vscode",
        "commondir",
        "config",
        "pre-commit",
    ]


def test_what_the_settings_of_git_point_to_is_put_back(bench: Bench) -> None:
    project = bench.project
    bench.git("init", "-q", ".")
    (project / ".husky").mkdir()
    (project / ".husky/pre-commit").write_text("good")
    (project / "fsm.sh").write_text("good")
    for key, value in (("core.hooksPath", ".husky"), ("core.fsmonitor", "./fsm.sh"), ("include.path", "../team")):
        bench.git("config", key, value)
    bench.run("echo evil > .husky/pre-commit; echo evil > .husky/post-checkout; echo evil > fsm.sh; echo evil > team")

    texts = {name: (project / name).read_text() for name in (".husky/pre-commit", "fsm.sh")}
    assert texts == {".husky/pre-commit": "good", "fsm.sh": "good"}
    assert sorted(path.name for path in project.iterdir()) == [".git", ".husky", "fsm.sh"]
    assert [path.name for path in (project / ".husky").iterdir()] == ["pre-commit"]
    assert len(bench.notes) == 2


def test_git_is_not_led_past_its_directory(bench: Bench) -> None:
    bench.git("init", "-q", ".")
    bench.run(
        "rm .git/HEAD; mkdir objects refs; echo ref: refs/heads/x > HEAD; printf '[core]\nfsmonitor = x\n' > config"
    )
    assert bench.git("rev-parse", "--git-dir") == ".git\n"
    assert not (bench.project / "HEAD").exists()
    assert len(bench.notes) == 2


def test_a_new_repository_starts_no_programs(bench: Bench) -> None:
    bench.run("git init -q . && git config core.fsmonitor evil && echo evil > .git/hooks/pre-commit")
    assert "evil" not in (bench.project / ".git/config").read_text()
    assert not (bench.project / ".git/hooks").exists()
    assert len(bench.notes) == 2


def test_ordinary_programs(bench: Bench) -> None:
    done = bench.run(
        "python3 -m venv --without-pip env && env/bin/python -c 'import sqlite3, ssl, subprocess; print(1)' && "
        "printf 'int main(){return 7;}' > a.c && { ! command -v gcc >/dev/null || { gcc a.c && ./a.out; }; echo $?; }; "
        "tar cf x.tar env && mkdir y && tar xf x.tar -C y && echo unpacked; find . -name a.c -exec cat {} + | wc -c; "
        "ulimit -n 100; (exit 3); echo $?; nice true; timeout 5 true; setsid true; stdbuf -o0 echo buffered"
    )
    assert done.stdout.split() == ["1", "7" if shutil.which("gcc") else "0", "unpacked", "21", "3", "buffered"], (
        done.stderr
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root finds files of others in its project")
def test_root_works_on_the_files_of_another(bench: Bench) -> None:
    """As in a container into which the project of an ordinary user is mounted."""
    if bench.user:
        pytest.skip("not root")
    (bench.project / "file").write_text("1")
    for path in (bench.project, bench.project / "file"):
        os.chown(path, _NOBODY, _NOBODY)
        path.chmod(0o700 if path.is_dir() else 0o600)
    done = bench.run(
        "cat file; echo 2 > file; chmod 640 file; touch new; stat -c %a file; chown 0 file; echo x > ../new"
    )
    assert done.stdout.split() == ["1640"], done.stderr
    assert (bench.project / "file").stat().st_uid == _NOBODY
    assert not (bench.base / "new").exists()


async def test_through_the_keeper(bench: Bench) -> None:
    """All of it together: the monitor answers, the shell says where it ended, and hooks are put back."""
    if bench.user != os.geteuid():
        pytest.skip("the keeper is of the user who runs the tests")
    bench.git("init", "-q")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(bench.home)}
    processes = Processes(bench.project, bench.profile.private, environment=environment, sandbox=bench.sandbox)
    try:
        command = "echo evil > .git/hooks/pre-push; echo x > new; chmod 640 new; touch -d @9 new; mkdir d; cd d; exit 3"
        process = await processes.start(command, outputs=bench.base / "outputs")
        assert (await process.ended, process.problem, process.directory) == (3, "", bench.project / "d")
        await process.gone
        assert ((bench.project / "new").stat().st_mode & 0o777, (bench.project / "new").stat().st_mtime) == (0o640, 9)
        assert [note.rpartition(": ")[2] for note in process.notes] == [str(bench.project / ".git/hooks/pre-push")]
        endless = await processes.start("while :; do chmod 600 new; done", outputs=bench.base / "outputs")
        second = await processes.start(
            "echo x > ../outside/file; chmod 777 ../outside/file", outputs=bench.base / "outputs"
        )
        assert await second.ended == 1
        await endless.kill()
        assert endless.gone.done()
        assert (bench.outside / "file").stat().st_mode & 0o777 == 0o644
    finally:
        await processes.close()


def test_the_end_of_a_command_is_told_as_it_was(bench: Bench) -> None:
    assert bench.run("exit 5").returncode == 5
    assert bench.run("kill -TERM $$").returncode == -signal.SIGTERM


def test_a_place_that_became_a_link_is_not_opened(bench: Bench) -> None:
    bench.project.rmdir()
    bench.project.symlink_to(bench.outside)
    before = state_of(bench.outside)
    bench.run("echo x > new")
    assert state_of(bench.outside) == before


def test_rules_are_kept_only_while_they_fit(bench: Bench) -> None:
    """In one monitor: a new file in a walked directory can be read, a project that was made anew be written to."""
    code = f"""
import os, sys
sys.path.append({str(Path(__file__).parents[3] / "src")!r})
from ferrule.host.sandbox.apply import Confinement
rules = open({str(bench.base / "rules")!r}, "rb").read()
os.setgid({bench.user}); os.setuid({bench.user})
def run(command):
    confinement = Confinement(rules)
    if (child := os.fork()) == 0:
        confinement.enter()
        os.execv("/bin/sh", ["sh", "-c", command])
    supervisor = confinement.attend()
    os.waitpid(child, 0)
    supervisor.close()
    return len(os.listdir("/proc/self/fd"))
counts = [run("true") for _ in range(5)]
assert counts[1:] == counts[:1] * 4, counts
open({str(bench.home / "later")!r}, "w").write("later")
run("cat {bench.home}/later {bench.home}/.ssh/id")
os.rename({str(bench.project)!r}, {str(bench.base / "old")!r}); os.mkdir({str(bench.project)!r})
run("echo x > {bench.project}/new; echo x > {bench.base}/old/new")
"""
    bench.run("true")
    (bench.base / "rules").chmod(0o644)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=50)
    assert (done.stdout, "Traceback" in done.stderr) == ("later", False), done.stderr
    assert [path.name for path in (*bench.project.iterdir(), *(bench.base / "old").iterdir())] == ["new"]


def test_what_older_kernels_leave_open_is_said() -> None:
    assert Probe(7).lacks == ()
    assert Probe(5).lacks == ("commands can send signals to the user's other processes",)
