"""All layers of the configuration, the later over the earlier, and where each value came from.

Later wins: the machine's file, the user's two, the project's two, the file of `--config`, what the user said "always"
to in this project, the environment, the command line. Lists are joined instead, so no layer can take a denial of
another away. What a project may set, and what it may set once it is trusted, `schema.py` marks.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from ferrule.config import paths, projects
from ferrule.config.check import Remark, Setting, findings_of
from ferrule.config.files import OutOfReachError, read
from ferrule.config.jsonc import parse
from ferrule.config.keys import KEYS, MisfitError, unknown
from ferrule.config.schema import Config, HookGroup, assemble
from ferrule.config.trust import PROJECT_FILES, Standing, standing
from ferrule.config.words import nearest, plain
from ferrule.core.errors import ConfigError

SYSTEM_FILE = Path("/etc/ferrule/config.json")
PREFIX = "FERRULE_"
OTHER_VARIABLES = frozenset(
    {"FERRULE_DIRECTORY_FILE", "FERRULE_HOOK", "FERRULE_OFFLINE", "FERRULE_PROJECT_DIR", "FERRULE_SESSION_ID"}
)
"""Variables that are no keys: what a shell or a hook of ours may hand down, and the switch that forbids requests."""
SHORT_VARIABLES = {"FERRULE_MODEL": "llm.model", "FERRULE_PROVIDER": "llm.provider"}

Layer = Literal["system", "user", "project", "given"]
_NOTHING: Mapping[str, object] = {}


class Source(msgspec.Struct, frozen=True):
    """A file that is looked for."""

    path: Path
    layer: Layer
    exists: bool = False


class Loaded(msgspec.Struct, frozen=True):
    """The configuration, and all that is known about how it came to be."""

    config: Config
    origins: dict[str, str]
    """For every key its file and line, `environment NAME`, `command line` or `default`."""
    warnings: list[str]
    files: list[Source]
    """The files that were looked for, in the order in which they count."""
    items: dict[str, dict[Any, str]] = {}
    """For every key that is a list of texts or of hooks: each item with the place that gave it first."""
    trust: Standing = Standing()
    """Whether the project is trusted as it is now, and what has changed if it once was."""


def load(
    directory: Path,
    *,
    file: Path | None = None,
    overrides: Mapping[str, object] = _NOTHING,
    environ: Mapping[str, str] = os.environ,
    trusted: bool | None = None,
    system: Path = SYSTEM_FILE,
) -> Loaded:
    """Load the configuration for a project's directory.

    `file` is one more file that the user named. `overrides` are what the command line said, by dotted key;
    None is taken as not said, text is understood as in the environment. `trusted` says whether the project may set
    what only a trusted one may; None looks up what the user said about it.

    Raises:
        ConfigError: something is wrong in a layer; its text has a line for each thing.
    """
    files = sources(directory, file=file, environ=environ, system=system)
    stands = standing(directory, environ) if trusted is None else Standing(trusted=trusted)
    findings: list[Setting | str] = []
    warnings: list[str] = []
    for source in files:
        if source.layer == "project":
            found = _from_file(source, directory, warnings)
            findings += _what_a_project_may_say(source, found, stands, warnings)
        else:
            findings += _from_file(source, None, warnings)
    findings += _from_answers(directory, environ)
    findings += _from_environment(environ)
    findings += _from_command_line(overrides)
    if problems := [finding for finding in findings if isinstance(finding, str)]:
        raise ConfigError("\n".join(problems))
    settings = [finding for finding in findings if isinstance(finding, Setting)]
    values, origins = _merged(settings)
    return Loaded(
        assemble(values),
        {name: origins.get(name, "default") for name in KEYS},
        warnings,
        files,
        _items(settings),
        stands,
    )


def sources(
    directory: Path,
    *,
    file: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    system: Path = SYSTEM_FILE,
) -> list[Source]:
    """The files that count for a project's directory, in their order, whether they exist or not.

    A project's file that is also one of the user's own (work in the home directory) counts as the user's.
    """
    own = [
        _source(system, "system"),
        _source(paths.config_home(environ) / "config.json", "user"),
        _source(paths.home(environ) / ".ferrule.json", "user"),
    ]
    theirs = [_source(directory.absolute() / name, "project") for name in PROJECT_FILES]
    given = [] if file is None else [_source(file.absolute(), "given")]
    known = {os.path.realpath(source.path) for source in (*own, *given) if source.exists}
    theirs = [one for one in theirs if not one.exists or os.path.realpath(one.path) not in known]
    return [*own, *theirs, *given]


def _source(path: Path, layer: Layer) -> Source:
    return Source(path, layer, os.path.lexists(path))


def _from_file(source: Source, within: Path | None, warnings: list[str]) -> list[Setting | str]:
    try:
        data = read(source.path, within=within)
        if data is None:
            return [f"{plain(str(source.path))}: There is no such file."] if source.layer == "given" else []
        findings = list(findings_of(parse(data, str(source.path))))
        warnings += [finding.text for finding in findings if isinstance(finding, Remark)]
        return [finding for finding in findings if not isinstance(finding, Remark)]
    except OutOfReachError as error:
        if source.layer == "given":
            return [str(error)]
        warnings.append(str(error))  # HOME may be another user's; that must not keep anyone from working
        return []
    except ConfigError as error:
        return [str(error)]


def _what_a_project_may_say(
    source: Source, found: Iterable[Setting | str], stands: Standing, warnings: list[str]
) -> Iterator[Setting | str]:
    never: list[Setting] = []
    not_yet: list[Setting] = []
    for finding in found:
        if isinstance(finding, str) or finding.key.project is True or (finding.key.project and stands.trusted):
            yield finding
        else:
            (not_yet if finding.key.project else never).append(finding)
    if never:
        words = ("it is the user's to set", "they are the user's to set")[len(never) > 1]
        warnings.append(f"{_ignored(source, never)}: {words}, not a project's.")
    if not_yet:
        changed = ", ".join(stands.changed[:3]) + ("…" if len(stands.changed) > 3 else "")
        why = f" again, since {changed} changed" if changed else ""
        warnings.append(f"{_ignored(source, not_yet)} until you trust the project{why} (ferrule trust).")


def _ignored(source: Source, settings: list[Setting]) -> str:
    """Which keys of a file do not count: one with its line, several in one line."""
    if len(settings) == 1:
        return f"{settings[0].origin}: {settings[0].key.name} is ignored"
    return f"{plain(str(source.path))}: {', '.join(one.key.name for one in settings)} are ignored"


def _from_answers(directory: Path, environ: Mapping[str, str]) -> Iterator[Setting]:
    """What the user said "always" to in this project."""
    if rules := projects.allow_for(directory, environ):
        yield Setting(KEYS["safety.allow"], rules, plain(str(projects.file(environ))))


def _from_environment(environ: Mapping[str, str]) -> Iterator[Setting | str]:
    for variable, name in _VARIABLES.items():
        if text := environ.get(variable):
            yield _setting(name, text, f"environment {variable}")
    for variable in environ:
        if variable.startswith(PREFIX) and variable not in _VARIABLES and variable not in OTHER_VARIABLES:
            near = nearest(variable.removeprefix(PREFIX), (name.removeprefix(PREFIX) for name in _VARIABLES))
            hint = f"; there is {PREFIX}{near}" if near else ""
            yield f"environment {plain(variable)}: There is no such variable{hint}."


def _from_command_line(overrides: Mapping[str, object]) -> Iterator[Setting | str]:
    for name, value in overrides.items():
        if name not in KEYS:
            yield f"command line: {unknown(name)}"
        elif value is not None:
            yield _setting(name, value, "command line")


def _setting(name: str, value: object, origin: str) -> Setting | str:
    key = KEYS[name]
    try:
        return Setting(key, key.fit(key.read(value) if isinstance(value, str) else value), origin)
    except MisfitError as misfit:
        return f"{origin}: {misfit}"


def _merged(settings: Iterable[Setting]) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for setting in settings:
        name, value, origin = setting.key.name, setting.value, setting.origin
        if setting.key.item is not None:
            before = values.get(name, setting.key.default)
            value = tuple(dict.fromkeys((*before, *value)))
            if value == before:
                continue
            origin = f"{origins[name]}, {origin}" if name in origins else origin
        values[name], origins[name] = value, origin
    return values, origins


def _items(settings: Iterable[Setting]) -> dict[str, dict[Any, str]]:
    """Where each item of a list comes from."""
    places: dict[str, dict[Any, str]] = {name: {} for name, key in KEYS.items() if key.item is not None}
    for setting in settings:
        for at, item in enumerate(setting.value if setting.key.item is not None else ()):
            if isinstance(item, str | HookGroup):
                places[setting.key.name].setdefault(item, setting.items[at] if setting.items else setting.origin)
    return places


_VARIABLES = SHORT_VARIABLES | {PREFIX + name.upper().replace(".", "_"): name for name in KEYS}
"""The long name comes after the short one, and so wins over it."""
