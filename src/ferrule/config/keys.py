"""The keys of the schema as a table, and what each does with a value."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec

from ferrule.config.jsonc import parse
from ferrule.config.schema import Config, MayProject, Section, is_section
from ferrule.config.words import bare_type, nearest, plain, shown, words_for
from ferrule.core.errors import ConfigError


class MisfitError(ConfigError):
    """A value that a key does not take; `index` says which item, where it is the fault of one of a list."""

    def __init__(self, words: str, index: int | None = None) -> None:
        super().__init__(words)
        self.index = index


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One setting."""

    name: str
    """Its dotted name, such as `llm.model`."""
    type: Any
    default: Any
    description: str
    project: MayProject
    """Whether a project's own file may set it: always, once it is trusted, or never."""
    aliases: Mapping[str, str]
    """Other words for its values."""

    @property
    def item(self) -> Any:
        """The type of the items if this is a list, else nothing. Lists are joined over the layers."""
        bare = bare_type(self.type)
        return get_args(bare)[0] if get_origin(bare) is tuple else None

    def fit(self, value: Any) -> Any:
        """Check a value and give it its type.

        Raises:
            MisfitError: the key does not take it.
        """
        if self.item is None:
            return self._convert(value, self.type, self.name)
        if not isinstance(value, list | tuple):
            raise MisfitError(f"{self.name} must be {words_for(self.type)}, not {shown(value)}.")
        return tuple(self._convert(one, self.item, f"{self.name}[{index}]", index) for index, one in enumerate(value))

    def read(self, text: str) -> Any:
        """Understand a value outside a file: strings without quotes, lists with commas or as JSON.

        What makes no sense comes back as it is, for `fit` to refuse.
        """
        if self.item is not None and not text.lstrip().startswith("["):
            return [one.strip() for one in _split(text) if one.strip()]
        kinds = {bare_type(one) for one in get_args(bare_type(self.type))} or {bare_type(self.type)}
        if self.item is not None or kinds & {int, float, bool} or (text == "null" and type(None) in kinds):
            return _from_json(text)
        return text

    def _convert(self, value: Any, type_: Any, name: str, index: int | None = None) -> Any:
        try:
            if isinstance(value, str):
                value.encode()  # the environment and the command line can hold what is no text
                value = self.aliases.get(value, value)
            return msgspec.convert(value, type_)
        except (msgspec.ValidationError, UnicodeEncodeError):
            name, type_, value = _innermost(name, type_, value)
            raise MisfitError(f"{name} must be {words_for(type_)}, not {shown(value)}.", index) from None


def _innermost(name: str, type_: Any, value: Any) -> tuple[str, Any, Any]:
    """The part of a value that does not fit, with its name and its type, if all around it does."""
    parts: list[tuple[str, Any, Any]] = []
    bare = bare_type(type_)
    if get_origin(bare) is tuple and isinstance(value, list):
        parts = [(f"{name}[{at}]", get_args(bare)[0], one) for at, one in enumerate(value)]
    elif isinstance(bare, type) and issubclass(bare, msgspec.Struct) and isinstance(value, dict):
        fields = {one.encode_name: one for one in msgspec.structs.fields(bare)}
        parts = [(f"{name}.{key}", fields[key].type, one) for key, one in value.items() if key in fields]
    for part in parts:
        try:
            msgspec.convert(part[2], part[1])
        except msgspec.ValidationError:
            return _innermost(*part)
    return name, type_, value


def unknown(name: str) -> str:
    """Say that there is no such key, and which one was probably meant."""
    section, _, _ = name.rpartition(".")
    if name in SECTIONS:
        return f"{name} is a section; its keys are {_inside(name)}."
    names = [one for one in (*KEYS, *SECTIONS) if section == "hooks" or not one.startswith("hooks.")]
    if near := nearest(name, names):  # the names of events are like too many other words
        return f"There is no key {plain(name[:100])}; there is {near}."
    if section in SECTIONS:
        return f"There is no key {plain(name[:100])}; in {section} there are {_inside(section)}."
    return f"There is no key {plain(name[:100])}; the sections are {', '.join(SECTIONS)}."


def _keys_of(section: type[Section], prefix: str = "") -> Iterator[Key]:
    fields = zip(section.__annotations__.items(), section.__struct_defaults__, strict=True)
    for (name, annotation), default in fields:
        if is_section(annotation):
            yield from _keys_of(annotation, f"{prefix}{name}.")
            continue
        meta = annotation.__metadata__[-1]
        yield Key(name=f"{prefix}{name}", type=annotation, default=default, description=meta.description, **meta.extra)


def _inside(section: str) -> str:
    return ", ".join(name for name in KEYS if name.startswith(f"{section}."))


def _from_json(text: str) -> Any:
    try:
        root = parse(text.encode("utf-8", "surrogatepass"), "").root
    except ConfigError:
        return text
    return root.plain if root else text


def _split(text: str) -> Iterator[str]:
    """The pieces between commas; a comma inside the parentheses of a rule belongs to it."""
    start = depth = 0
    for at, char in enumerate(text):
        if char == "," and depth == 0:
            yield text[start:at]
            start = at + 1
        depth = max(0, depth + (char == "(") - (char == ")"))
    yield text[start:]


KEYS: Mapping[str, Key] = {one.name: one for one in _keys_of(Config)}
"""Every key by its dotted name, in the order of the schema."""

SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(name.rpartition(".")[0] for name in KEYS))
