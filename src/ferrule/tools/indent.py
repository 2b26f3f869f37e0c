"""How the indentation of a copied text relates to that of the file, and how new lines are moved to fit."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise

import msgspec

Pairs = Sequence[tuple[str, str]]
"""The blanks before each line: in the copy, and in the file."""

_WIDTHS = (4, 2, 8, 3)
_ENOUGH_LINES = 5_000


class Shift(msgspec.Struct, frozen=True):
    """A way to indent a line as the file would have it."""

    words: str = ""
    move: Callable[[str], str | None] = lambda lead: lead
    """From the blanks before a line of the copy to those that the file needs; `None` if there are too few."""

    def apply(self, line: str) -> str | None:
        """Move a line; a blank one stays as it is."""
        body = body_of(line)
        if not body:
            return line
        lead = self.move(line[: len(line) - len(body)])
        return None if lead is None else lead + body


def body_of(line: str) -> str:
    """A line without its indentation."""
    return line.lstrip(" \t")


def lead_of(line: str) -> str:
    """The indentation of a line."""
    return line[: len(line) - len(body_of(line))]


def width_of(lines: Iterable[str]) -> int:
    """How many spaces a level has: the step by which lines most often go deeper."""
    leads = (lead_of(line) for line in lines if body_of(line))
    depths = [len(lead) for lead in islice(leads, _ENOUGH_LINES) if "\t" not in lead]
    steps = Counter(deeper - depth for depth, deeper in pairwise(depths) if deeper > depth)
    return steps.most_common(1)[0][0] if steps else _WIDTHS[0]


def shift_between(pairs: Pairs, *, copy_width: int, file_width: int) -> Shift | None:
    """The one shift that explains all pairs, or `None`: the same blanks more or less, or tabs for spaces."""
    return _moved(pairs) or _retabbed(pairs, copy_width, file_width)


def _moved(pairs: Pairs) -> Shift | None:
    """The file has the same blanks more, or the same blanks less, before every line."""
    copied, there = pairs[0]
    if there.endswith(copied):
        more = there.removesuffix(copied)
        if all(there == more + copied for copied, there in pairs):
            return Shift(f"indented by {_amount(more)} more" if more else "", lambda lead: more + lead)
    elif copied.endswith(there):
        less = copied.removesuffix(there)
        if all(copied == less + there for copied, there in pairs):
            return Shift(
                f"indented by {_amount(less)} less",
                lambda lead: lead.removeprefix(less) if lead.startswith(less) else None,
            )
    return None


def _retabbed(pairs: Pairs, copy_width: int, file_width: int) -> Shift | None:
    """The file has tabs where the copy has spaces, or the other way round; levels may be shifted as well."""
    copied = "".join(lead for lead, _ in pairs)
    there = "".join(lead for _, lead in pairs)
    if "\t" not in copied and " " not in there:
        options = [(size, _levels(pairs, " " * size, "\t")) for size in (copy_width, *_WIDTHS)]
        options.sort(key=lambda option: option[1] != 0)  # most likely nothing but the tabs is wrong
        return next((_to_tabs(size, more) for size, more in options if more is not None), None)
    if " " not in copied and "\t" not in there:
        options = [(size, _levels(pairs, "\t", " " * size)) for size in (file_width, *_WIDTHS)]
        return next((_to_spaces(size, more) for size, more in options if more is not None), None)
    return None


def _levels(pairs: Pairs, copied: str, there: str) -> int | None:
    """By how many levels the file is deeper, if it is the same number for all lines and none is in between."""
    if any(len(one) % len(copied) or len(other) % len(there) for one, other in pairs):
        return None
    more = {len(other) // len(there) - len(one) // len(copied) for one, other in pairs}
    return more.pop() if len(more) == 1 else None


def _to_tabs(width: int, more: int) -> Shift:
    def move(lead: str) -> str | None:
        level, rest = divmod(len(lead), width)
        return None if level + more < 0 or "\t" in lead else "\t" * (level + more) + " " * rest

    return Shift(f"indented with tabs for {width} spaces", move)


def _to_spaces(width: int, more: int) -> Shift:
    def move(lead: str) -> str | None:
        rest = lead.lstrip("\t")
        level = len(lead) - len(rest) + more
        return None if level < 0 or "\t" in rest else " " * (width * level) + rest

    return Shift(f"indented with {width} spaces for a tab", move)


def _amount(blanks: str) -> str:
    kind = {" ": "space", "\t": "tab"}.get(blanks[0], "blank") if len(set(blanks)) == 1 else "blank"
    return f"{len(blanks)} {kind}{'' if len(blanks) == 1 else 's'}"
