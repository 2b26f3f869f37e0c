"""Finds external tools: programs in given directories, and those that a configuration names.

Nothing here decides whether a place may be looked at: whoever calls says which places there are, and leaves out those
of a project that is not trusted. What is broken becomes a problem in words, and never stands in the way of the rest.
"""

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ferrule.config.words import plain
from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.core.names import canonical
from ferrule.extend.calling import Answer, call, processes_apart
from ferrule.extend.declared import LONGEST, Declared, declaration, flaw_in
from ferrule.extend.external import External, ExternalTool, Stamp, stamp_of
from ferrule.host.process import Processes
from ferrule.host.sandbox.profile import Leave, Sandbox

SCHEMA_SECONDS = 2.0
MOST_TOOLS = 64
"""In one place: a directory with more than that is some other directory."""
_AT_ONCE = 4
_SIDECAR = ".tool.json"
_NO_PROGRAMS = (".md", ".txt", ".json", ".toml", ".yaml", ".yml", "~")
"""What may lie beside tools."""

Run = Callable[[Sequence[str]], Awaitable[Answer]]
"""Runs a program that is asked for its schema, within its time, and gives its answer; raises ToolError."""


class Place(Value, frozen=True):
    """A directory with tools."""

    directory: Path
    within: Path | None = None
    """What its programs may not lead out of: the project, where trust in it is all that lets them run."""


class Given(Value, frozen=True, kw_only=True):
    """A tool that a configuration names. What it does not say of the tool, the program is asked for."""

    command: tuple[str, ...]
    """The program, by its full path, and its first words."""
    origin: str
    """Where it is named, for the person."""
    declared: Declared | None = None


class Found(Value, frozen=True, kw_only=True):
    """The tools that work, and what is wrong with the others."""

    tools: tuple[ExternalTool, ...] = ()
    problems: tuple[str, ...] = ()


class _Candidate(Value, frozen=True, kw_only=True):
    origin: str
    argv: tuple[str, ...]
    stamp: Stamp
    sidecar: Path | None = None
    declared: Declared | None = None


async def discover(
    places: Iterable[Place], given: Iterable[Given] = (), *, run: Run, cache: Path, taken: Iterable[str] = ()
) -> Found:
    """Look through the places, in their order, and ask each program that is not known yet what it is.

    `cache` is a file in which answers are kept for as long as a program stays the same; `taken` are the names of the
    tools that there are already, which win over others.
    """
    problems: list[str] = []
    candidates = [one for found in _candidates(places, given) if (one := _told(found, problems))]
    known = _Cache(cache)
    limit = asyncio.Semaphore(_AT_ONCE)

    async def describe(one: _Candidate) -> Declared | str:
        try:
            async with limit:
                return await _declared(one, run, known)
        except ToolError as error:
            return f"{one.origin} {error}."

    answers = await asyncio.gather(*map(describe, candidates))
    known.save()
    tools: dict[str, ExternalTool] = {}
    names = {canonical(name): "a tool of Ferrule's own" for name in taken}
    for one, declared in zip(candidates, answers, strict=True):
        if isinstance(declared, str):
            problems.append(declared)
        elif other := names.get(canonical(declared.name)):
            problems.append(f"{one.origin} is left out: {declared.name} is the name of {other} already.")
        else:
            names[canonical(declared.name)] = one.origin
            external = External(declared=declared, argv=one.argv, origin=Path(one.argv[0]), stamp=one.stamp)
            tools[declared.name] = ExternalTool(external)
    return Found(tools=tuple(tools.values()), problems=tuple(problems))


def discover_at_once(
    places: Sequence[Place],
    given: Sequence[Given] = (),
    *,
    directory: Path,
    outputs: Path,
    sandbox: Sandbox,
    cache: Path,
    taken: Iterable[str] = (),
) -> Found:
    """The same for a caller that cannot await it: in a thread of its own, with processes of its own.

    The sandbox is used if a program has to be asked, and not before.
    """
    if not given and not any(os.path.isdir(place.directory) for place in places):  # noqa: PTH112 - it never raises
        return Found()

    async def look() -> Found:
        async with processes_apart(directory, outputs, sandbox=sandbox, leave=Leave()) as processes:
            run = asking(processes, outputs, cwd=directory)
            return await discover(places, given, run=run, cache=cache, taken=taken)

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(lambda: asyncio.run(look())).result()


def asking(processes: Processes, outputs: Path, *, cwd: Path, seconds: float = SCHEMA_SECONDS) -> Run:
    """Ask programs as commands are run: confined, within their time, and with nothing left of them."""
    return lambda argv: call(argv, processes=processes, outputs=outputs, cwd=cwd, seconds=seconds)


async def _declared(one: _Candidate, run: Run, known: "_Cache") -> Declared:
    if one.declared:
        if flaw := flaw_in(one.declared):
            raise ToolError(flaw)
        return one.declared
    if one.sidecar:
        return declaration(_read(one.sidecar))
    said = known.said(one)
    if said is not None:
        with suppress(ToolError):  # what was kept by another version may no longer do
            return declaration(said)
    try:
        answer = await run((*one.argv, "--schema"))
    except ToolError as error:
        words = str(error).removesuffix(".")
        raise ToolError(f"does not say what it is. {words}") from error
    declared = _from_answer(answer)
    known.keep(one, answer.stdout)
    return declared


def _from_answer(answer: Answer) -> Declared:
    flaw = "describes itself in more than anyone will read" if answer.flooded else ""
    if answer.code and not flaw:
        flaw = f"does not say what it is: --schema ended with code {answer.code}"
    try:
        if not flaw:
            return declaration(answer.stdout)
    except ToolError as error:
        flaw = str(error)
    last = plain(answer.stderr.rpartition("\n")[2].strip()[:200])
    raise ToolError(f"{flaw} ({last})" if last else flaw)


def _told(found: _Candidate | str, problems: list[str]) -> _Candidate | None:
    if isinstance(found, str):
        problems.append(found)
        return None
    return found


def _candidates(places: Iterable[Place], given: Iterable[Given]) -> Iterator[_Candidate | str]:
    for one in given:
        yield _named(one)
    for place in places:
        try:
            names = sorted(path.name for path in place.directory.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield f"{_shown(place.directory)} cannot be looked into: {error.strerror}."
            continue
        if _is_open(place.directory):
            yield f"{_shown(place.directory)} is passed over: others may write to it."
            continue
        found = [one for one in (_in(place, name, names) for name in names) if one]
        yield from found[:MOST_TOOLS]
        if len(found) > MOST_TOOLS:
            yield f"{_shown(place.directory)} holds more than {MOST_TOOLS} tools; the rest is passed over."


def _in(place: Place, name: str, names: Sequence[str]) -> _Candidate | str | None:
    """What stands under a name of a directory: a tool, something that is wrong with one, or nothing of ours."""
    path = place.directory / name
    if name.endswith(_SIDECAR):
        described = name.removesuffix(_SIDECAR)
        is_alone = not any(described in {one, _stem(one)} for one in names if one != name)
        return f"{_shown(path)} describes a program that is not there." if is_alone else None
    sidecar = next((one for one in (name + _SIDECAR, _stem(name) + _SIDECAR) if one in names), None)
    if name.startswith((".", "_")) or (name.endswith(_NO_PROGRAMS) and not sidecar) or os.path.isdir(path):  # noqa: PTH112 - it never raises
        return None
    if flaw := _flaw(path, place.within):
        return f"{_shown(path)} {flaw}."
    beside = place.directory / sidecar if sidecar else None
    if beside and (flaw := _flaw(beside, place.within, executable=False)):
        return f"{_shown(beside)} {flaw}."
    return _candidate(path, argv=(os.fspath(path),), sidecar=beside)


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name


def _named(given: Given) -> _Candidate | str:
    program = Path(given.command[0])
    if not program.is_absolute():
        return f"{given.origin}: {plain(given.command[0])} is no full path."
    if flaw := _flaw(program, None):
        return f"{given.origin}: {_shown(program)} {flaw}."
    return _candidate(program, f"{given.origin}: ", argv=given.command, declared=given.declared)


def _candidate(path: Path, named: str = "", *, argv: tuple[str, ...], **more: Any) -> _Candidate | str:
    try:
        return _Candidate(origin=f"{named}{_shown(path)}", argv=argv, stamp=stamp_of(path), **more)
    except OSError as error:
        return f"{named}{_shown(path)} cannot be looked at: {error.strerror}."


def _flaw(path: Path, within: Path | None, *, executable: bool = True) -> str | None:
    """Why a file is not used, in words that follow on its path; None if it may be."""
    try:
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except (OSError, RuntimeError):
        return "leads nowhere"
    if within and not real.is_relative_to(within.resolve()):
        return f"leads out of the project, to {_shown(real)}, which was not trusted with it"
    if not stat.S_ISREG(mode):
        return "is no file"
    if _is_open(real):
        return "is passed over: others may write to it"
    if executable and not os.access(real, os.X_OK):
        return "is not executable; if it is a tool, say chmod +x"
    return None


def _is_open(path: Path) -> bool:
    """Whether anyone on this machine may write to it, as far as that can be seen."""
    try:
        return bool(path.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return True


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LONGEST + 1)
    except OSError as error:
        raise ToolError(f"cannot be described: {_shown(path)}: {error.strerror}") from error


def _shown(path: Path) -> str:
    return plain(os.fspath(path).encode(errors="surrogateescape").decode(errors="replace"))


class _Entry(Value, frozen=True):
    stamp: Stamp
    said: str


class _Cache:
    """What programs said of themselves, for as long as they stay the same. It is looked at as if it were new."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._entries = msgspec.json.decode(file.read_bytes(), type=dict[str, _Entry])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            self._entries = {}
        self._changed = False

    def said(self, one: _Candidate) -> bytes | None:
        entry = self._entries.get(_key(one))
        return entry.said.encode() if entry and entry.stamp == one.stamp else None

    def keep(self, one: _Candidate, said: bytes) -> None:
        self._entries[_key(one)] = _Entry(one.stamp, said.decode())
        self._changed = True

    def save(self) -> None:
        """Write it down if there is anything new, without what no longer is there. A full disk costs the cache."""
        if not self._changed:
            return
        present = {key: entry for key, entry in self._entries.items() if Path(key.partition("\0")[0]).exists()}
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            staged = self._file.with_name(f".{self._file.name}.{os.urandom(4).hex()}")
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(present))
            staged.replace(self._file)


def _key(one: _Candidate) -> str:
    return "\0".join(os.fsencode(word).decode(errors="replace") for word in one.argv)
