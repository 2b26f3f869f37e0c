"""External tools that the configuration names (`tools.external`), ready to be looked for."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ferrule.config.paths import expand
from ferrule.config.schema import OwnTool
from ferrule.config.words import plain
from ferrule.extend.declared import Declared
from ferrule.extend.discover import Given
from ferrule.host.search import find_program


def given_of(tools: Iterable[OwnTool], *, directory: Path, trusted: bool) -> Iterator[Given | str]:
    """Each tool with the full path of its program, or what is wrong with it in words.

    A program of the project itself counts only where the project is trusted, whoever names it.
    """
    for tool in tools:
        origin = f'tools.external "{plain(tool.name or tool.command[0])}"'
        program = _program(tool.command[0], directory=directory)
        if program is None:
            yield f"{origin}: there is no program {plain(tool.command[0])} here, outside of the project."
        elif not trusted and _is_within(program, directory):
            yield f"{origin} is left out: {plain(tool.command[0])} lies in the project, which is not trusted."
        elif bool(tool.name) != bool(tool.description):
            yield f"{origin} needs both a name and a description, or neither, and then is asked for them."
        else:
            command = (program, *tool.command[1:])
            yield Given(command=command, origin=origin, declared=_declared(tool) if tool.name else None)


def _program(name: str, *, directory: Path) -> str | None:
    """Where a program is: at its path, which may begin in the project, or where a shell would find it."""
    return os.fspath(directory.absolute() / expand(name)) if "/" in name else find_program(name, outside=directory)


def _declared(tool: OwnTool) -> Declared:
    told = {"parameters": tool.parameters} if tool.parameters else {}
    return Declared(name=tool.name, description=tool.description, effect=tool.effect, timeout=tool.timeout, **told)


def _is_within(path: str, directory: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(directory))
