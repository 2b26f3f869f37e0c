"""What looks like a secret does not reach a session file, an export or an error message."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.regex import lazy

MARK = "[masked]"
_SHORTEST = 8
_DEEPEST = 100

_NAME = lazy(
    r"(?i)(?:KEYS?|TOKEN|SECRETS?|PASS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|DSN|WEBHOOK(?:_URL)?)(?:_|\d|$)"
)
_IN_ADDRESS = lazy(r"://[^/@\s:]*:([^/@\s]+)@")
"""A password inside an address, whatever the variable is called."""
_NAME_OF_A_PLACE = lazy(r"(?i)_(?:FILE|PATH|DIR|URL|ID|NAME)$")
"""`SSH_KEY_PATH` says where a secret lies; masking every mention of a path would spoil the conversation."""

_HARMLESS_NAMES = frozenset({"SSH_AUTH_SOCK", "GPG_TTY", "XAUTHORITY", "ICEAUTHORITY"})

_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=[\d\[][mK]))"
"""A key begins at no letter, or behind an escape that was written out (`\\n`) or that sets a colour."""
_SHAPES = lazy(
    _BEGINS
    + r"(?:"
    + r"sk-[\w-]{16,}"
    + r"|[rs]k_(?:live|test)_\w{16,}"
    + r"|gh[opusr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    + r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])"
    + r"|xox[a-z]-[\w-]{10,}"
    + r"|(?<![+/])AIza[\w-]{30,}"
    + r"|hf_[A-Za-z0-9]{30,}"
    + r"|eyJ[\w-]{8,}(?:\.[\w-]{4,}){2,4}"
    + r")"
    + r"|(?<=[Bb]earer )[\w.~+/=-]{16,}"
    + r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    + r"(?:(?!-----)(?:[\w\s+/=,:.-]|\\[nrt\\])){16,}+(?:-----END [A-Z ]{0,40}-----)?",
    re.ASCII,
)
_HINT = (
    r"-(?:(?<=sk-)[\w-]{16}|(?<=xox[a-z]-)[\w-]{10}|(?<=glpat-)\w|(?<=-----)BEGIN [A-Z ]{0,40}PRIVATE)"
    r"|_(?:(?<=gh[opusr]_)\w{20}|(?<=github_pat_)\w|(?<=k_live_)\w|(?<=k_test_)\w|(?<=hf_)\w{20})"
    r"|A(?:KIA|SIA|Iza)\w|J(?<=eyJ)[\w-]{8}|B(?=earer )|b(?=earer )"
)
"""Every shape has one of these. Each begins with a rare character, so the ordinary line costs little."""
_IN_TEXT = lazy(_HINT, re.ASCII)
_IN_BYTES = lazy(_HINT.encode())


class Mask:
    """Replaces secrets: those with a known shape, those of the environment, and others that are given."""

    def __init__(self, environment: Mapping[str, str] = os.environ, *, also: Iterable[str] = ()) -> None:
        secret = [value for name, value in environment.items() if _names_a_secret(name)]
        secret += [found for value in environment.values() if "@" in value for found in _IN_ADDRESS.findall(value)]
        values = {value.strip() for value in (*secret, *also)}
        self._values = sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True)
        self._encoded = [_as_json(value) for value in self._values]

    def __call__(self, text: str) -> str:
        """The text without its secrets."""
        for value in self._values:
            text = text.replace(value, MARK)
        return _SHAPES.sub(MARK, text) if _IN_TEXT.search(text) else text

    def line(self, line: bytes) -> bytes:
        """A line of JSON without its secrets. It is JSON still, since only the strings in it are changed."""
        if _IN_BYTES.search(line) is None and not any(value in line for value in self._encoded):
            return line
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError):  # what cannot be looked through is not let through
            value = MARK
        return msgspec.json.encode(_each_string(value, self))


def mask(text: str) -> str:
    """The text without what looks like a secret."""
    return Mask()(text)


def mask_files(folder: Path) -> None:
    """Mask the secrets in the outputs that a session leaves behind."""
    mask = Mask()
    with suppress(OSError):
        for path in folder.glob("*.txt"):
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            if (masked := mask(text)) != text:
                path.write_bytes(masked.encode("utf-8", "surrogateescape"))


def _names_a_secret(name: str) -> bool:
    if _NAME.search(name) is None or name.upper() in _HARMLESS_NAMES:
        return False
    return _NAME_OF_A_PLACE.search(name) is None or name.upper().endswith("WEBHOOK_URL")


def _as_json(value: str) -> bytes:
    """The value as it stands inside a line of JSON; what is no Unicode never gets there as it is."""
    return msgspec.json.encode(value.encode(errors="replace").decode())[1:-1]


def _each_string(value: Any, change: Mask, depth: int = 0) -> Any:
    if isinstance(value, str):
        return change(value)
    if depth > _DEEPEST and isinstance(value, dict | list):
        return MARK
    if isinstance(value, dict):
        return {change(key): _each_string(item, change, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_each_string(item, change, depth + 1) for item in value]
    return value
