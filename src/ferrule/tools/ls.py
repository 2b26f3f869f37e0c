"""The `ls` tool: what is in a directory."""

import os
import stat

from ferrule.core.errors import ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import missing, resolve
from ferrule.host.machine import Host
from ferrule.tools.display import count, escaped, shown
from ferrule.tools.schema import Parameters, TypedTool

SHOWN = 500


class LsParameters(Parameters, frozen=True, kw_only=True):
    """Which directory to list."""

    path: str = "."


class Ls(TypedTool[LsParameters]):
    """Lists a directory."""

    name = "ls"
    parameters = LsParameters

    def effects(self, args: LsParameters) -> tuple[Effect, ...]:
        """It reads the directory."""
        return (Effect("read", args.path),)

    async def run(self, args: LsParameters, context: ToolContext[Host]) -> Output:
        """List the entries by name, without regard to case."""
        path = resolve(context.directory, args.path)
        name = shown(path, context.directory)
        try:
            with context.host.files.folder(path) as folder:
                return Output("\n".join(_lines(folder)))
        except FileNotFoundError:
            raise missing(path) from None
        except NotADirectoryError:
            if not path.exists():
                raise missing(path) from None
            raise ToolError(f"{name} is a file, not a directory; use read to see what is in it.") from None
        except OSError as error:
            raise ToolError(f"{name} could not be listed: {error.strerror}.") from None


def _lines(folder: int) -> list[str]:
    names = sorted(os.listdir(folder), key=lambda name: (name.casefold(), name))
    lines = [_line(folder, name) for name in names[:SHOWN]] or ["The directory is empty."]
    if len(names) > SHOWN:
        lines.append(f"({SHOWN} of {count(len(names), 'entry')} shown)")
    return lines


def _line(folder: int, name: str) -> str:
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            return f"{escaped(name)} -> {escaped(os.readlink(name, dir_fd=folder))}"
        return escaped(name) + "/" * stat.S_ISDIR(mode)
    except OSError:  # gone meanwhile
        return escaped(name)
