"""Every command, snippet and setting of the documentation is tried; every name and link in it leads somewhere."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrule.commands.table import BY_NAME
from ferrule.config.check import findings_of
from ferrule.config.jsonc import parse
from ferrule.config.keys import KEYS
from ferrule.core.tool import Effect
from ferrule.llm.script import load_script
from tests.docs.pages import PAGES, ROOT, Block, all_commands, blocks, commands, pattern
from tests.docs.world import ANSWERS, TYPED, World, answer
from tests.server import ModelServer
from tests.test_floors import FLOORS
from tests.tools.calling import context_in, make_tree, words_of

NOT_RUN = {
    "pipx install .": "installs from the network",
    "pipx install --force '.[local]'": "installs from the network",
    "make run": "fetches a model of 1.12 GB",
    "make run ARGS='-p \"In which file is the discount computed?\"'": "the same",
    "ferrule models pull": "the same",
    "ferrule models pull qwen2.5-coder-0.5b": "fetches 491 MB",
    "ferrule models pull qwen2.5-coder-0.5b --source ~/Downloads/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf": "the same",
    "ferrule -P local -m ~/models/some-7b-instruct-q4_k_m.gguf": "wants weights and the engine",
    "export ANTHROPIC_API_KEY=…": "wants a real key",
    "ollama pull qwen3 && ollama serve": "wants Ollama and the network",
    "ferrule bench run -P ollama -m qwen2.5-coder:1.5b --json results.jsonl": "wants Ollama, and takes an hour",
    "ferrule probe -P ollama -m qwen3:4b": "wants Ollama, and takes minutes",
    'ferrule bench run -P openai-compatible --endpoint "$OPENAI_API_BASE" -m local '
    "--rival 'aider=aider --model openai/local --message {prompt} --yes-always --git --no-stream'": "wants aider",
}
"""Commands that cannot be run here, and why."""
IN_A_CHECKOUT = {"README.md", "CONTRIBUTING.md", "getting-started.md"}
"""Pages whose commands are given in a checkout of Ferrule; those of the others in a project."""
WITH_A_PAST = {"everyday.md", "safety.md"}
"""Pages that are about a session which has changed something."""
SECTIONS = {name.partition(".")[0] for name in KEYS}
BY_PAGE = [pytest.param(page, id=page.name) for page in PAGES]
SLOW = {"everyday.md", "safety.md"}
"""Pages that start Ferrule dozens of times; the README and the first steps are tried with each change."""
TRIED_BY_PAGE = [
    *(pytest.param(page, False, id=page.name, marks=[pytest.mark.slow] if page.name in SLOW else []) for page in PAGES),
    pytest.param(ROOT / "README.md", True, id="README.md, by hand", marks=pytest.mark.slow),
]
"""Each page, and whether all its commands start the program itself, as whoever follows it does."""


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer([answer] * 10_000, key=None) as server:
        yield server


@pytest.mark.timeout(240)  # a page may have two dozen commands
@pytest.mark.parametrize(("page", "fresh"), TRIED_BY_PAGE)
def test_what_stands_on_a_page_works(page: Path, tmp_path: Path, server: ModelServer, *, fresh: bool) -> None:
    found = [block for block in blocks(page) if block.kind]
    world = World(tmp_path, server, fresh=fresh)
    if page.name in IN_A_CHECKOUT:
        world.check_out()
    elif page.name in WITH_A_PAST:
        world.mend()
    start = world.here
    for block in found:
        world.here = start if page.name == "README.md" else world.here  # which is not read from top to bottom
        try:
            TRIED[block.kind](block, world)
        except AssertionError as error:
            error.add_note(f"{page.name}:{block.line}")
            raise


def _console(block: Block, world: World) -> None:
    for command in commands(block):
        if command.bare in TYPED:
            world.type(command.bare, TYPED[command.bare])
        elif command.bare not in NOT_RUN:
            printed = world.run(command.words)
            expected = pattern(command.prints)
            assert not expected or re.fullmatch(expected, printed), f"{command.words}\n{printed}"


def _shell(block: Block, world: World) -> None:
    if block.text.startswith("#!"):
        _program(block, world)
    else:
        world.run(f"set -eu\n{block.text}")


def _program(block: Block, world: World) -> None:
    """A program, whose second line says where it lies."""
    path = block.text.splitlines()[1].removeprefix("#").strip()
    world.write(path, block.text, executable=True)


def _python(block: Block, world: World) -> None:
    if block.text.startswith("#!"):
        _program(block, world)
    elif "(TypedTool[" not in block.text:  # the tool of CONTRIBUTING.md, which has a test of its own
        prelude = "" if "import ferrule" in block.text else "import ferrule\n"
        assert python(prelude + block.text, world.home) == ""


def python(code: str, directory: Path) -> str:
    """Run some Python; what it complains of."""
    env = {"PATH": os.environ["PATH"], "HOME": str(directory), "FERRULE_OFFLINE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=directory, env=env, capture_output=True, text=True, timeout=50
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def _json(block: Block, world: World) -> None:
    """A configuration, replies of a scripted model, embedded models, or at least JSON."""
    lines = block.text.splitlines()
    if all(line.startswith("{") and line.endswith("}") for line in lines) and '"text"' in lines[0]:
        world.write("replies.jsonl", block.text)
        load_script(world.here / "replies.jsonl")
        return
    document = parse(block.text.encode(), "page")
    if document.root and isinstance(document.root.plain, list):
        world.write("~/.config/ferrule/models.json", block.text)
        assert document.root.plain[0]["name"] in world.run("ferrule models list")
    elif document.root and {*document.root.plain} & SECTIONS:
        assert [finding for finding in findings_of(document) if isinstance(finding, str)] == []


def _text(block: Block, world: World) -> None:
    """A part of the screen, as it was when something was typed."""
    assert any(block.text in screen for screen in world.seen), "\n".join(world.seen)


def _toml(block: Block, _: World) -> None:
    assert tomllib.loads(block.text)


TRIED = {
    "console": _console,
    "json": _json,
    "python": _python,
    "python3": _program,
    "sh": _shell,
    "text": _text,
    "toml": _toml,
}
"""What is done with a block, by the word behind its fence; one without a word is a drawing."""


def test_what_is_not_run_or_is_answered_or_typed_still_stands_on_a_page() -> None:
    known = all_commands()
    assert {*NOT_RUN, *TYPED} - known == set()
    assert [prompt for prompt in ANSWERS if not any(prompt in command for command in known)] == []


async def test_the_tool_of_the_contributing_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snippet = next(block.text for block in blocks(ROOT / "CONTRIBUTING.md") if block.kind == "python")
    make_tree(tmp_path, {"count_tool.py": snippet, "count_tool.md": "Counts the lines of a file.", "a.txt": "1\n2\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    tool = importlib.import_module("count_tool").Count()
    assert tool.spec.description == "Counts the lines of a file."
    assert tool.effects(tool.parse({"path": "a.txt"})) == (Effect("read", "a.txt"),)
    assert await words_of(tool, context_in(tmp_path), path="a.txt") == "2 lines"


@pytest.mark.parametrize("page", BY_PAGE)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        place, _, heading = target.partition("#")
        linked = (page.parent / place) if place else page
        assert linked.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", linked.read_text("utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w\- ]", "", one).lower().replace(" ", "-") for one in headings}, target


@pytest.mark.parametrize("page", BY_PAGE)
def test_every_setting_and_command_that_is_named_exists(page: Path) -> None:
    named = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", page.read_text("utf-8"))
    settings = {word for word in named if re.fullmatch(rf"({'|'.join(SECTIONS)})\.[a-z_]+", word)}
    assert {word for word in settings if not word.endswith((".py", ".md"))} - {*KEYS} == set()
    slashed = {found[1] for word in named if (found := re.match(r"/([a-z-]+)(?: |$)", word))}
    assert slashed - {*BY_NAME, "review", "tmp"} == set()


def test_the_targets_of_the_contributing_guide_are_those_of_the_makefile() -> None:
    told = set(re.findall(r"`make ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    made = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert told == made - {"help"}


@pytest.mark.parametrize(("target", "pinned"), [("run", {"run", "local"}), ("test", {"dev"})])
def test_running_installs_none_of_the_tools_that_developers_need(target: str, pinned: set[str], tmp_path: Path) -> None:
    words = ["make", "--no-print-directory", "--dry-run", "--always-make", target, f"VENV={tmp_path}/new"]
    would = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"-r constraints/(\w+)\.txt", would)) == pinned
    assert would.startswith('echo "Setting up Ferrule')


@pytest.mark.parametrize("name", ["run", "runtime", "local"])
def test_what_runs_is_what_is_tested(name: str) -> None:
    tested, run = (_pins(ROOT / "constraints" / f"{one}.txt") for one in ("dev", name))
    assert dict(run.items() - tested.items()).keys() == ({"xllamacpp"} if name == "local" else set())


def _pins(file: Path) -> dict[str, str]:
    """What a file of the lock pins: versions and hashes by the packages' names."""
    blocks = re.split(r"(?m)^(?=\w)", file.read_text("utf-8"))[1:]
    return {block.partition("==")[0]: block for block in blocks}


def test_the_floors_of_the_contributing_guide_are_those_that_hold() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    told = re.search(r"Imports point downwards only: (.*?)\.", guide)
    assert told
    assert [set(re.findall(r"`(\w+)`", floor)) for floor in told[1].split("←")] == FLOORS[1:]
    drawn = set(re.findall(r"^  (\w+)(?:/|\.py)", guide, re.MULTILINE))
    assert drawn == set().union(*FLOORS[1:])


def test_the_readme_leads_to_every_page() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [page.name for page in PAGES if page.parent.name == "docs" and f"(docs/{page.name})" not in readme] == []
