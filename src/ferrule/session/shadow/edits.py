"""What steps did to each file, in bytes, without what happened to it in between."""

from collections.abc import Callable, Iterable

from ferrule.host.versions import Edited, Version
from ferrule.session.shadow.trees import Difference, Entry, differences


def edits_of(steps: Iterable[tuple[bytes, bytes]], read: Callable[[bytes], bytes]) -> tuple[Edited, ...]:
    """The edits of several steps, each given by the records before and after it.

    What one step left and the next one found is joined into one edit. Where somebody else changed a file between two
    steps, it has two edits, in their order.

    Raises:
        SessionError: a record is not there.
    """
    found: dict[str, list[Difference]] = {}
    for before, after in steps:
        for one in differences(before, after, read):
            edit = Difference(one.path, _file(one.old), _file(one.new))
            chain = found.setdefault(one.path, [])
            if chain and chain[-1].new == edit.old:
                edit = Difference(one.path, chain.pop().old, edit.new)
            if edit.old != edit.new:
                chain.append(edit)
    return tuple(_edited(one, read) for chain in found.values() for one in chain)


def _file(entry: Entry | None) -> Entry | None:
    """A directory is what it holds, and that is told for itself."""
    return None if entry and entry.is_folder else entry


def _edited(one: Difference, read: Callable[[bytes], bytes]) -> Edited:
    if any(entry and entry.is_left_out for entry in (one.old, one.new)):
        return Edited(path=one.path, unknown=True)
    old, new = (Version(entry.mode, read(entry.id)) if entry else None for entry in (one.old, one.new))
    return Edited(path=one.path, old=old, new=new)
