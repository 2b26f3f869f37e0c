"""Commits what a run changed, and nothing of the user's: `git.auto_commit`.

The commit is made beside the working tree, in an index of its own, and the branch moves on only if it still is where
it was. The user's index follows for the files of the commit, so that what they had staged, or not yet, stays just that.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ferrule.core.errors import SessionError
from ferrule.core.events import Notice
from ferrule.extend.commit_git import Repository
from ferrule.extend.commit_parts import Blob
from ferrule.extend.commit_select import Part, Selection, selected
from ferrule.extend.commit_words import message_of, said_of
from ferrule.host.search import find_program
from ferrule.host.versions import Edited

_TRIES = 3


class AutoCommit:
    """Commits after each run, in the repository around a directory."""

    def __init__(
        self, directory: Path, *, prefix: str, mask: Callable[[str], str], may_sign: bool, patience: float = 3.0
    ) -> None:
        """Commit with messages that begin with the prefix.

        `mask` takes the secrets out of a text. `may_sign` says whether the program that signs, which the repository
        may have named, may be run. For another git at work it waits so many seconds.
        """
        self._directory = Path(os.path.realpath(directory))
        self._program = find_program("git", outside=self._directory)
        self._prefix, self._mask, self._may_sign, self._patience = prefix, mask, may_sign, patience
        self._said: set[str] = set()

    async def __call__(self, request: str, edits: Sequence[Edited]) -> Notice | None:
        """Commit what a run did; gives what is to be said about it.

        Raises:
            SessionError: git failed at it; the branch is where it was.
        """
        try:
            return await asyncio.to_thread(self._commit, request, edits)
        except OSError as error:
            raise SessionError(f"{error.strerror or error}.") from None

    def _commit(self, request: str, edits: Sequence[Edited]) -> Notice | None:
        if self._program is None:
            return self._once("git is not installed")
        repository = Repository(self._program, self._directory)
        if not repository.find():
            return None
        if why := _obstacle(repository):
            return self._once(why)
        signs = repository.is_set("commit.gpgSign", otherwise=False)
        for _ in range(_TRIES):
            with (
                tempfile.TemporaryDirectory(prefix="ferrule-commit-") as private,
                repository.index_held(patience=self._patience) as lock,
            ):
                attempt = _Attempt(repository, Path(private), lock)
                selection = attempt.select(edits)
                names = [part.path.removeprefix(repository.prefix) for part in selection.parts]
                message = message_of(self._mask(request), self._prefix, names)
                commit = attempt.commit(selection, message, sign=signs and self._may_sign) if names else ""
            if commit is not None:
                remark = " It is not signed, since the project is not trusted." if signs and not self._may_sign else ""
                return _notice(commit, message, selection, remark if commit else "")
        raise SessionError("the branch moved again and again.")

    def _once(self, why: str) -> Notice | None:
        """Say why nothing is committed, but not after every run."""
        if why in self._said:
            return None
        self._said.add(why)
        return Notice(text=f"Nothing was committed: {why}.")


class _Attempt:
    """One try at a commit, with the index held and a directory of its own."""

    def __init__(self, repository: Repository, private: Path, lock: Path) -> None:
        self._repository, self._private, self._lock = repository, private, lock
        self._tip = repository.tip
        self._own_index = repository.home / "index"

    def select(self, edits: Iterable[Edited]) -> Selection:
        """Choose what is committed."""
        return selected(self._repository, self._tip, edits, merge=self._merge)

    def commit(self, selection: Selection, message: str, *, sign: bool) -> str | None:
        """Make the commit and move the branch to it; gives its id, or None where the branch has moved meanwhile."""
        ids = self._keep([part.committed for part in selection.parts] + [part.staged for part in selection.parts])
        committed, staged = ids[: len(selection.parts)], ids[len(selection.parts) :]
        follows = ("-p", self._tip) if self._tip else ()
        signed = ("-S",) if sign else ()
        words = ("commit-tree", *follows, *signed, "-F", "-", self._tree(selection.parts, committed))
        commit = self._repository.signed(*words, stdin=message.encode())
        self._fill_lock(selection.parts, staged)
        why = f"commit{'' if self._tip else ' (initial)'}: {message.partition(chr(10))[0]}"
        if not self._repository.move(commit, self._tip, why):
            return None
        self._lock.replace(self._own_index)  # as git does it: the lock becomes the index
        return commit

    def _tree(self, parts: Sequence[Part], ids: Sequence[str]) -> str:
        """The tree of the last commit with other versions of some files."""
        index = self._private / "tree"
        if self._tip:
            self._repository.run("read-tree", self._tip, index=index)
        self._put(index, [(part.path, part.committed, id_) for part, id_ in zip(parts, ids, strict=True)])
        return self._repository.run("write-tree", "--missing-ok", index=index).decode().strip()

    def _fill_lock(self, parts: Sequence[Part], ids: Sequence[str]) -> None:
        """Write what the user's index will be: as it is, with other versions of some files."""
        index = self._private / "index"
        if self._own_index.exists():
            shutil.copy2(self._own_index, index)  # with its time, by which git knows what changed at the same moment
            self._lock.chmod(self._own_index.stat().st_mode & 0o777)
        self._put(index, [(part.path, part.staged, id_) for part, id_ in zip(parts, ids, strict=True)])
        self._lock.write_bytes(index.read_bytes())

    def _put(self, index: Path, rows: Iterable[tuple[str, Blob | None, str]]) -> None:
        """Put versions into an index; what goes makes room for what comes."""
        gone = "0" * max(40, len(self._tip))
        lines = [(path, f"{blob.mode} {id_}" if blob else f"0 {gone}") for path, blob, id_ in rows]
        lines.sort(key=lambda line: not line[1].startswith("0 "))
        data = b"".join(b"%s\t%s\0" % (about.encode(), os.fsencode(path)) for path, about in lines)
        self._repository.run("update-index", "-z", "--index-info", stdin=data, index=index)

    def _keep(self, blobs: Sequence[Blob | None]) -> list[str]:
        """Give the bytes to the repository, and get their ids; none for what is not there."""
        places = {}
        for blob in blobs:
            if blob and blob.data not in places:
                places[blob.data] = self._stage(blob.data)
        lines = "".join(f"{path}\n" for path in places.values())
        out = self._repository.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=lines.encode())
        ids = dict(zip(places, out.decode().split(), strict=True))
        return [ids[blob.data] if blob else "" for blob in blobs]

    def _merge(self, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        if b"\0" in base + ours + theirs:
            return None
        joined, old, new = (self._stage(data) for data in (ours, base, theirs))
        return joined.read_bytes() if self._repository.joins(joined, old, new) else None

    def _stage(self, data: bytes) -> Path:
        path = self._private / f"bytes-{os.urandom(8).hex()}"
        path.write_bytes(data)
        return path


def _obstacle(repository: Repository) -> str:
    """Why this is no time for a commit; nothing if it is one."""
    if under_way := repository.under_way:
        return f"{under_way} is under way"
    if not repository.knows_the_user:
        return "git does not know who you are (git config --global user.name and user.email)"
    return ""


def _notice(commit: str, message: str, selection: Selection, remark: str) -> Notice | None:
    if not commit and not selection.left_out:
        return None
    text = said_of(commit, message.partition("\n")[0], len(selection.parts), selection.left_out)
    return Notice(text=text + remark, level="warning" if selection.left_out or remark else "info")
