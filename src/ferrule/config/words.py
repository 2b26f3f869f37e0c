"""How values, types and names are shown to a person. Nothing from a file reaches a terminal unescaped."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args, get_origin

import msgspec

_LONGEST_SHOWN = 60


def plain(text: str) -> str:
    """The text with everything that is invisible, or that a terminal would act on, written out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def in_json(value: Any, *, indent: int = 0) -> str:
    """A value as JSON: in one line, or with an indent in many. A path becomes text."""
    text = msgspec.json.format(msgspec.json.encode(value, enc_hook=_as_text), indent=indent).decode()
    return "\n".join(map(plain, text.split("\n")))


def shown(value: Any) -> str:
    """A value as a sentence mentions it: short, and without what is inside a list or an object."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        value = value if len(value) <= _LONGEST_SHOWN else value[:_LONGEST_SHOWN] + "…"
        return f'"{plain(value)}"'
    text = in_json(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def words_for(type_: Any) -> str:
    """What a type takes, so that it can follow "must be"."""
    metas, bare = getattr(type_, "__metadata__", ()), bare_type(type_)
    for meta in metas:
        if meta.extra and "words" in meta.extra:
            return str(meta.extra["words"])
    choices = get_args(bare)
    if type(None) in choices:
        return " or ".join([*(words_for(one) for one in choices if one is not type(None)), "null"])
    if get_origin(bare) is Literal:
        *most, last = [f'"{choice}"' for choice in choices]
        return f"{', '.join(most)} or {last}"
    if get_origin(bare) is tuple:
        return "a list"
    if issubclass(bare, msgspec.Struct):
        fields = msgspec.structs.fields(bare)
        needed = " and ".join(one.encode_name for one in fields if one.required)
        others = ", ".join(one.encode_name for one in fields if not one.required)
        return f"an object with {needed} (and {others})" if needed else f"an object with some of {others}"
    return _WORDS[bare] + "".join(map(_limits, metas))


def bare_type(type_: Any) -> Any:
    """The type without what is said about it."""
    return type_.__origin__ if hasattr(type_, "__metadata__") else type_


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant: alike in the same section, the same in another, or alike at all."""
    section, _, wanted = _fold(name).rpartition(".")
    parts = {one: _fold(one).rpartition(".") for one in names}
    here = {tail: one for one, (theirs, _, tail) in parts.items() if theirs == section}
    elsewhere = {tail: one for one, (_, _, tail) in reversed(parts.items())}
    whole = {_fold(one): one for one in parts}
    return (
        _alike(wanted, here)
        or elsewhere.get(wanted)
        or _alike(_fold(name), whole, cutoff=0.75)
        or _alike(wanted, elsewhere, cutoff=0.7)
    )


def _alike(name: str, names: Mapping[str, str], *, cutoff: float = 0.7) -> str | None:
    found = difflib.get_close_matches(name, names, n=1, cutoff=cutoff)
    return names[found[0]] if found else None


_WORDS: dict[Any, str] = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def _limits(meta: msgspec.Meta) -> str:
    if meta.min_length:
        return " that is not empty"
    if meta.ge is not None and meta.le is not None:
        return f" from {meta.ge:.15g} to {meta.le:.15g}"
    if meta.ge is not None:
        return f" of at least {meta.ge:.15g}"
    return f" of at most {meta.le:.15g}" if meta.le is not None else ""


def _as_text(path: object) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()


def _escape(char: str) -> str:
    """Write a character as JSON does, so that JSON stays the same JSON."""
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _fold(name: str) -> str:
    return name[:100].lower().replace("-", "").replace("_", "")
