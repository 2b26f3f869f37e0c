"""`ferrule config`, from the command line to the files."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrule.cli.main import MODES, main
from ferrule.config.keys import KEYS
from ferrule.config.published import schema_text
from ferrule.config.schema import MODE_ALIASES

Answer = tuple[int, str, str]
Ask = Callable[..., Answer]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("FERRULE_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / ".config" / "ferrule").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path / "project")
    return home


@pytest.fixture
def ask(home: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def ask(*words: str) -> Answer:
        code = main(["config", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return ask


@pytest.fixture
def user(home: Path) -> Path:
    return home / ".config" / "ferrule" / "config.json"


@pytest.fixture
def local(tmp_path: Path, home: Path) -> Path:
    return tmp_path / "project" / ".ferrule.json"


def test_every_value_is_shown_with_its_origin(ask: Ask, user: Path, local: Path) -> None:
    user.write_text('{"llm": {"model": "m"},\n"agent": {"max_turns": 7}}')
    local.write_text('{"safety": {"mode": "yolo", "deny": ["bash(rm *)"]}}')
    code, out, err = ask()
    assert code == 0
    rows = [line.split(maxsplit=1) for line in out.splitlines()]
    assert [row[0] for row in rows] == list(KEYS)
    assert [line.rstrip() for line in out.splitlines() if not line.endswith("default")] == [
        f'llm.model                      "m"             {user}:1',
        f"agent.max_turns                7               {user}:2",
        f'safety.deny                    ["bash(rm *)"]  {local}:1',
    ]
    assert err == f"ferrule: {local}:1: safety.mode is ignored: it is the user's to set, not a project's.\n"


def test_one_very_long_value_does_not_push_the_others_apart(ask: Ask, user: Path) -> None:
    user.write_text(json.dumps({"llm": {"model": "m" * 200}}))
    _, out, _ = ask()
    lines = out.splitlines()
    assert lines[1] == f'llm.model                      "{"m" * 200}"  {user}:1'
    assert lines[0] == f"{'llm.provider':<29}  {'null':<40}  default"


def test_all_of_it_as_json(ask: Ask, user: Path, local: Path) -> None:
    user.write_text('{"llm": {"model": "m"}}')
    local.write_text('{"ui": {"color": "never"}}')
    code, out, err = ask("--json")
    made = json.loads(out)
    assert (code, err) == (0, "")
    assert list(made) == ["values", "files", "warnings"]
    assert made["values"]["llm.model"] == {"value": "m", "origin": f"{user}:1"}
    assert made["values"]["safety.deny"] == {"value": [], "origin": "default"}
    assert made["warnings"] == [f"{local}:1: ui.color is ignored: it is the user's to set, not a project's."]
    assert {"path": str(local), "layer": "project", "exists": True} in made["files"]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("llm.model", "m\n"),
        ("llm.provider", "null\n"),
        ("agent.max_turns", "100\n"),
        ("session.auto_save", "true\n"),
        ("safety.deny", "bash(a)\nbash(b)\n"),
        ("safety.allow", ""),
    ],
)
def test_get_prints_the_value_alone(ask: Ask, user: Path, name: str, printed: str) -> None:
    user.write_text('{"llm": {"model": "m"}, "safety": {"deny": ["bash(a)", "bash(b)"]}}')
    assert ask("get", name) == (0, printed, "")


def test_get_lets_nothing_through_that_a_terminal_acts_on(ask: Ask, local: Path) -> None:
    local.write_text('{"safety": {"deny": ["bash(\\u001b]0;x\\u0007)"]}}')
    assert ask("get", "safety.deny") == (0, "bash(\\u001b]0;x\\u0007)\n", "")


def test_get_as_json(ask: Ask, user: Path) -> None:
    user.write_text('{"agent": {"max_turns": 7}}')
    expected = {"key": "agent.max_turns", "value": 7, "origin": f"{user}:1"}
    for words in (["get", "agent.max_turns", "--json"], ["--json", "get", "agent.max_turns"]):
        code, out, _ = ask(*words)
        assert (code, json.loads(out)) == (0, expected)


@pytest.mark.parametrize("action", [["get"], ["set"], ["set", "--project"]])
def test_an_unknown_key_is_answered_with_the_nearest(ask: Ask, action: list[str]) -> None:
    value = ["x"] if "set" in action else []
    assert ask(*action, "llm.modle", *value) == (2, "", "ferrule: There is no key llm.modle; there is llm.model.\n")


def test_a_file_of_the_command_line_and_another_directory(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "extra.json").write_text('{"agent": {"max_turns": 9}}')
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".ferrule.json").write_text('{"tools": {"disabled": ["bash"]}}')
    assert ask("-c", str(tmp_path / "extra.json"), "get", "agent.max_turns") == (0, "9\n", "")
    assert ask("get", "tools.disabled", "--cwd", str(tmp_path / "other")) == (0, "bash\n", "")
    assert ask("get", "tools.disabled", "--cwd", "nowhere") == (2, "", "ferrule: There is no directory nowhere.\n")


def test_set_writes_to_the_users_file_and_keeps_its_comments(ask: Ask, user: Path) -> None:
    user.write_text('{\n  // which one\n  "llm": {"model": "old"}, // mine\n}\n')
    assert ask("set", "llm.model", "new") == (0, f'{user}:3: llm.model is now "new".\n', "")
    assert ask("set", "agent.max_turns", "7") == (0, f"{user}:5: agent.max_turns is now 7.\n", "")
    assert user.read_text() == (
        '{\n  // which one\n  "llm": {"model": "new"}, // mine\n  "agent": {\n    "max_turns": 7\n  },\n}\n'
    )


def test_set_as_json(ask: Ask, user: Path) -> None:
    code, out, _ = ask("set", "tools.disabled", "a,b", "--json")
    assert (code, json.loads(out)) == (0, {"key": "tools.disabled", "value": ["a", "b"], "origin": f"{user}:3"})


def test_set_for_the_project(ask: Ask, local: Path) -> None:
    path = local.parent / ".ferrule" / "config.json"
    assert ask("set", "--project", "safety.deny", "bash(rm *),edit(.env)") == (
        0,
        f'{path}:3: safety.deny is now ["bash(rm *)", "edit(.env)"].\n',
        "",
    )
    assert ask("get", "safety.deny") == (0, "bash(rm *)\nedit(.env)\n", "")


def test_set_refuses_what_a_project_cannot_say(ask: Ask, local: Path) -> None:
    assert ask("set", "--project", "safety.mode", "yolo") == (
        2,
        "",
        "ferrule: safety.mode is the user's to set, not a project's; leave --project out.\n",
    )
    assert list(local.parent.iterdir()) == []


def test_set_does_not_follow_a_link_out_of_the_project(ask: Ask, local: Path, home: Path) -> None:
    (local.parent / ".ferrule").symlink_to(home)
    code, out, err = ask("set", "--project", "safety.deny", "bash")
    assert (code, out) == (2, "")
    assert "leads out of the project" in err
    assert not (home / "config.json").exists()


def test_set_checks_the_value_first(ask: Ask, user: Path) -> None:
    said = "ferrule: agent.max_turns must be a whole number from 0 to 1000000, not "
    assert ask("set", "agent.max_turns", "many") == (2, "", said + '"many".\n')
    assert ask("set", "agent.max_turns", "-5") == (2, "", said + "-5.\n")
    assert not user.exists()


def test_set_does_not_touch_a_file_with_errors(ask: Ask, user: Path) -> None:
    user.write_text('{"llm": {"modle": "x"}}')
    code, out, err = ask("set", "agent.max_turns", "5")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "ferrule: The file has errors and was not changed:",
        f"{user}:1:10: There is no key llm.modle; there is llm.model.",
    ]
    assert user.read_text() == '{"llm": {"modle": "x"}}'


def test_set_says_when_something_else_decides(ask: Ask, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FERRULE_MODEL", "other")
    assert ask("set", "llm.model", "m") == (
        0,
        f'{user}:3: llm.model is now "m".\n',
        "ferrule: here llm.model still comes from elsewhere: environment FERRULE_MODEL.\n",
    )


def test_set_says_when_another_file_is_wrong(ask: Ask, user: Path, local: Path) -> None:
    local.write_text("{")
    code, out, err = ask("set", "llm.model", "m")
    assert (code, out) == (0, f'{user}:3: llm.model is now "m".\n')
    assert err.splitlines() == [
        "ferrule: something else in the configuration is wrong:",
        f'{local}:1:1: This object does not end: "}}" is missing.',
    ]


def test_path_lists_the_files_also_when_they_are_wrong(ask: Ask, user: Path, local: Path, home: Path) -> None:
    user.write_text("{")
    code, out, _ = ask("path")
    assert code == 0
    assert [line.split() for line in out.splitlines()][1:] == [
        [str(user), "user", "found"],
        [str(home / ".ferrule.json"), "user", "missing"],
        [str(local), "project", "missing"],
        [str(local.parent / ".ferrule" / "config.json"), "project", "missing"],
    ]
    code, out, _ = ask("path", "--json")
    assert json.loads(out)[1] == {"path": str(user), "layer": "user", "exists": True}


def test_schema_is_printed_or_written(ask: Ask, tmp_path: Path) -> None:
    assert ask("schema") == (0, schema_text(), "")
    assert ask("schema", "--output", str(tmp_path / "schema.json")) == (0, "", "")
    assert (tmp_path / "schema.json").read_text() == schema_text()
    code, _, err = ask("schema", "--output", str(tmp_path / "no" / "schema.json"))
    assert (code, err) == (1, f"ferrule: {tmp_path}/no/schema.json: It cannot be written: No such file or directory.\n")


def test_a_wrong_configuration_ends_with_its_words(ask: Ask, user: Path) -> None:
    user.write_text('{"llm": {"model": 5}}')
    said = f"ferrule: {user}:1:19: llm.model must be a string that is not empty or null, not 5.\n"
    assert ask() == (2, "", said)
    assert ask("get", "ui.color") == (2, "", said)


def test_a_directory_that_is_gone_is_said(home: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m ferrule config"
    gone.mkdir()
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "ferrule: The directory that this was started in is gone.\n")


def test_the_command_line_knows_the_modes_of_the_schema() -> None:
    assert set(MODES) == {"plan", "normal", "auto-edit", "auto", "yolo", *MODE_ALIASES}
