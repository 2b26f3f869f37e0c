"""What is remembered for a project: kept whole, in the user's own file, and never guessed."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ferrule.config.projects import (
    Project,
    Trust,
    about,
    allow_for,
    file,
    holds_home,
    known,
    remember_allow,
    revoke,
    set_trust,
    trusted_hash,
)
from ferrule.core.errors import ConfigError


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return {"HOME": str(tmp_path / "home")}


@pytest.fixture
def project(tmp_path: Path, environ: dict[str, str]) -> Path:
    return tmp_path / "project"


def test_nothing_is_known_at_first(project: Path, environ: dict[str, str]) -> None:
    assert known(environ) == {}
    assert about(project, environ) == Project()
    assert (allow_for(project, environ), trusted_hash(project, environ)) == ((), None)
    assert revoke(project, environ) is False
    assert not file(environ).exists()


def test_rules_and_trust_are_kept_side_by_side(project: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    remember_allow(project, ["bash(make *)", "edit(src/**)"], environ)
    set_trust(project, "abc", files={"a": "1"}, environ=environ)
    remember_allow(project, ["bash(make *)", "bash(ls)"], environ)
    remember_allow(tmp_path, ["bash"], environ)
    at = json.loads(file(environ).read_text())[str(project)]["trusted"]["at"]
    trust = Trust(hash="abc", at=at, files={"a": "1"})
    assert known(environ) == {
        str(project): Project(allow=("bash(make *)", "edit(src/**)", "bash(ls)"), trusted=trust),
        str(tmp_path): Project(allow=("bash",)),
    }
    assert trusted_hash(project, environ) == "abc"
    assert revoke(project, environ) is True
    assert about(project, environ) == Project(allow=("bash(make *)", "edit(src/**)", "bash(ls)"))


def test_the_file_is_for_its_owner_alone(project: Path, environ: dict[str, str]) -> None:
    remember_allow(project, ["bash"], environ)
    assert stat.S_IMODE(file(environ).stat().st_mode) == 0o600
    assert [one.name for one in file(environ).parent.iterdir()] == ["projects.json"]


def test_a_project_is_known_by_where_it_really_is(project: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "link").symlink_to(project)
    remember_allow(tmp_path / "link", ["bash"], environ)
    assert allow_for(project, environ) == ("bash",)
    assert allow_for(project / "nested", environ) == ()


def test_what_is_no_rule_is_not_remembered(project: Path, environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"safety\.allow\[1\] must be a rule"):
        remember_allow(project, ["bash", "bash(rm"], environ)
    assert not file(environ).exists()


def test_what_is_not_understood_is_kept(project: Path, environ: dict[str, str]) -> None:
    file(environ).parent.mkdir(parents=True)
    before = {"/other": 5, str(project): {"allow": ["bash", 7, "x("], "later": [1]}, "/third": {"trusted": "yes"}}
    file(environ).write_text(json.dumps(before))
    assert known(environ) == {str(project): Project(allow=("bash",)), "/third": Project()}
    remember_allow(project, ["edit"], environ)
    after = json.loads(file(environ).read_text())
    assert after == before | {str(project): {"allow": ["bash", "edit"], "later": [1]}}


@pytest.mark.parametrize("text", ["{", "[]", "5", '{"a": ', "\xff", "[" * 100_000, '{"a":' * 50_000])
def test_a_damaged_file_says_nothing_and_is_not_overwritten(project: Path, environ: dict[str, str], text: str) -> None:
    file(environ).parent.mkdir(parents=True)
    file(environ).write_text(text, "latin-1")
    assert (known(environ), about(project, environ)) == ({}, Project())
    with pytest.raises(ConfigError, match="The file is damaged"):
        remember_allow(project, ["bash"], environ)
    with pytest.raises(ConfigError, match="The file is damaged"):
        set_trust(project, "x", environ=environ)
    assert file(environ).read_text("latin-1") == text


@pytest.mark.parametrize("trusted", [5, {}, {"hash": 5}, {"hash": "a", "files": [1]}, {"at": "now"}, None])
def test_trust_that_cannot_be_read_is_none(project: Path, environ: dict[str, str], trusted: object) -> None:
    file(environ).parent.mkdir(parents=True)
    file(environ).write_text(json.dumps({str(project): {"trusted": trusted}}))
    assert trusted_hash(project, environ) is None


def test_a_pipe_is_not_waited_for(project: Path, environ: dict[str, str]) -> None:
    file(environ).parent.mkdir(parents=True)
    os.mkfifo(file(environ))
    assert about(project, environ) == Project()
    with pytest.raises(ConfigError, match="This is a named pipe"):
        remember_allow(project, ["bash"], environ)


def test_the_home_is_no_project(tmp_path: Path, environ: dict[str, str]) -> None:
    for directory in (tmp_path / "home", tmp_path, Path("/")):
        assert holds_home(directory, environ)
        with pytest.raises(ConfigError, match="is no project: your home directory is not trusted as a whole"):
            set_trust(directory, "abc", environ=environ)
    assert not holds_home(tmp_path / "project", environ)
    assert not file(environ).exists()


def test_a_path_that_is_no_text_is_not_remembered(tmp_path: Path, environ: dict[str, str]) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    odd.mkdir()
    assert about(odd, environ) == Project()
    with pytest.raises(ConfigError, match="not UTF-8"):
        remember_allow(odd, ["bash"], environ)


REMEMBERING = """
import sys
from pathlib import Path
from ferrule.config.projects import remember_allow
for number in range(int(sys.argv[3]), 20, 2):
    remember_allow(Path(sys.argv[1]), [f"bash({number})"], {"HOME": sys.argv[2]})
"""


def test_two_at_once_lose_nothing(project: Path, environ: dict[str, str]) -> None:
    words = [sys.executable, "-c", REMEMBERING, str(project), environ["HOME"]]
    workers = [subprocess.Popen([*words, first]) for first in ("0", "1")]
    assert [worker.wait(50) for worker in workers] == [0, 0]
    assert set(allow_for(project, environ)) == {f"bash({number})" for number in range(20)}
