"""Runs git in the user's own repository, so that nothing runs which the repository names.

Its settings are read, since they say who the user is and what is ignored; but hooks, filters, monitors and whatever
reaches other machines are off. Nothing here writes to the working tree.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from ferrule.context.project import UNDERTAKINGS
from ferrule.core.errors import SessionError
from ferrule.host.git import Ended, in_environment, run_git

_SECONDS = 30.0
_SIGNING_SECONDS = 120.0
"""Whoever signs may have to type a password."""
_ARGUMENTS = 50_000
"""Bytes of paths in one command line."""
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.safecrlf": "false",
    "core.splitIndex": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "user.useConfigOnly": "true",
}
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_KEPT = (
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING",
)
"""Of git's own variables, those that say who the user is and where their settings lie."""
_LITERALLY = "--literal-pathspecs"
_NO_REPOSITORY = (b"not a git repository", b"cannot use bare repository")


class Entry(Struct, frozen=True):
    """What git holds under a path: the mode as it writes it, and the id of the bytes."""

    mode: str
    id: str


class Repository:
    """The repository around a directory."""

    def __init__(self, program: str, directory: Path) -> None:
        self._program, self._directory = program, directory
        self._settings: Mapping[str, str] = _SETTINGS
        self.top = directory
        """The top of its working tree."""
        self.home = directory
        """Where git keeps the state of this working tree."""
        self.prefix = ""
        """The path from the top to the directory, with `/` at its end."""

    def find(self) -> bool:
        """Look for the repository; whether there is one, with a working tree that the directory is in.

        Raises:
            SessionError: git refuses to use it.
        """
        ended = self._run(("rev-parse", "--is-inside-work-tree"))
        if ended.returncode and any(words in ended.stderr for words in _NO_REPOSITORY):
            return False
        if ended.returncode:
            raise SessionError(_words("rev-parse", ended.stderr))
        if ended.stdout.strip() != b"true":
            return False
        self.prefix = self._word("rev-parse", "--show-prefix")
        self.home = Path(self._word("rev-parse", "--absolute-git-dir"))
        self.top = self._directory = Path(self._word("rev-parse", "--show-toplevel"))
        self._settings = {**_SETTINGS, **self._without_filters()}
        return True

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        index: Path | None = None,
        codes: Sequence[int] = (0,),
        seconds: float = _SECONDS,
    ) -> bytes:
        """Run git to its end, perhaps on an index of our own; gives what it printed.

        Raises:
            SessionError: it could not be run, took too long, or ended with a code that was not expected.
        """
        ended = self._run(arguments, stdin=stdin, index=index, seconds=seconds)
        if ended.returncode not in codes:
            raise SessionError(_words(arguments[0], ended.stderr))
        return ended.stdout

    @property
    def under_way(self) -> str:
        """What git is in the middle of, such as a merge; nothing where it is not."""
        found = dict.fromkeys(what for name, what in UNDERTAKINGS.items() if os.path.lexists(self.home / name))
        return " and ".join(found)

    @property
    def knows_the_user(self) -> bool:
        """Whether name and address of the user are set."""
        return all(self._run(("var", who)).returncode == 0 for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"))

    @property
    def tip(self) -> str:
        """The commit that the next one follows; nothing on a branch without any."""
        return self._word("rev-parse", "--quiet", "--verify", "HEAD^{commit}", codes=(0, 1))

    def is_set(self, key: str, *, otherwise: bool) -> bool:
        """Whether a setting that is on or off is on."""
        found = self._word("config", "--type=bool", "--get", key, codes=(0, 1, 128))
        return found == "true" if found else otherwise

    def committed(self, tip: str, paths: Iterable[str]) -> dict[str, Entry]:
        """What a commit holds under these paths."""
        found: dict[str, Entry] = {}
        for some in _portions(paths) if tip else ():
            for row in _rows(self.run(_LITERALLY, "ls-tree", "-z", "--full-tree", tip, "--", *some)):
                about, _, path = row.partition("\t")
                mode, _, id_ = about.split(" ")
                found[path] = Entry(mode, id_)
        return found

    def staged(self, paths: Iterable[str]) -> dict[str, Entry | None]:
        """What the index holds under these paths; `None` where a merge has left several versions."""
        found: dict[str, Entry | None] = {}
        for some in _portions(paths):
            for row in _rows(self.run(_LITERALLY, "ls-files", "-z", "--stage", "--", *some)):
                about, _, path = row.partition("\t")
                mode, id_, stage = about.split(" ")
                found[path] = Entry(mode, id_) if stage == "0" else None
        return found

    def ignored(self, paths: Sequence[str]) -> set[str]:
        """Which of these paths the user's rules leave out."""
        if not paths:
            return set()
        here = _lines(f"./{path}" for path in paths)  # a name that begins with a colon would be a pattern
        found = _rows(self.run("check-ignore", "-z", "--stdin", stdin=here, codes=(0, 1)))
        return {path.removeprefix("./") for path in found}

    def attributes(self, paths: Sequence[str], *names: str) -> dict[tuple[str, str], str]:
        """The attributes of paths that are set, by path and name."""
        words = _rows(self.run("check-attr", "-z", "--stdin", *names, stdin=_lines(paths)))
        rows = zip(words[::3], words[1::3], words[2::3], strict=True)
        return {(path, name): value for path, name, value in rows if value not in {"unspecified", "unset"}}

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The bytes behind ids; those that are not there are left out."""
        wanted = list(dict.fromkeys(ids))
        out = self.run("cat-file", "--batch", stdin="".join(f"{one}\n" for one in wanted).encode()) if wanted else b""
        found: dict[str, bytes] = {}
        start = 0
        for one in wanted:
            end = out.index(b"\n", start)
            words = out[start:end].split(b" ")
            start = end + 1
            if len(words) == 3:
                size = int(words[2])
                found[one] = out[start : start + size]
                start += size + 1
        return found

    def cleaned(self, path: str, data: bytes) -> bytes:
        """A file's bytes as git would keep them: line ends, encoding and keywords as the user has set them."""
        id_ = self.run("hash-object", "-w", "--stdin", "--path", path, stdin=data).decode().strip()
        return self.contents([id_])[id_]

    def joins(self, ours: Path, base: Path, theirs: Path) -> bool:
        """Join the change from the second file to the third into the first; whether nothing was in the way."""
        return self._run(("merge-file", "-q", str(ours), str(base), str(theirs))).returncode == 0

    def signed(self, *arguments: str, stdin: bytes) -> str:
        """Run git for a commit that may have to be signed; gives the word that it printed."""
        return self.run(*arguments, stdin=stdin, seconds=_SIGNING_SECONDS).decode().strip()

    def move(self, new: str, old: str, why: str) -> bool:
        """Let the branch, or a head without one, go on from a commit to the next; not if it has moved meanwhile."""
        ended = self._run(("update-ref", "-m", why, "HEAD", new, old))
        if ended.returncode and self.tip == old:
            raise SessionError(_words("update-ref", ended.stderr))
        return ended.returncode == 0

    @contextmanager
    def index_held(self, *, patience: float) -> Iterator[Path]:
        """Keep others from changing the index, and give the file that may take its place; wait so many seconds for it.

        Raises:
            SessionError: someone else is at it.
        """
        lock, deadline = self.home / "index.lock", time.monotonic() + patience
        while True:
            try:
                descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
                break
            except FileExistsError:
                if time.monotonic() > deadline:
                    raise SessionError(f"another git is at work here, or was killed ({lock} is there).") from None
                time.sleep(0.02)
            except OSError as error:
                raise SessionError(f"{lock} cannot be made: {error.strerror}.") from None
        try:
            yield lock
        finally:
            with suppress(OSError):
                if os.path.samestat(os.fstat(descriptor), lock.lstat()):  # it may be the index by now
                    lock.unlink()
            os.close(descriptor)

    def _without_filters(self) -> dict[str, str]:
        """Settings by which no filter of anyone's is a program."""
        names = _rows(self.run("config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.", codes=(0, 1)))
        drivers = dict.fromkeys(name.rpartition(".")[0] for name in names)
        empty = {f"{one}.{what}": "" for one in drivers for what in ("clean", "smudge", "process")}
        return empty | {f"{one}.required": "false" for one in drivers}

    def _word(self, *arguments: str, codes: Sequence[int] = (0,)) -> str:
        return os.fsdecode(self.run(*arguments, codes=codes).removesuffix(b"\n"))

    def _run(
        self, arguments: Sequence[str], *, stdin: bytes = b"", index: Path | None = None, seconds: float = _SECONDS
    ) -> Ended:
        environment = _environment(self._settings) | ({"GIT_INDEX_FILE": str(index)} if index else {})
        return run_git(
            self._program,
            arguments,
            directory=self._directory,
            environment=environment,
            stdin=stdin,
            seconds=seconds,
        )


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return {**ours, **_ENVIRONMENT, **in_environment(settings)}


def _portions(paths: Iterable[str]) -> Iterator[list[str]]:
    """The paths in groups that fit into a command line."""
    some: list[str] = []
    size = 0
    for path in dict.fromkeys(paths):
        if some and size + len(path) > _ARGUMENTS:
            yield some
            some, size = [], 0
        some.append(path)
        size += len(os.fsencode(path)) + 1
    if some:
        yield some


def _lines(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _rows(out: bytes) -> list[str]:
    return [os.fsdecode(row) for row in out.split(b"\0")[:-1]]


def _words(command: str, err: bytes) -> str:
    """What git said, in a line."""
    said = " ".join(err.decode("utf-8", "replace").split())[:300].removesuffix(".")
    return f"git {command} failed: {said or 'it does not say why'}."
