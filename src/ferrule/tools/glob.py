"""The `glob` tool: files by the pattern of their path, newest first."""
# Paths are strings here, since there are many of them.
# ruff: noqa: PTH111, PTH112, PTH116, PTH118

import asyncio
import heapq
import os
from pathlib import Path
from typing import Annotated

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import Files, resolve
from ferrule.host.machine import Host
from ferrule.tools.display import count, shown
from ferrule.tools.patterns import compile_glob, depth_of, is_wild, name_part, split_root
from ferrule.tools.ripgrep import FindProgram, files_below, find_program
from ferrule.tools.schema import Parameters, TypedTool

SHOWN = 100


class GlobParameters(Parameters, frozen=True, kw_only=True):
    """What to look for, and where."""

    pattern: Annotated[str, msgspec.Meta(min_length=1)]
    path: Annotated[str, msgspec.Meta(description="directory to search")] = "."


class Glob(TypedTool[GlobParameters]):
    """Finds files by the pattern of their path."""

    name = "glob"
    parameters = GlobParameters

    def __init__(self, find: FindProgram = find_program) -> None:
        self._find = find

    def effects(self, args: GlobParameters) -> tuple[Effect, ...]:
        """It reads the directory that the path and the beginning of the pattern name, or the one that is all of it."""
        place, named = _place(args)[0], _named(args)
        return (Effect("read", place),) if is_wild(args.pattern) else (Effect("read", place), Effect("read", named))

    async def run(self, args: GlobParameters, context: ToolContext[Host]) -> Output:
        """List the files, newest first."""
        files = context.host.files
        root, pattern = _existing_place(args, context.directory, files)
        try:
            fits, depth = compile_glob(pattern).fullmatch, depth_of(pattern)
        except ValueError as error:
            raise ToolError(str(error)) from None
        if root is None:
            return Output(f"No file matches {args.pattern}.")
        real = files.admit(root, "list")
        program = self._find(context.directory)
        every = await files_below(program, real, name=name_part(pattern), depth=depth, hidden=files.hidden(real))
        found = files.visible(real, [path for path in every if fits(path)], "list")
        listing = await asyncio.to_thread(_listing, found, root, context.directory)
        return Output(listing or f"No file matches {args.pattern}.")


def _place(args: GlobParameters) -> tuple[str, str]:
    """The directory to search, and the pattern of what lies below it; a bare name may lie at any depth."""
    if "/" not in args.pattern:
        return args.path, f"**/{args.pattern}"
    root, pattern = split_root(args.pattern)
    return os.path.join(args.path, os.path.expanduser(root)), pattern


def _named(args: GlobParameters) -> str:
    """The directory that the whole pattern may be the name of."""
    return os.path.join(args.path, os.path.expanduser(args.pattern))


def _existing_place(args: GlobParameters, directory: Path, files: Files) -> tuple[Path | None, str]:
    """The place on this machine, if it is there; a pattern that is the name of a directory means all in it."""
    start, named, (place, pattern) = resolve(directory, args.path), resolve(directory, _named(args)), _place(args)
    root = resolve(directory, place)
    for one in dict.fromkeys((start, named, root)):
        files.admit(one, "list")
    if not os.path.isdir(start):
        raise ToolError(f"There is no directory {args.path}.")
    if os.path.isdir(named):
        return named, "**"
    return (root if os.path.isdir(root) else None), pattern


def _listing(found: list[str], root: Path, directory: Path) -> str:
    if not found:
        return ""
    base = f"{root}/"
    newest = heapq.nsmallest(SHOWN, [(-_changed(base + path), path) for path in found])
    lines = [shown(base + path, directory) for _, path in newest]
    total = count(len(found), "file")
    last = f"({total})" if len(found) <= SHOWN else f"({SHOWN} of {total} shown, newest first)"
    return "\n".join([*lines, last])


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:  # gone meanwhile
        return 0
