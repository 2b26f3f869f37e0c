"""The `grep` tool: lines by regular expression, files by what is in them.

Every search first learns which files match and how often. That is little to print, tells the totals whatever is
shown in the end, and can be put in order; the lines themselves are then taken from the first of those files only.
"""

import os
import re
from collections.abc import Callable, Iterable
from itertools import accumulate, islice
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import missing, resolve
from ferrule.host.machine import Host
from ferrule.tools.display import count, shown
from ferrule.tools.patterns import compile_glob, is_wild, name_part
from ferrule.tools.ripgrep import FindProgram, Program, find_program, only, run, without
from ferrule.tools.schema import Parameters, TypedTool

MOST_SHOWN = 2_000
LINE_WIDTH = 2_000
_NEEDS_PCRE = re.compile(r"look-around|backreferences")
_PRINTED = re.compile(
    rb"""
    (?P<gap> --\r?\n )
    | \./(?P<binary> [^\0]*? ):\ (?:WARNING:\ stopped\ searching\ binary\ file|binary\ file\ matches) [^\0\n]*\n
    | \./(?P<path> [^\0]+ ) \0 (?P<number> \d+ ) (?P<mark> [:-] ) (?P<text> [^\n]* ) \n
    """,
    re.VERBOSE,
)
"""What ripgrep prints, piece by piece: a gap between lines, a word about a binary file, or a line."""


class GrepParameters(Parameters, frozen=True, kw_only=True):
    """What to look for, where, and how to show it."""

    pattern: str
    path: Annotated[str, msgspec.Meta(description="file or directory")] = "."
    glob: Annotated[str, msgspec.Meta(description="only files like `*.{ts,tsx}`; `!` in front excludes")] = ""
    type: Annotated[str, msgspec.Meta(description="only files of a type: py, js, rust …")] = ""
    output_mode: Literal["files_with_matches", "content", "count"] = "files_with_matches"
    after: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(default=0, name="-A")
    before: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(default=0, name="-B")
    around: Annotated[int, msgspec.Meta(ge=0, description="lines of context, in content mode")] = msgspec.field(
        default=0, name="-C"
    )
    ignore_case: bool = msgspec.field(default=False, name="-i")
    multiline: Annotated[bool, msgspec.Meta(description="let a match span lines")] = False
    head_limit: Annotated[int, msgspec.Meta(ge=0, description="most lines shown")] = 250


class Grep(TypedTool[GrepParameters]):
    """Searches files with a regular expression."""

    name = "grep"
    parameters = GrepParameters

    def __init__(self, find: FindProgram = find_program) -> None:
        self._find = find

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments; `-n` asks for line numbers, which are always shown."""
        return super().parse({key: value for key, value in input.items() if key != "-n"})

    def effects(self, args: GrepParameters) -> tuple[Effect, ...]:
        """It reads what it searches."""
        return (Effect("read", args.path),)

    async def run(self, args: GrepParameters, context: ToolContext[Host]) -> Output:
        """Search, and show what was asked for."""
        search = _Search(args, self._find(context.directory), context.directory, context.host)
        match args.output_mode:
            case "files_with_matches":
                words = await search.files()
            case "count":
                words = await search.counts()
            case "content":
                words = await search.content()
        return Output(words or f"No match for {args.pattern}.")


_TELLING = 1_000
"""Bytes of a line by which it is known again; ripgrep cuts the rest of a long one."""


class _Search:
    """One search; each of its answers is empty where nothing matches."""

    def __init__(self, args: GrepParameters, program: Program, directory: Path, host: Host) -> None:
        place, files = resolve(directory, args.path), host.files
        real = files.admit(place, "read")
        if not os.path.exists(place):  # noqa: PTH110 - a name that is too long does not exist either
            raise missing(place)
        if not (place.is_dir() or place.is_file()):
            raise ToolError(f"{shown(place, directory)} is neither a file nor a directory.")
        self._args = args
        self._program = program
        self._directory = directory
        self._files = files
        self._is_wary = bool(host.processes.running_jobs)
        """Whether a command runs beside the search, which could turn a directory into a link meanwhile."""
        self._place = place
        self._root, self._target = (real, "./") if real.is_dir() else (real.parent, f"./{real.name}")
        self._without = without(files.hidden(self._root)) if self._target == "./" else []
        self._limit = min(args.head_limit or MOST_SHOWN, MOST_SHOWN)

    async def files(self) -> str:
        """The files that match."""
        found = await self._found("-l")
        return self._first(map(self._shown, found), len(found), count(len(found), "file"))

    async def counts(self) -> str:
        """How often each file matches, and the sum."""
        found = await self._found("--count")
        lines = (f"{self._shown(path)}:{number}" for path, number in found.items())
        return self._first(lines, len(found), _total(found), always=True)

    async def content(self) -> str:
        """The lines that match, and those around them."""
        found = await self._found("--count")
        files = _enough(found, self._limit, lines_may_share=self._args.multiline)
        if not files:
            return ""
        before, after = self._args.before or self._args.around, self._args.after or self._args.around
        wide = ["--max-columns=8000", "--max-columns-preview"]  # ripgrep counts bytes; we cut characters below
        options = ["-n", "--no-heading", "--threads=1", *wide, f"-B{before}", f"-A{after}"]
        printed = await self._run(*options, *(f"./{path}" for path in files))
        pieces = list(_PRINTED.finditer(printed))
        if self._is_wary:
            pieces = [piece for piece in pieces if piece["text"] is None or self._is_there(piece)]
        more = len(files) < len(found)
        return self._first(map(self._line, pieces), len(pieces) + more, _total(found))

    def _is_there(self, piece: re.Match[bytes]) -> bool:
        """Whether a line stands in the file that may be read, and not only where a link led for a moment."""
        try:
            data = self._files.read(self._root / os.fsdecode(piece["path"]))
        except ToolError:
            return False
        return piece["text"][:_TELLING].rstrip(b"\r") in data

    async def _found(self, how: Literal["-l", "--count"]) -> dict[str, int]:
        """The files that match, in the order of their paths, and how often each does (1 where that is not asked)."""
        printed = await self._run(how, self._target)
        pairs = sorted(re.findall(rb"\./([^\0]+)\0(?:(\d+)\r?\n)?", printed))
        found = {os.fsdecode(path): int(number or 1) for path, number in pairs}
        if self._target != "./":  # a file that was named itself is always wanted
            return found
        paths = self._files.visible(self._root, list(found), "read")
        if self._args.glob:
            paths = list(filter(_fitting(self._args.glob, self._place, self._directory), paths))
        return found if len(paths) == len(found) else {path: found[path] for path in paths}

    async def _run(self, *options: str) -> bytes:
        """Run ripgrep: with its own engine first, with the slower one only where the pattern needs it."""
        args = self._args
        flags = ["--null", "-H", "--crlf", f"--regexp={args.pattern}"]
        flags += ["-i"] * args.ignore_case + ["-U", "--multiline-dotall"] * args.multiline
        flags += [f"--type={args.type}"] if args.type else only(_name_in(args.glob))
        flags += self._without
        try:
            return await run(self._program, [*flags, *options], root=self._root)
        except ToolError as error:
            if "--pcre2" in options or not _NEEDS_PCRE.search(str(error)):
                raise
        return await self._run("--pcre2", *options)

    def _line(self, piece: re.Match[bytes]) -> str:
        if piece["gap"]:
            return "--"
        if piece["binary"]:
            return f"{self._shown(os.fsdecode(piece['binary']))}: a binary file"
        mark, text = piece["mark"].decode(), piece["text"].decode(errors="replace").rstrip("\r")
        if len(text) > LINE_WIDTH:
            text = f"{text[:LINE_WIDTH]}… (line cut)"
        return f"{self._shown(os.fsdecode(piece['path']))}{mark}{piece['number'].decode()}{mark}{text}"

    def _first(self, lines: Iterable[str], number: int, total: str, *, always: bool = False) -> str:
        """As many of the lines as may be shown, and the total where there are more, or always."""
        kept = list(islice(lines, self._limit))
        if len(kept) < number:
            kept.append(f"(the first {len(kept):,}; in all {total})")
        elif always and kept:
            kept.append(f"(in all {total})")
        return "\n".join(kept)

    def _shown(self, path: str) -> str:
        return shown(f"{self._place}/{path}" if self._target == "./" else self._place, self._directory)


def _name_in(glob: str) -> str:
    """What a glob asks of a file's name alone. A plain name may be that of a directory, so it asks nothing."""
    name = name_part(glob)
    return name if is_wild(name) and not glob.startswith("!") else "*"


def _fitting(glob: str, root: Path, directory: Path) -> Callable[[str], bool]:
    """Whether a path below the root fits a glob, which may be meant from the root or from the project's directory."""
    excludes, glob = glob.startswith("!"), glob.removeprefix("!").rstrip("/")
    at_any_depth = "/" not in glob
    pattern = glob.removeprefix(f"{root}/").removeprefix("./").removeprefix("/")
    pattern = f"**/{pattern}" if at_any_depth else pattern
    try:
        regexes = compile_glob(pattern), compile_glob(f"{pattern}/**")
    except ValueError as error:
        raise ToolError(str(error)) from None
    inside = f"{root.relative_to(directory)}/" if root.is_relative_to(directory) else ""
    return lambda path: (
        excludes is not any(regex.fullmatch(path) or regex.fullmatch(inside + path) for regex in regexes)
    )


def _enough(found: dict[str, int], limit: int, *, lines_may_share: bool) -> list[str]:
    """The first files that together have as many lines as can be shown; each match is a line, or each file has one."""
    sums = accumulate((1 if lines_may_share else number for number in found.values()), initial=0)
    return [path for path, before in zip(found, sums, strict=False) if before < limit]


def _total(found: dict[str, int]) -> str:
    return f"{count(sum(found.values()), 'match')} in {count(len(found), 'file')}"
