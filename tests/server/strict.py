"""What all checks need: a request that the real service would refuse is refused, in its words."""

import base64
import binascii
import hashlib
import re
from collections.abc import Collection
from typing import Any

from tests.server.script import Kind, Received

REASONING = re.compile(r"(o\d|gpt-5)")
"""The models of OpenAI that reason."""


class Refused(Exception):  # noqa: N818
    """The request is not as it should be."""

    def __init__(self, message: str, *, status: int = 400, kind: Kind = "bad_request", code: str = "") -> None:
        super().__init__(message)
        self.message, self.status, self.kind, self.code = message, status, kind, code


def need(condition: object, message: str, *, status: int = 400, kind: Kind = "bad_request", code: str = "") -> None:
    if not condition:
        raise Refused(message, status=status, kind=kind, code=code)


def only(value: dict[str, Any], allowed: Collection[str], words: str) -> None:
    """Refuse fields that nobody knows; `words` holds a place for the name."""
    for key in value:
        need(key in allowed, words.format(key))


def names(text: str) -> set[str]:
    """The words of a text."""
    return set(text.split())


def whole_number(value: object, *, least: int = 1, most: int = 10**9) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def number(value: object, *, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def is_base64(text: object) -> bool:
    try:
        return isinstance(text, str) and bool(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return False


def is_data_url(url: object) -> bool:
    if not isinstance(url, str):
        return False
    match = re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,(.*)", url, re.DOTALL)
    return bool(match and is_base64(match[2])) or url.startswith("https://")


def sign(*parts: str) -> str:
    """A signature that only this server makes, and only for these parts."""
    return "Eq" + hashlib.sha256("\0".join(parts).encode()).hexdigest()


def bearer(request: Received, key: str | None) -> None:
    """Check the key as OpenAI does."""
    if key is None:
        return
    given = request.headers.get("authorization", "")
    need(
        given.startswith("Bearer ") and given != "Bearer ",
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer "
        "auth (i.e. Authorization: Bearer YOUR_KEY).",
        status=401,
        kind="auth",
    )
    need(
        given == f"Bearer {key}",
        f"Incorrect API key provided: {given[7:11]}***. You can find your API key at the provider.",
        status=401,
        kind="auth",
        code="invalid_api_key",
    )


def schema(value: object, words: str) -> None:
    need(isinstance(value, dict) and value.get("type") == "object", words)
