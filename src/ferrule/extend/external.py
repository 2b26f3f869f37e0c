"""An external tool: a program of the user's own, called with JSON on stdin, whose answer on stdout is the result."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.core.model import ToolSpec
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.extend.calling import LIMIT, Answer, call, processes_apart
from ferrule.extend.declared import Declared
from ferrule.extend.shape import fitted
from ferrule.host.machine import Host
from ferrule.host.plain import plain
from ferrule.host.sandbox.profile import Leave

PATH_ARGUMENTS = ("path", "paths", "file", "files", "file_path", "directory")
"""Arguments that are judged as paths, where a tool reads or writes."""
ADDRESS_ARGUMENTS = ("url", "urls")
"""Arguments that are judged as addresses, where a tool uses the network."""
_PROJECT = "."

Stamp = tuple[int, int, int]
"""What changes when a file does: its time, its size, and which file it is."""


def stamp_of(path: Path) -> Stamp:
    """The stamp of a file as it is now.

    Raises:
        OSError: it cannot be looked at.
    """
    info = path.stat()
    return info.st_mtime_ns, info.st_size, info.st_ino


class External(Value, frozen=True, kw_only=True):
    """Where an external tool lies and what it said of itself."""

    declared: Declared
    argv: tuple[str, ...]
    """The program, by its full path, and the words that stand before anything else."""
    origin: Path
    """Where it was found: the program itself, or the file that names it."""
    stamp: Stamp
    """How the program was when it was looked at."""


class ExternalTool:
    """A program as a tool."""

    def __init__(self, external: External) -> None:
        self.external = external
        declared = external.declared
        self.spec = ToolSpec(name=declared.name, description=declared.description, schema=declared.parameters)

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments against the schema."""
        return fitted(input, self.external.declared.parameters, self.spec.name)

    def effects(self, args: dict[str, Any]) -> tuple[Effect, ...]:
        """What the tool declared: of the paths or the address among its arguments, else of the call as a whole."""
        reach = self.external.declared.effect
        if reach == "execute":
            return (Effect(reach, self._words(args)),)
        names, otherwise = (ADDRESS_ARGUMENTS, self._words(args)) if reach == "network" else (PATH_ARGUMENTS, _PROJECT)
        targets = dict.fromkeys(_texts(args, names)) or {otherwise: None}
        return tuple(Effect(reach, target) for target in targets)

    async def run(self, args: dict[str, Any], context: ToolContext[Host]) -> Output:
        """Run the program and make a result of its answer."""
        self._check()
        try:
            answer = await self._call(msgspec.json.encode(args), context)
        except ToolError as error:
            raise ToolError(f"{self.spec.name} failed. {error}") from error
        output = result_of(answer, self.spec.name)
        if not answer.notes:
            return output
        return Output("\n".join((str(output.content), *answer.notes)), is_error=output.is_error)

    async def _call(self, input: bytes, context: ToolContext[Host]) -> Answer:
        host, declared, argv = context.host, self.external.declared, self.external.argv
        where = {"outputs": host.outputs, "cwd": context.directory}
        if declared.effect != "network":
            return await call(argv, processes=host.processes, **where, seconds=declared.timeout, input=input)
        leave = Leave(network=True)  # whoever let this call through has seen that it uses the network
        sandbox = host.processes.sandbox
        async with processes_apart(context.directory, host.outputs, sandbox=sandbox, leave=leave) as processes:
            return await call(argv, processes=processes, **where, seconds=declared.timeout, input=input)

    def _check(self) -> None:
        """Refuse a program that is another than the one that was looked at, and trusted."""
        program = Path(self.external.argv[0])
        try:
            same = stamp_of(program) == self.external.stamp
        except OSError as error:
            raise ToolError(f"{self.spec.name} cannot be run: {program}: {error.strerror}.") from error
        if not same:
            raise ToolError(f"{self.spec.name} was not run: {program} has changed since the tools were loaded.")

    def _words(self, args: dict[str, Any]) -> str:
        """The call as a person reads it."""
        return " ".join((*self.external.argv, msgspec.json.encode(args).decode()))


def result_of(answer: Answer, name: str) -> Output:
    """Make a result of a program's answer: its text, its content, its error, or what went wrong with it."""
    if answer.flooded:
        return _failure(
            f"{name} printed more than {LIMIT:,} bytes and was stopped. It should answer with less.", answer
        )
    try:
        text = answer.stdout.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return _failure(f"{name} printed {len(answer.stdout):,} bytes that are not text.", answer)
    content, is_error = _content(text)
    if answer.code == 0:
        return Output(content, is_error=is_error)
    words = f"{name} failed: {_ended(answer.code)}."
    return _failure(f"{content}\n{words}" if content.strip() else words, answer)


def _content(text: str) -> tuple[str, bool]:
    """What an answer says, and whether it is an error; what is not JSON is meant as it stands."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return plain(text).strip("\n"), False
    match value:
        case {"error": str(words)} if words.strip():
            return plain(words), True
        case {"content": str(words)} if value.keys() <= {"content", "error"}:
            return plain(words), False
        case str(words):
            return plain(words), False
    return plain(text).strip(), False


def _failure(words: str, answer: Answer) -> Output:
    return Output("\n".join(filter(None, (words, answer.stderr))), is_error=True)


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"


def _texts(args: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = args.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one.strip():
                yield one
