"""A first AGENTS.md, from what can be seen of a project without running anything in it."""

import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ferrule.commands.markdown import code, words
from ferrule.context.peek import peek
from ferrule.context.project import project_of
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.regex import lazy

NAMES = ("AGENTS.md", "CLAUDE.md")
"""Files that are a project's instructions already."""
_LARGEST = 262_144
_MOST = 12
_TARGET = lazy(r"(?m)^([A-Za-z0-9][\w.-]{0,39})[ \t]*:(?![=:])(?:[^#\n]*##[ \t]*(.{1,80}))?")
_SCRIPT = lazy(r"[A-Za-z0-9][\w.:-]{0,39}\Z")
_RUNNERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
_PYTHON = {"pytest": "pytest", "ruff": "ruff check", "mypy": "mypy", "black": "black .", "tox": "tox"}
_PLAIN = {
    "Cargo.toml": ("cargo build", "cargo test", "cargo clippy"),
    "go.mod": ("go build ./...", "go test ./...", "go vet ./..."),
    "pom.xml": ("mvn test",),
    "build.gradle": ("gradle test",),
    "build.gradle.kts": ("gradle test",),
    "mix.exs": ("mix test",),
    "Package.swift": ("swift build", "swift test"),
}
_PURPOSES = {
    "src": "the code",
    "lib": "the code",
    "app": "the code",
    "test": "its tests",
    "tests": "its tests",
    "docs": "documentation",
    "examples": "examples",
    "scripts": "scripts for developers",
    ".github": "continuous integration",
}
_MADE = {"__pycache__", "node_modules", "venv", "build", "dist", "target", "htmlcov"}
"""Directories that tools make."""
_TO_WRITE = """\
## Conventions

<!-- What is not obvious from the code, and is asked for in every review. -->

## Traps

<!-- What went wrong before: generated files, slow tests, things that must not be touched. -->"""


def write_starter(directory: Path) -> Path:
    """Write a first AGENTS.md; gives its path.

    Raises:
        UsageError: the project has instructions already.
        FerruleError: it cannot be written.
    """
    for name in NAMES:
        if os.path.lexists(directory / name):
            raise UsageError(f"{directory / name} is there already; nothing was written.")
    path = directory / NAMES[0]
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(starter(directory))
    except OSError as error:
        raise FerruleError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def starter(directory: Path) -> str:
    """The text of a first AGENTS.md. Never raises, and runs nothing."""
    kind = project_of(directory).kind.partition(";")[0]
    head = f"# {words(Path(os.path.realpath(directory)).name or 'Project', 80)}"
    what = f"A project in {words(kind)}." if kind else "<!-- What this project is, in a sentence or two. -->"
    commands = [f"- {code(command)}{f': {words(note)}' if note else ''}" for command, note in _commands(directory)]
    found = "\n".join(commands[: _MOST * 2]) or "<!-- How to build, run, test, lint and format it. -->"
    layout = "\n".join(_layout(directory)) or "<!-- The directories that matter. -->"
    return f"{head}\n\n{what}\n\n## Commands\n\n{found}\n\n## Layout\n\n{layout}\n\n{_TO_WRITE}\n"


def _commands(directory: Path) -> Iterator[tuple[str, str]]:
    for look in (_make, _scripts, _python):
        yield from list(_carefully(look, directory))[:_MOST]
    for name, commands in _PLAIN.items():
        if _is_file(directory / name):
            yield from ((command, "") for command in commands)


def _carefully(look: Callable[[Path], list[tuple[str, str]]], directory: Path) -> list[tuple[str, str]]:
    """What a file says, or nothing where it cannot be read or understood."""
    try:
        return look(directory)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return []


def _make(directory: Path) -> list[tuple[str, str]]:
    text = peek(directory / "Makefile", _LARGEST)[0].decode("utf-8", "replace")
    found = {name: note.strip() for name, note in reversed(_TARGET.findall(text))}
    return [(f"make {name}", note) for name, note in reversed(found.items())]


def _scripts(directory: Path) -> list[tuple[str, str]]:
    package = msgspec.json.decode(peek(directory / "package.json", _LARGEST)[0])
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return []
    runner = next((runner for name, runner in _RUNNERS.items() if _is_file(directory / name)), "npm")
    return [(f"{runner} run {name}", str(does)[:80]) for name, does in scripts.items() if _SCRIPT.match(name)]


def _python(directory: Path) -> list[tuple[str, str]]:
    settings: dict[str, Any] = tomllib.loads(peek(directory / "pyproject.toml", _LARGEST)[0].decode())
    tools = settings.get("tool")
    prefix = "uv run " if _is_file(directory / "uv.lock") else ""
    return [(prefix + command, "") for name, command in _PYTHON.items() if isinstance(tools, dict) and name in tools]


def _layout(directory: Path) -> Iterator[str]:
    """The directories of a project; of one that has none, the files."""
    try:
        entries = sorted((entry for entry in os.scandir(directory) if _is_layout(entry.name)), key=lambda one: one.name)
        folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        files = [entry.name for entry in entries if entry.is_file(follow_symlinks=False) and entry.name not in NAMES]
    except OSError:
        return
    for name in folders[:_MOST]:
        yield f"- {code(f'{name}/')}{f': {_PURPOSES[name]}' if name in _PURPOSES else ''}"
    if not folders:
        yield from (f"- {code(name)}" for name in files[:_MOST])


def _is_layout(name: str) -> bool:
    """Whether a name tells something of a project; what is hidden or made by tools does not."""
    return name in _PURPOSES or not (name.startswith(".") or name in _MADE or name.endswith(".egg-info"))


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - Path's may raise
