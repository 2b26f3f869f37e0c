"""What of the agent's edits can be committed, file by file, and what has to be left out."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ferrule.extend.commit_git import Entry, Repository
from ferrule.extend.commit_parts import FILE, INNER, LINK, PROGRAM, Blob, LeftOutError, Merge, blob_of, carried
from ferrule.host.versions import Edited, Version

_ELSEWHERE = "it belongs to a repository of its own"
_ATTRIBUTES = ("filter", "ident", "working-tree-encoding")
_FOLDER = "040000"


class Part(Struct, frozen=True, kw_only=True):
    """One file of the commit, and what the index is to hold of it; `None` where it goes."""

    path: str
    """From the repository's top on."""
    committed: Blob | None
    staged: Blob | None


class Selection(Struct, frozen=True):
    """What is committed, and why the rest is not."""

    parts: tuple[Part, ...]
    left_out: Mapping[str, str]


def selected(repository: Repository, tip: str, edits: Iterable[Edited], *, merge: Merge) -> Selection:
    """Take the agent's part of each file, on top of a commit.

    Raises:
        SessionError: git failed at it.
    """
    by_path: dict[str, list[Edited]] = {}
    for one in edits:
        by_path.setdefault(repository.prefix + one.path, []).append(one)
    state = _State(repository, tip, list(by_path))
    parts: list[Part] = []
    left_out: dict[str, str] = {}
    for path, some in by_path.items():
        try:
            if part := state.part(path, some, merge):
                parts.append(part)
        except LeftOutError as why:
            left_out[path.removeprefix(repository.prefix)] = str(why)
    return Selection(tuple(parts), left_out)


class _State:
    """What the repository knows of some paths: committed, staged, ignored, and how their bytes are kept."""

    def __init__(self, repository: Repository, tip: str, paths: Sequence[str]) -> None:
        self._repository = repository
        above = [one for path in paths for one in _above(path)]
        known = repository.committed(tip, (*paths, *above))
        self._staged = repository.staged(paths)
        self._inner = {path for path, entry in known.items() if entry.mode == INNER}
        self._committed = {path: entry for path, entry in known.items() if entry.mode != _FOLDER}
        new = [path for path in paths if path not in self._committed and path not in self._staged]
        outside = {path for path in paths if self._is_elsewhere(path)}
        self._outside = outside
        self._ignored = repository.ignored([path for path in new if path not in outside])
        self._attributes = repository.attributes([path for path in paths if path not in outside], *_ATTRIBUTES)
        staged = [one for one in self._staged.values() if one and one.mode != INNER]
        ours = [self._committed[path] for path in paths if path in self._committed and path not in self._inner]
        self._bytes = repository.contents(one.id for one in (*ours, *staged))
        self._trusts_modes = repository.is_set("core.fileMode", otherwise=True)

    def part(self, path: str, edits: Sequence[Edited], merge: Merge) -> Part | None:
        """The agent's part of one file; None where there is nothing to commit.

        Raises:
            LeftOutError: it cannot be committed.
        """
        if path in self._outside:
            raise LeftOutError(_ELSEWHERE)
        if path in self._ignored:
            return None
        if any(edit.unknown for edit in edits):
            raise LeftOutError("it is too large to be recorded")
        head = self._blob(self._committed.get(path))
        pairs = [(self._kept(path, one.old, head), self._kept(path, one.new, head)) for one in edits]
        result = carried(pairs, head, merge=merge)
        if result == head:
            return None
        if driver := self._attributes.get((path, "filter")):
            raise LeftOutError(f"the filter {driver} is a program, and none is run")
        return Part(path=path, committed=result, staged=self._restaged(path, head, result, merge))

    def _restaged(self, path: str, head: Blob | None, result: Blob | None, merge: Merge) -> Blob | None:
        """What the index is to hold, so that what the user has staged, and nothing else, differs from the commit."""
        staged = self._staged.get(path)
        if staged is None and path in self._staged:
            raise LeftOutError("it has conflicts that are not resolved")
        try:
            return carried([(head, result)], self._blob(staged), merge=merge)
        except LeftOutError:
            raise LeftOutError("you had staged changes of it") from None

    def _blob(self, entry: Entry | None) -> Blob | None:
        if entry is None:
            return None
        if entry.mode == INNER:
            raise LeftOutError(_ELSEWHERE)
        if entry.id not in self._bytes:
            raise LeftOutError("its committed version is not on this machine")
        mode = entry.mode if entry.mode in {FILE, PROGRAM, LINK} else FILE  # very old commits know 100664
        return Blob(mode, self._bytes[entry.id])

    def _kept(self, path: str, version: Version | None, head: Blob | None) -> Blob | None:
        """A version of the working tree as git would keep it."""
        if version is None:
            return None
        blob = blob_of(version, trusts_modes=self._trusts_modes, committed=head.mode if head else None)
        if blob.mode == LINK or (path, "filter") in self._attributes or not self._is_converted(path, blob.data, head):
            return blob
        return Blob(blob.mode, self._repository.cleaned(path, blob.data))

    def _is_converted(self, path: str, data: bytes, head: Blob | None) -> bool:
        """Whether git might keep other bytes than these; a file that was committed with CR LF keeps them."""
        if (path, "working-tree-encoding") in self._attributes or (path, "ident") in self._attributes:
            return True
        return b"\r\n" in data and not (head and b"\r\n" in head.data)

    def _is_elsewhere(self, path: str) -> bool:
        """Whether a repository inside this one, or another's place in it, lies on the way to a path."""
        above = list(_above(path))
        top = self._repository.top
        return any(one in self._inner or os.path.lexists(Path(top, one, ".git")) for one in above)


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
