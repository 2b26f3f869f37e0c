"""`ferrule config`: shows each value and where it came from, and changes one."""

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from ferrule.config.edit import project_file, store, user_file
from ferrule.config.keys import KEYS, Key, MisfitError, unknown
from ferrule.config.layers import Loaded, load, sources
from ferrule.config.published import schema_text
from ferrule.config.schema import OwnEndpoint
from ferrule.config.words import in_json, plain
from ferrule.core.errors import ConfigError, FerruleError, UsageError
from ferrule.core.regex import lazy
from ferrule.session.secrets import mask

_WIDEST = 40
_PASSWORD = lazy(r"(?<=://)[^/@\s]*@")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    _add_common(parser, default=None)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    get = actions.add_parser("get", help="print one value", description="Print one value.")
    get.add_argument("key", metavar="KEY", help="such as llm.model")
    put = actions.add_parser("set", help="write one value", description="Write one value to a file.")
    put.add_argument("key", metavar="KEY", help="such as llm.model")
    put.add_argument("value", metavar="VALUE", help="as in JSON, but text without quotes; a list also as a,b")
    put.add_argument("--project", action="store_true", help="write to the project's file, not to the user's")
    path = actions.add_parser("path", help="list the files", description="List the files that count.")
    schema = actions.add_parser("schema", help="print the JSON schema", description="Print the JSON schema.")
    schema.add_argument("--output", metavar="FILE", help="write it to this file instead")
    for action in (get, put, path):
        _add_common(action, default=argparse.SUPPRESS)  # what stood before the action holds


def run(args: argparse.Namespace) -> int:
    """Carry it out; gives the exit code.

    Raises:
        UsageError: there is no such key, or it does not take the value.
        ConfigError: a file is wrong, or cannot be read or written.
    """
    actions = {"get": _get, "set": _set, "path": _path, "schema": _schema, None: _list}
    actions[args.action](args)
    return 0


def _add_common(parser: argparse.ArgumentParser, *, default: str | None) -> None:
    parser.add_argument("--json", action="store_true", default=default, help="print JSON")
    parser.add_argument("-c", "--config", default=default, metavar="FILE", help="one more configuration file")
    parser.add_argument("--cwd", default=default, metavar="DIR", help="the project's directory")


def _list(args: argparse.Namespace) -> None:
    loaded = _load(args)
    values = _values(loaded)
    if args.json:
        rows = {name: {"value": value, "origin": loaded.origins[name]} for name, value in values.items()}
        _print_as_json({"values": rows, "files": loaded.files, "warnings": loaded.warnings})
        return
    _print_table([(name, in_json(value), loaded.origins[name]) for name, value in values.items()])
    for warning in loaded.warnings:
        sys.stderr.write(f"ferrule: {warning}\n")


def _get(args: argparse.Namespace) -> None:
    key = _key(args.key)
    loaded = _load(args)
    value = _values(loaded)[key.name]
    if args.json:
        _print_as_json({"key": key.name, "value": value, "origin": loaded.origins[key.name]})
    elif isinstance(value, tuple):
        _print(*(plain(item) if isinstance(item, str) else in_json(item) for item in value))
    else:
        _print(plain(value) if isinstance(value, str) else in_json(value))


def _set(args: argparse.Namespace) -> None:
    key = _key(args.key)
    if args.project and not key.project:
        raise UsageError(f"{key.name} is the user's to set, not a project's; leave --project out.")
    try:
        value = key.fit(key.read(args.value))
    except MisfitError as misfit:
        raise UsageError(str(misfit)) from None
    directory = _directory(args)
    path = project_file(directory) if args.project else user_file()
    line = store(path, key.name, value, within=directory if args.project else None)
    place = f"{plain(str(path))}:{line}"
    if args.json:
        _print_as_json({"key": key.name, "value": value, "origin": place})
    else:
        _print(f"{place}: {key.name} is now {in_json(value)}.")
    _tell_what_hides(key, place, args)


def _path(args: argparse.Namespace) -> None:
    files = sources(_directory(args), file=_file(args))
    if args.json:
        _print_as_json(files)
    else:
        _print_table([(plain(str(one.path)), one.layer, "found" if one.exists else "missing") for one in files])


def _schema(args: argparse.Namespace) -> None:
    if not args.output:
        sys.stdout.write(schema_text())
        return
    try:
        Path(args.output).write_text(schema_text(), "utf-8")
    except OSError as error:
        raise FerruleError(f"{plain(args.output)}: It cannot be written: {error.strerror}.") from None


def _tell_what_hides(key: Key, place: str, args: argparse.Namespace) -> None:
    """Say so when what was just set does not count here, because a later layer says otherwise."""
    try:
        origin = _load(args).origins[key.name]
    except ConfigError as error:
        sys.stderr.write(f"ferrule: something else in the configuration is wrong:\n{error}\n")
        return
    if key.item is None and origin != place:
        sys.stderr.write(f"ferrule: here {key.name} still comes from elsewhere: {origin}.\n")


def _key(name: str) -> Key:
    if name not in KEYS:
        raise UsageError(unknown(name))
    return KEYS[name]


def _load(args: argparse.Namespace) -> Loaded:
    return load(_directory(args), file=_file(args))


def _file(args: argparse.Namespace) -> Path | None:
    return Path(args.config) if args.config else None


def _directory(args: argparse.Namespace) -> Path:
    directory = Path(args.cwd or ".")
    if not directory.is_dir():
        raise UsageError(f"There is no directory {plain(str(directory))}.")
    try:
        return directory.absolute()
    except FileNotFoundError:
        raise UsageError("The directory that this was started in is gone.") from None


def _values(loaded: Loaded) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in KEYS:
        value: Any = loaded.config
        for part in name.split("."):
            value = getattr(value, part)
        values[name] = value
    values["llm.endpoints"] = tuple(_discreet(one) for one in loaded.config.llm.endpoints)
    return values


def _discreet(endpoint: OwnEndpoint) -> OwnEndpoint:
    """A server of the user's own without what it is told in confidence."""
    headers = tuple(f"{header.partition(':')[0]}: [masked]" for header in endpoint.headers)
    return msgspec.structs.replace(endpoint, headers=headers)


def _print(*lines: str) -> None:
    sys.stdout.write("".join(f"{_PASSWORD.sub('[masked]@', mask(line))}\n" for line in lines))


def _print_as_json(value: Any) -> None:
    _print(in_json(value, indent=2))


def _print_table(rows: list[tuple[str, str, str]]) -> None:
    """Print columns side by side; a cell that is very long does not push all others apart."""
    widths = [min(max(len(row[column]) for row in rows), _WIDEST) for column in (0, 1)]
    _print(*(f"{first:<{widths[0]}}  {second:<{widths[1]}}  {third}" for first, second, third in rows))
