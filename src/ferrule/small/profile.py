"""What is known of a model: what it can do, how it is best asked, and how much it may be shown.

`ferrule probe` measures a model and keeps its profile; for the embedded ones there are profiles from the start.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from ferrule.config.files import replace
from ferrule.config.paths import data_home
from ferrule.config.words import plain
from ferrule.core.errors import ConfigError
from ferrule.core.messages import Value
from ferrule.llm.connect import Connection

Mode = Literal["native", "schema", "text", "guided", "unusable"]
EditFormat = Literal["file", "function", "replace"]

UNUSABLE = (
    "{name} was found not to be usable: it neither calls tools nor writes files as it is told. "
    "It is led by the hand all the same; expect little."
)
_BUILT_IN = Path(__file__).with_name("profiles.json")
_LONGEST_NAME = 180
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")


class Profile(Value, frozen=True, kw_only=True, omit_defaults=False):
    """How a model is asked, and led where it is led."""

    model: str = ""
    """Whose profile it is."""
    mode: Mode = "guided"
    """How it is given its tools, or whether it is led; `unusable` where neither came to anything."""
    edit_format: EditFormat = "file"
    """In which form its changes are most often right."""
    reading: float = 0
    """Tokens a second; 0 where it was not measured, here and below."""
    writing: float = 0
    context: int = 0
    """Up to how many tokens it was seen to find what stands in its prompt."""
    measured: str = ""
    """The day of the measurement; empty for a profile that Ferrule comes with."""
    scores: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """By probe, how many answers were right, and of how many."""

    question_tokens: int = 600
    """How much of the project's files is shown for a question."""
    outline_tokens: int = 300
    """How much is told of what all the files define."""
    candidates: int = 3
    """How many files are read first where it is not said which one is to change."""
    candidate_tokens: int = 900
    focus_tokens: int = 80
    """Up to which length a file is shown and written whole; of a longer one just the functions that matter."""
    whole_file_tokens: int = 1200
    """The same for files that are not Python."""
    tries: int = 4
    """How often it may write until a check passes."""


def profile_for(
    name: str, *, warn: Callable[[str], None] = lambda _words: None, environ: Mapping[str, str] = os.environ
) -> Profile | None:
    """The profile of a model: the one that was measured, else the one that Ferrule comes with, if any.

    One that cannot be read is passed over, and `warn` is told.
    """
    try:
        path = place_of(name, environ)
        return msgspec.json.decode(path.read_bytes(), type=Profile)
    except (FileNotFoundError, NotADirectoryError, ConfigError):
        pass
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).rstrip(".")
        warn(f"{plain(str(path))}: This profile of {name} cannot be read ({why}); `ferrule probe` makes it anew.")
    return _built_in(name)


def by_profile(connection: Connection, *, warn: Callable[[str], None]) -> Connection:
    """The connection to a model, used in the way that its profile says; `warn` is told what speaks against it.

    A model that is not usable is led, which asks least of it.
    """
    profile = profile_for(connection.model.name, warn=warn)
    if profile is None:
        return connection
    mode = profile.mode
    if mode == "unusable":
        warn(UNUSABLE.format(name=connection.model.name))
        mode = "guided"
    if mode == "schema" and connection.constrain is None:
        mode = "text"
    return msgspec.structs.replace(connection, tool_mode=mode)


def save(profile: Profile, environ: Mapping[str, str] = os.environ) -> Path:
    """Keep a profile under the name of its model, in place of an earlier one; gives where.

    Raises:
        ConfigError: it cannot be written; an earlier one stays.
    """
    path = place_of(profile.model, environ)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{plain(str(path.parent))}: It cannot be made: {error.strerror}.") from None
    replace(path, msgspec.json.format(msgspec.json.encode(profile), indent=2) + b"\n")
    return path


def forget(name: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Remove the profile that was measured of a model; gives whether there was one.

    Raises:
        ConfigError: it is there and cannot be removed.
    """
    path = place_of(name, environ)
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(f"{plain(str(path))}: It cannot be removed: {error.strerror}.") from None
    return True


def place_of(name: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The file of a model's profile; two models never share one.

    Raises:
        ConfigError: there is no home directory.
    """
    safe = "".join(chr(one) if one in _LETTERS else f"%{one:02X}" for one in name.encode(errors="surrogateescape"))
    if len(safe) > _LONGEST_NAME:
        mark = hashlib.sha256(safe.encode()).hexdigest()[:16]
        safe = f"{safe[:_LONGEST_NAME]}-{mark}"
    return data_home(environ) / "profiles" / f"{safe}.json"


def _built_in(name: str) -> Profile | None:
    """The profile that comes with Ferrule, also where a server spells the model's name in its own way.

    `local/qwen2.5-coder-1.5b`, `ollama/qwen2.5-coder:1.5b-instruct` and a file of that name are all the same model.
    """
    spelled = name.rpartition("/")[2].lower().replace(":", "-").replace("_", "-")
    with suppress(OSError, msgspec.MsgspecError):
        for profile in msgspec.json.decode(_BUILT_IN.read_bytes(), type=list[Profile]):
            known = profile.model
            if spelled == known or spelled.startswith((f"{known}-", f"{known}.")):
                return profile
    return None
