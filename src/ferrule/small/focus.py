"""Which blocks of a file matter for a change: those that its words, names and failures point at, and few of them."""

import re
from collections.abc import Sequence

from ferrule.small.checks.check import fell_in
from ferrule.small.code.blocks import Block, blocks_of, lines_of
from ferrule.small.prompts import tokens
from ferrule.small.words.rank import weigh
from ferrule.small.words.wish import Wish, stems
from ferrule.small.work import Work

_SHORT = 3
"""Letters of a name that may be a word like any other."""
_BRIEF = 80
_SMALL_CLASS, _WHOLE_CLASS = 8, 300
"""Lines of a class that is one block; tokens of one that is shown whole where its head matters."""
_NEARLY = 0.4
"""What a block must have of the best one's weight to be shown beside it."""
_FRAME = re.compile(r"\bin (\w+)$|\b(\w+)\(", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--[a-z]|\b(?:flag|switch|command[- ]line (?:option|argument)s?)\b", re.IGNORECASE)
_PARSES = re.compile(
    r"\badd_argument\(|\badd_option\(|@click\.(?:option|argument)|\btyper\.Option\(|\bgetopts?\b|\bparseArgs\("
)
_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
_SET = re.compile(r"^([A-Z][A-Z0-9_]+)\s*(?::[^=\n]+)?=", re.MULTILINE)
_LIKE = re.compile(
    r"\b(?:like|(?:the same|just|exactly) as|same way as)\s+(?:the\s+|in\s+)?(?:\w+\s+){1,3}?(?:does|do|did|is|are)\b"
    r"|\blike\s+(?:all\s+)?(?:the\s+)?others?\b|\b(?:like|as)\s+in\s+(?:the\s+)?\w",
    re.IGNORECASE,
)
"""Said of something that does right already what is wanted."""
_FALLEN = 12
"""What it weighs that an error came from a function."""
_OPTIONS = 8
"""What it weighs that a block says which options there are, where the request is about one."""


def focus(work: Work, path: str, text: str, outputs: Sequence[str], *, narrow: bool) -> list[Block] | None:
    """The blocks of a file that matter for a change; nothing where all of it is to be shown.

    `outputs` are what failing checks printed; `narrow` chooses no more than a function or two, unless the request holds
    up another as an example.
    """
    narrow = narrow and not _LIKE.search(work.wish.text)
    room = work.profile.focus_tokens if narrow else work.profile.candidate_tokens
    room = room if path.endswith(".py") else work.profile.whole_file_tokens
    file = _File(path, text)
    if tokens(text) <= room and not (narrow and file.is_about_one(work.wish)):
        return None
    scores = file.scores(work.wish, outputs)
    best = max(scores.values(), default=0)
    if not best and tokens(text) <= work.profile.candidate_tokens:
        return None
    chosen: list[Block] = []
    for one in sorted(file.blocks, key=lambda one: -scores[one.first]):
        cost = tokens(file.body(one))
        if not chosen or (cost <= room and scores[one.first] >= best * _NEARLY):
            chosen.append(one)
            room -= cost
    if work.wish.trouble:
        chosen += file.called_by(chosen)
    chosen = file.with_makers(file.with_named(file.with_classes(chosen), work.wish))
    return file.with_constants(chosen)


def takes_option(wish: Wish, code: str) -> bool:
    """Whether a request is about an option of a program, and code says which ones there are."""
    return bool(_OPTION.search(wish.text) and _PARSES.search(code))


class _File:
    """A file in blocks."""

    def __init__(self, path: str, text: str) -> None:
        self.blocks = blocks_of(path, text, longest=_SMALL_CLASS)
        self._lines = lines_of(text)
        self._path = path

    def body(self, block: Block) -> str:
        return "\n".join(self._lines[block.first - 1 : block.last])

    def scores(self, wish: Wish, outputs: Sequence[str]) -> dict[int, float]:
        """How much each block has to do with a request, by its first line.

        What stands between definitions, or heads a class, does little; what is only put together in one is done in
        those that it calls.
        """
        weights = weigh(wish, {f"{one.first}": self.body(one) for one in self.blocks})
        asked = {part for name in wish.symbols for part in name.split(".")}
        asked |= wish.spoken | set(re.findall(r"\w+", wish.text))
        blamed = {one for output in outputs for found in _FRAME.findall(output) for one in found if one}
        fallen = {fell_in(told, self._path) for told in (wish.text, *outputs)} - {""}
        heads = {one.name.partition(".")[0] for one in self.blocks if "." in one.name}
        scores: dict[int, float] = {}
        for one in self.blocks:
            name = one.name.rpartition(".")[2]
            is_named = name in asked and (len(name) > _SHORT or "_" in name)
            does_little = not name or one.name in heads
            parts = stems(name)
            said = sum(part in wish.words for part in parts) / len(parts) if parts else 0
            scores[one.first] = weights[f"{one.first}"] * (0.5 if does_little else 1)
            scores[one.first] += 6 * is_named + 3 * (name in blamed) + 4 * said + _FALLEN * (name in fallen)
            if takes_option(wish, self.body(one)):
                scores[one.first] += _OPTIONS
        best = max(scores.values(), default=0)
        for one in [one for one in self.blocks if not one.name and scores[one.first] == best]:
            calls = [other for other in self.blocks if other.name and f"{other.name}(" in self.body(one)]
            for other in calls:
                scores[other.first] = max(scores[other.first], best)
            scores[one.first] = 0 if calls else best
        return scores

    def is_about_one(self, wish: Wish) -> bool:
        """Whether a request names just one of several functions."""
        names = [one.name.rpartition(".")[2] for one in self.blocks if one.name]
        return len(names) > 1 and sum(name in wish.symbols for name in names) == 1

    def called_by(self, chosen: Sequence[Block]) -> list[Block]:
        """What a short function leaves to another: the mistake may be there."""
        text = "\n".join(map(self.body, chosen))
        others = [one for one in self.blocks if one.name and one not in chosen and tokens(self.body(one)) <= 2 * _BRIEF]
        called = [one for one in others if re.search(rf"\b{re.escape(one.name.rpartition('.')[2])}\(", text)]
        return called[:1] if tokens(text) <= _BRIEF else []

    def with_constants(self, chosen: list[Block]) -> list[Block]:
        """The chosen blocks, with the few lines that say what the constants are that they use."""
        used = set(_CONSTANT.findall("\n".join(map(self.body, chosen))))
        others = [one for one in self.blocks if not one.name and one not in chosen]
        sets = [one for one in others if used & set(_SET.findall(self.body(one))) and tokens(self.body(one)) <= _BRIEF]
        return [*chosen, *sets]

    def with_named(self, chosen: list[Block], wish: Wish) -> list[Block]:
        """The chosen blocks, with what makes the objects of a class that the request names: a field may be new."""
        classes = {word for word in re.findall(r"\w+", wish.text) if word[:1].isupper()}
        others = [one for one in self.blocks if one not in chosen and one.name.removesuffix(".__init__") in classes]
        return [*chosen, *(one for one in others if tokens(self.body(one)) <= _BRIEF)]

    def with_makers(self, chosen: list[Block]) -> list[Block]:
        """The chosen blocks, with what makes the objects that their methods work on: what these have is told there."""
        owners = {one.name.rpartition(".")[0] for one in chosen}
        makers = [one for one in self.blocks if one not in chosen and one.name.endswith(".__init__")]
        mine = [one for one in makers if one.name.rpartition(".")[0] in owners]
        return [*chosen, *(one for one in mine if tokens(self.body(one)) <= _BRIEF)]

    def with_classes(self, chosen: Sequence[Block]) -> list[Block]:
        """The chosen blocks; where one heads a class, with the class, or with how it begins if that is long."""
        more: list[Block] = []
        for one in chosen:
            own = [other for other in self.blocks if one.name and other.name.startswith(f"{one.name}.")]
            is_short = sum(tokens(self.body(other)) for other in own) <= _WHOLE_CLASS
            more += own if is_short else [other for other in own if other.name.endswith(".__init__")]
        return [*chosen, *(one for one in more if one not in chosen)]
