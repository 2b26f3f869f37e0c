"""The best sandbox is found, and what is of no use is said."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ferrule.host.sandbox.find import Found, find
from ferrule.host.sandbox.none import Unconfined
from ferrule.host.sandbox.profile import Choice, Launch, Leave, Profile
from tests.host.sandbox.boxes import BWRAP, PATH, needs_bubblewrap, needs_root


def profile_of(base: Path) -> Profile:
    root = base / "project"
    root.mkdir(exist_ok=True)
    return Profile(root=root, writable=(root,), private=base, scratch=base / "scratch", state=base / "state")


def look(choice: Choice, base: Path, path: str = PATH) -> Found:
    return find(choice, profile_of(base), home=base, path=path)


def test_what_the_user_chose_is_taken(tmp_path: Path) -> None:
    assert look("off", tmp_path) == Found(Unconfined("off"))
    assert look("external", tmp_path) == Found(Unconfined("external"))
    assert look("seatbelt", tmp_path) == Found(Unconfined("off"), ("seatbelt: there is no /usr/bin/sandbox-exec.",))
    assert not (tmp_path / "state").exists()
    assert look("landlock", tmp_path).sandbox.name == "landlock"


@needs_bubblewrap
def test_bubblewrap_is_tried_once(tmp_path: Path) -> None:
    found = look("auto", tmp_path)
    known = tmp_path / "state/bubblewrap"
    key, words, _ = known.read_text().split("\n")

    assert (found.sandbox.name, found.why, words) == ("bubblewrap", (), "proc loopback")
    assert key.startswith(f"{BWRAP} {BWRAP.stat().st_mtime_ns} ")
    known.write_text(f"{key}\nproc\n")
    assert look("auto", tmp_path).sandbox._loopback is False  # type: ignore[attr-defined]
    known.write_text(f"another {key}\nproc\n")
    assert look("bubblewrap", tmp_path).sandbox._loopback is True  # type: ignore[attr-defined]


HIDDEN = """
import sys
from pathlib import Path
from tests.host.sandbox.test_find import look
for path in sys.argv[2:]:
    found = look("auto", Path(sys.argv[1]), path)
    print(found.sandbox.name, *found.why)
"""


def look_without_bubblewrap(base: Path, *paths: str) -> list[str]:
    """Look in a world where the system's bubblewrap is an empty file."""
    script = f'mount --bind /dev/null {BWRAP} && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-c", HIDDEN, str(base), *paths]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


@needs_bubblewrap
@needs_root
def test_without_bubblewrap_landlock_does(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for place in (tmp_path / "project", stranger, tmp_path):
        shutil.copy(BWRAP, place / "bwrap")
    os.chown(stranger / "bwrap", 65534, 65534)
    tmp_path.chmod(0o777)
    nowhere, project, other, open_to_all = look_without_bubblewrap(
        tmp_path, ".:relative", str(tmp_path / "project"), str(stranger), str(tmp_path)
    )

    assert nowhere == "landlock bubblewrap: there is no bwrap in the system's directories."
    assert project == f"landlock bubblewrap: {tmp_path}/project/bwrap lies in the project."
    assert other == f"landlock bubblewrap: {stranger}/bwrap belongs to someone else than the administrator."
    assert open_to_all == f"landlock bubblewrap: {tmp_path}/bwrap can be changed by others."


NO_PROC = """
import sys
from pathlib import Path
from tests.host.sandbox.test_find import look
found = look("bubblewrap", Path(sys.argv[1]))
print(found.sandbox.name, *found.why, (Path(sys.argv[1]) / "state/bubblewrap").read_text().split("\\n")[1:])
"""


@needs_bubblewrap
@needs_root
def test_a_container_may_forbid_a_proc_of_its_own(tmp_path: Path) -> None:
    script = 'mount -t tmpfs none /proc/tty && exec "$@"'
    command = ["unshare", "-Urm", "sh", "-c", script, "sh", sys.executable, "-c", NO_PROC, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert answer == "bubblewrap ['loopback', '']\n"


def test_without_a_sandbox_a_command_stays_as_it_is() -> None:
    launch = Unconfined().confine(["a", "b"], {"X": "1"}, Path("/y"), Leave(network=True))

    assert launch == Launch(argv=("a", "b"), environment={"X": "1"}, cwd=Path("/y"))
    assert Unconfined().outer(Path("/tmp/x")) == Unconfined().inner(Path("/tmp/x")) == Path("/tmp/x")
