"""Files on disk: what is no plain file is not opened, and what is written is whole."""

import os
import stat
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ferrule.config.files import LARGEST, locked, read, remove_tree, replace
from ferrule.core.errors import ConfigError
from tests.config.world import as_nobody


def refusal(path: Path, within: Path | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        read(path, within=within)
    return str(caught.value)


def test_a_file_is_read_and_a_missing_one_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}")
    assert read(tmp_path / "a") == b"{}"
    assert read(tmp_path / "b") is None
    assert read(tmp_path / "a" / "b") is None


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    (tmp_path / "directory").mkdir()
    os.mknod(tmp_path / "socket", stat.S_IFSOCK | 0o600)
    assert refusal(tmp_path / "pipe") == f"{tmp_path}/pipe: This is a named pipe, not a file."
    assert refusal(tmp_path / "to_pipe") == f"{tmp_path}/to_pipe: This is a named pipe, not a file."
    assert refusal(tmp_path / "directory") == f"{tmp_path}/directory: This is a directory, not a file."
    assert refusal(tmp_path / "socket") == f"{tmp_path}/socket: This is a socket, not a file."
    assert refusal(Path("/dev/null")) == "/dev/null: This is a device, not a file."


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b" " * LARGEST)
    assert read(path) == b" " * LARGEST
    path.write_bytes(b" " * (LARGEST + 1))
    assert refusal(path) == f"{path}: The file is larger than 1 MB, which no configuration is."


def test_links_are_followed_where_they_may_lead(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "project-evil").mkdir()
    (tmp_path / "project-evil" / "secret").write_bytes(b"secret")
    (project / "inside").write_bytes(b"{}")
    (project / "good").symlink_to("inside")
    (project / "bad").symlink_to("../project-evil/secret")
    (project / "nowhere").symlink_to("gone")
    (project / "circle").symlink_to("circle")
    assert read(project / "good", within=project) == b"{}"
    assert read(project / "bad") == b"secret"
    assert refusal(project / "bad", project) == (
        f"{project}/bad: This link leads out of the project, to {tmp_path}/project-evil/secret; it is not followed."
    )
    assert refusal(project / "nowhere") == f"{project}/nowhere: This link leads nowhere."
    assert refusal(project / "circle") == (f"{project}/circle: It cannot be read: Too many levels of symbolic links.")


def test_a_linked_directory_leads_out_as_well(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.json").write_bytes(b"{}")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".ferrule").symlink_to(tmp_path / "home")
    assert "leads out of the project" in refusal(project / ".ferrule" / "config.json", project)


def test_the_project_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("real")
    assert read(tmp_path / "link" / "a", within=tmp_path / "link") == b"{}"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone else")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    load = "from pathlib import Path; from ferrule.config.files import read"
    assert as_nobody(load, f"read(Path({str(hidden / 'a')!r}))") == (
        f"{hidden}/a: It cannot be looked for: Permission denied.\n"
    )
    with TemporaryDirectory() as directory:  # one that everybody may enter
        Path(directory).chmod(0o755)
        Path(directory, "a").touch(mode=0o600)
        assert as_nobody(load, f"read(Path({directory!r}, 'a'))") == (
            f"{directory}/a: It cannot be read: Permission denied.\n"
        )


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    replace(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_an_old_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    replace(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(tmp_path / "none" / "a", b"new")
    assert str(caught.value) == f"{tmp_path}/none/a: It cannot be written: No such file or directory."
    (tmp_path / "a").mkdir()
    with pytest.raises(ConfigError, match="It cannot be written: Is a directory"):
        replace(tmp_path / "a", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_link_out_of_the_project_is_not_written_through(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "victim").write_bytes(b"old")
    (project / "a").symlink_to("../victim")
    with pytest.raises(ConfigError, match="leads out of the project"):
        replace(project / "a", b"new", within=project)
    assert (tmp_path / "victim").read_bytes() == b"old"


def test_one_at_a_time(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(50):
            with locked(tmp_path / "made" / "for it"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert stat.S_IMODE((tmp_path / "made" / "for it").stat().st_mode) == 0o700


def test_a_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ConfigError) as caught, locked(tmp_path / "file"):
        pass
    assert str(caught.value) == f"{tmp_path}/file: It cannot be written to: File exists."


@pytest.mark.parametrize(("name", "depth"), [("d", 1_100), ("d" * 200, 30)])
def test_no_tree_is_too_deep_to_be_removed(name: str, depth: int, tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    here = os.open(tmp_path / "top", os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        os.close(os.open("file", os.O_CREAT, dir_fd=here))
        above, here = here, os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(above)
    os.close(here)
    remove_tree(tmp_path / "top")
    assert list(tmp_path.iterdir()) == []


def test_what_is_removed_is_no_more_than_the_tree(tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/file").write_bytes(b"")
    (tmp_path / "top/closed/below").mkdir(parents=True)
    (tmp_path / "top/closed/link").symlink_to(tmp_path / "victim")
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    (tmp_path / "top/closed/below").chmod(0o500)
    (tmp_path / "top/closed").chmod(0o500)
    for name in ("top", "link", "none", "victim/file"):
        remove_tree(tmp_path / name)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["victim", "victim/file"]
