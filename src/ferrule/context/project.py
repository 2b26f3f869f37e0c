"""What kind of project this is, and how its git stands: read from a few files, without running anything.

In a repository that was just cloned even `git status` can run code, so git itself is not asked.
"""

import os
import re
from pathlib import Path

import msgspec

from ferrule.context.index import edited_files
from ferrule.context.peek import peek
from ferrule.core.messages import Value

KINDS = {
    "pyproject.toml": "Python",
    "setup.py": "Python",
    "requirements.txt": "Python",
    "tsconfig.json": "TypeScript",
    "package.json": "JavaScript",
    "deno.json": "Deno",
    "Cargo.toml": "Rust",
    "go.mod": "Go",
    "pom.xml": "Java",
    "build.gradle": "Gradle",
    "build.gradle.kts": "Gradle",
    "Package.swift": "Swift",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "mix.exs": "Elixir",
    "pubspec.yaml": "Dart",
    "build.zig": "Zig",
    "dune-project": "OCaml",
    "stack.yaml": "Haskell",
    "CMakeLists.txt": "CMake",
    "meson.build": "Meson",
    "flake.nix": "Nix",
}
"""Files that say what a project is, the more telling first."""
MANAGERS = {
    "uv.lock": "uv",
    "poetry.lock": "Poetry",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "Yarn",
    "bun.lock": "Bun",
    "bun.lockb": "Bun",
    "package-lock.json": "npm",
}
UNDERTAKINGS = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}
"""What git leaves in its directory while something is under way."""

_TARGET = rb"(?m)^([A-Za-z0-9][\w.-]{0,39})[ \t]*:(?![=:])"
_SCRIPT = r"[A-Za-z0-9][\w.:-]{0,39}"
_BRANCH = r"(?:ref: )?refs/heads/([\w][\w./+@=#-]{0,199})"
_COMMIT = r"([0-9a-f]{7})[0-9a-f]{33}(?:[0-9a-f]{24})?"
_SHOWN = 10
_DEEPEST = 100


class Project(Value, frozen=True, kw_only=True):
    """What can be seen of a project from outside."""

    root: str = ""
    """The repository's top directory, where there is a repository."""
    git: str = ""
    edited: int = 0
    """Files that differ from what git has of them, as far as that can be seen."""
    kind: str = ""


def project_of(directory: Path) -> Project:
    """Look at a directory and the repository around it. Never raises, and runs nothing."""
    directory = Path(os.path.realpath(directory))
    root = root_of(directory)
    kind = _kind(directory) or (_kind(root) if root else "")
    if root is None:
        return Project(kind=kind)
    return Project(root=str(root), git=_git(root), edited=_edited(root), kind=kind)


def edited_in(directory: Path) -> int:
    """How many files of the repository around a directory were edited, as far as that can be seen. Never raises."""
    root = root_of(Path(os.path.realpath(directory)))
    return _edited(root) if root else 0


def root_of(directory: Path) -> Path | None:
    """The nearest directory from here upwards that is a repository, unless it is a stranger's."""
    for level in (directory, *directory.parents)[:_DEEPEST]:
        if os.path.lexists(level / ".git"):
            return level if level == directory or _is_ours(level / ".git", directory) else None
    return None


def _is_ours(git: Path, directory: Path) -> bool:
    """Whether the user, or the owner of the directory, made it: anybody can put a repository into /tmp."""
    try:
        return os.lstat(git).st_uid in {os.getuid(), directory.stat().st_uid}
    except OSError:
        return False


def _kind(directory: Path) -> str:
    names = (*KINDS, *MANAGERS, "Makefile")
    there = {name for name in names if os.path.isfile(directory / name)}  # noqa: PTH113 - Path's may raise
    kinds = dict.fromkeys(kind for name, kind in KINDS.items() if name in there)
    if "TypeScript" in kinds:
        kinds.pop("JavaScript", None)
    managers = dict.fromkeys(manager for name, manager in MANAGERS.items() if name in there)
    parts = [", ".join(kinds) + (f" ({', '.join(managers)})" if managers else "")] if kinds else []
    if "package.json" in there and (scripts := _scripts(directory / "package.json")):
        parts.append(f"scripts: {' '.join(scripts[:_SHOWN])}")
    if "Makefile" in there and (targets := _targets(directory / "Makefile")):
        parts.append(f"make: {' '.join(targets[:_SHOWN])}")
    return "; ".join(parts)


def _edited(root: Path) -> int:
    return edited_files(root, _git_directory(root)) or 0


def _targets(makefile: Path) -> list[str]:
    return list(dict.fromkeys(name.decode() for name in re.findall(_TARGET, _beginning(makefile, 65_536))))


def _scripts(package: Path) -> list[str]:
    try:
        content = msgspec.json.decode(_beginning(package, 262_144))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    scripts = content.get("scripts") if isinstance(content, dict) else None
    return [name for name in scripts if re.fullmatch(_SCRIPT, name)] if isinstance(scripts, dict) else []


def _git(root: Path) -> str:
    """The branch, and what is under way on it."""
    place = _git_directory(root)
    under_way = dict.fromkeys(what for name, what in UNDERTAKINGS.items() if os.path.lexists(place / name))
    line = _head(place)
    if not line:
        return ""
    return f"{line}, {' and '.join(under_way)} under way" if under_way else line


def _git_directory(root: Path) -> Path:
    """Where git keeps its state: `.git`, or where the file of that name points, as in a worktree."""
    words = _beginning(root / ".git", 4_096).decode("utf-8", "replace").strip()
    return root / words.removeprefix("gitdir: ") if words.startswith("gitdir: ") else root / ".git"


def _head(place: Path) -> str:
    head = _line(place / "HEAD")
    if branch := re.fullmatch(_BRANCH, head):
        return f"branch {branch[1]}"
    if not (commit := re.fullmatch(_COMMIT, head)):
        return ""
    for name in ("rebase-merge/head-name", "rebase-apply/head-name"):
        if branch := re.fullmatch(_BRANCH, _line(place / name)):
            return f"branch {branch[1]}"
    return f"detached at {commit[1]}"


def _line(path: Path) -> str:
    return _beginning(path, 4_096).decode("utf-8", "replace").strip()


def _beginning(path: Path, most: int) -> bytes:
    try:
        return peek(path, most)[0]
    except (OSError, ValueError):  # a path with a NUL in it is a value that cannot be
        return b""
