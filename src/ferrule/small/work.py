"""What is known of a project on the way through a request, and the looks that make it known."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ferrule.core.messages import ToolResult, Value
from ferrule.small.code.blocks import Block, blocks_of, lines_of, silent_lines
from ferrule.small.moves import Moves, use
from ferrule.small.outline import DEFINITIONS
from ferrule.small.profile import Profile
from ferrule.small.prompts import shown_file, tokens
from ferrule.small.words.naming import asks_line, is_named
from ferrule.small.words.rank import defining, is_test, mentions, named, pattern, ranked, terms, weigh
from ferrule.small.words.seen import Hit, are_all, hits, listed, page_read
from ferrule.small.words.wish import Wish

_LONGEST_REQUEST, _LONGEST_ANSWER = 3_000, 400
_MOST_PAGES = 4
"""How often a long file is read on."""
_MOST_NAMES, _MOST_DEFINED = 4, 600
_BEFORE = 3
"""Lines that are shown before the one that is meant."""
_WORTH, _WORTH_MORE = 0.5, 0.3
"""What a block must have of the best one's weight to be shown beside it: each line that is read takes time.

Where more is needed to understand what happens, less is enough.
"""
_OF_WORDS = re.compile(r"\b(?:todo|fixme|notes?|says|said|warn\w*|mention\w*|explain\w*|describ\w*)\b", re.IGNORECASE)
"""Said of lines that do nothing."""
_STARTS = {"main", "app", "cli", "index", "server", "__main__", "core", "lib", "mod"}
_MOST_OF_OVERVIEW = 4
_LIKELY = 6
"""A file that scores a sixth of the best one may still be meant."""


class Edited(Value, frozen=True, kw_only=True):
    """One change of a file: what stood there, and what has stood there since; nothing where all of it was written."""

    path: str
    was: str | None = None
    became: str | None = None


class Earlier(Value, frozen=True, kw_only=True):
    """What was asked and answered before in the conversation."""

    request: str
    answer: str
    edits: tuple[Edited, ...] = ()
    """What was changed on the way."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were changed."""
        return tuple(one.path for one in self.edits)


class Work:
    """One request, and what was found out about it."""

    def __init__(self, wish: Wish, profile: Profile, earlier: Sequence[Earlier]) -> None:
        self.wish, self.profile, self.earlier = wish, profile, earlier
        self.paths: list[str] = []
        self.order: list[str] = []
        """The files that the request may be about, the likeliest first."""
        self.defined: list[Hit] = []
        """The lines that say what the files define, where the request is a question."""
        self.texts: dict[str, str] = {}
        self.original: dict[str, str] = {}
        """The texts as they were before anything was changed."""
        self.changed: list[str] = []
        self.said = ""
        """What there is to say about a change besides that it was made."""
        self.refused = ""
        """Why a file may not be written, where that was said."""
        self.elsewhere = ""
        """The file that has to change instead, where what the model wrote for another shows that."""
        self.doubted: tuple[float, str, str] | None = None
        """What a file might say instead, for want of anything better: how likely that is, its path, its text."""

    def before(self, path: str) -> str | None:
        """What a file said before the conversation changed it, nothing where it made it; None if nobody knows."""
        text = self.texts.get(path, "")
        for edit in reversed([one for asked in self.earlier for one in asked.edits if one.path == path]):
            if edit.was is None:
                return ""
            if not edit.became or text.count(edit.became) != 1:
                return None
            text = text.replace(edit.became, edit.was)
        return text

    def look_around(self) -> Moves:
        """List the files, search for the request's words, and put the files in order."""
        looked_for = terms(self.wish)
        calls: list[tuple[str, dict[str, Any]]] = [("glob", {"pattern": "**/*"})]
        if looked_for:
            search = {"pattern": pattern(looked_for), "output_mode": "content", "-i": True, "head_limit": 400}
            calls.append(("grep", search))
        if self.wish.kind == "question":
            calls.append(("grep", {"pattern": DEFINITIONS, "output_mode": "content", "head_limit": _MOST_DEFINED}))
        results = yield from use(*calls)
        self.paths = listed(results[0])
        found = hits(results[1], set(self.paths)) if looked_for else []
        self.defined = hits(results[-1], set(self.paths)) if self.wish.kind == "question" else []
        if not are_all(results[0]):
            names = [*self.wish.files, *(f"*{term}*" for term in looked_for if term.isidentifier())]
            yield from self.look_for(f"**/{name}" for name in names[:_MOST_NAMES])
        if looked_for and not are_all(results[0]):  # what is found of everything says little in so large a project
            search = {"pattern": defining(looked_for), "output_mode": "content", "-i": True, "head_limit": 400}
            found += hits((yield from use(("grep", search)))[0], set(self.paths))
        self.paths = list(dict.fromkeys([*self.paths, *(hit.path for hit in found)]))
        by_score = ranked(self.wish, self.paths, found)
        best = by_score[0][1] if by_score else 0
        likely = [path for path, score in by_score if score >= best / _LIKELY]
        by_name = named(self.wish, self.paths)
        recent = [path for one in reversed(self.earlier) for path in one.files if path in self.paths]
        if all(is_test(path) for path in by_name):  # "the test fails" goes on from what was written before
            by_name += recent
        self.order = list(dict.fromkeys([*by_name, *likely]))
        if not self.order:
            self.order = sorted(self.paths, key=place_in_overview)[:_MOST_OF_OVERVIEW]

    def read(self, paths: Sequence[str]) -> Moves:
        """Read files that were not read yet."""
        missing = {path: 1 for path in paths if path not in self.texts and path in self.paths}
        so_far = dict.fromkeys(missing, "")
        for _ in range(_MOST_PAGES):
            if not missing:
                break
            calls = [{"file_path": path} | ({"offset": first} if first > 1 else {}) for path, first in missing.items()]
            results = yield from use(*(("read", one) for one in calls))
            pages = {path: page_read(result) for path, result in zip(missing, results, strict=True)}
            so_far |= {path: so_far[path] + page.text for path, page in pages.items() if page}
            self.texts |= {path: so_far[path] for path, page in pages.items() if page and not page.next}
            missing = {path: page.next for path, page in pages.items() if page and page.next}

    def look_at(self, paths: Sequence[str]) -> Moves:
        """Read what is there already of files that are taken for new: git may ignore them, so that none is listed."""
        if calls := [("read", {"file_path": path}) for path in dict.fromkeys(paths) if path not in self.paths]:
            results = yield from use(*calls)
            there = [call["file_path"] for (_, call), one in zip(calls, results, strict=True) if not _is_missing(one)]
            self.paths += there
            yield from self.read(there)

    def look_for(self, patterns: Iterable[str]) -> Moves:
        """Look for files that were not listed, where there are too many for one listing."""
        if calls := [("glob", {"pattern": one}) for one in patterns]:
            results = yield from use(*calls)
            self.paths = list(dict.fromkeys([*self.paths, *(path for one in results for path in listed(one))]))

    def excerpts(
        self,
        paths: Sequence[str],
        room: int,
        *,
        only_named: bool = False,
        wide: bool = False,
        also: Collection[str] = (),
        more: int = 0,
    ) -> list[str]:
        """The blocks of files that have most to do with the request, as many as there is room for.

        With `only_named` just those whose names are words of the request, with `wide` also those that have less to do
        with it; with `also` those of these names as well, as far as there is `more` room for them.
        """
        pieces: dict[str, tuple[str, Block]] = {}
        for path in paths:
            lines = lines_of(self.texts.get(path, ""))
            for block in blocks_of(path, self.texts.get(path, "")):
                if not only_named or block.name.lower().partition(".")[0] in self.wish.spoken:
                    key = f"{path}:{block.first}\n" + "\n".join(lines[block.first - 1 : block.last])
                    pieces[key] = (path, block)
        weights = weigh(self.wish, {key: key for key in pieces})
        wanted = {name.rpartition(".")[2] for name in self.wish.symbols}
        by_name = set(named(self.wish, paths))
        for key, (path, block) in pieces.items():
            is_meant = block.name.rpartition(".")[2] in wanted or (block.name and is_named(block.name, self.wish.text))
            weights[key] += 4 * bool(is_meant) + 1.5 * (path in by_name)
            weights[key] = (weights[key] + 1 / (1 + list(paths).index(path))) * (0.5 if is_test(path) else 1)
        chosen: dict[str, list[Block]] = {}
        least = (_WORTH_MORE if wide else _WORTH) * max(weights.values(), default=0)
        for key in sorted(pieces, key=lambda key: -weights[key]):
            if weights[key] < least:
                break
            path, block = pieces[key]
            cost = tokens(key)
            if not chosen and cost > room:
                block, part = self._part(path, block, room)
                cost = tokens(part)
            if cost <= room:
                room -= cost
                chosen.setdefault(path, []).append(block)
        for key in sorted(pieces, key=lambda key: -weights[key]):
            path, block = pieces[key]
            is_there = block in chosen.get(path, [])
            if block.name in also and not is_there and not is_test(path) and tokens(key) <= more:
                more -= tokens(key)
                chosen.setdefault(path, []).append(block)
        return [
            shown_file(path, self.texts[path], chosen[path], without_numbers=self._unnumbered(path))
            for path in paths
            if path in chosen
        ]

    def _unnumbered(self, path: str) -> set[int] | None:
        """Which lines have no numbers, where a question is about one: it is about what happens, unless about words."""
        if self.wish.kind != "question" or not asks_line(self.wish.text):
            return None
        return (
            set() if self.wish.about_words or _OF_WORDS.search(self.wish.text) else silent_lines(path, self.texts[path])
        )

    def _part(self, path: str, block: Block, room: int) -> tuple[Block, str]:
        """The lines of a block that is too long, from shortly before the first that has to do with the request."""
        lines = lines_of(self.texts[path])[block.first - 1 : block.last]
        looked_for = terms(self.wish)
        hit = next((at for at, line in enumerate(lines) if any(mentions(one, line) for one in looked_for)), 0)
        start, kept = max(0, hit - _BEFORE), list[str]()
        for line in lines[start:]:
            if tokens("\n".join([*kept, line])) > room:
                break
            kept.append(line)
        first = block.first + start
        return Block(first=first, last=first + max(len(kept), 1) - 1, name=block.name), "\n".join(kept)

    @property
    def told(self) -> list[tuple[Any, str]]:
        """The last exchange, shortened, for requests that go on from it."""
        if not self.earlier or not self.earlier[-1].answer:
            return []
        last = self.earlier[-1]
        return [("user", cut(last.request, _LONGEST_REQUEST)), ("assistant", cut(last.answer, _LONGEST_ANSWER))]


def place_in_overview(path: str) -> tuple[bool, bool, bool, int, str]:
    """Where a file stands among those that tell what a project is: what people read first, then where it starts."""
    name = path.rpartition("/")[2].partition(".")[0].lower()
    return "readme" not in name, is_test(path), name not in _STARTS, path.count("/"), path


def _is_missing(result: ToolResult) -> bool:
    return result.is_error and result.text.startswith("There is no file ")


def cut(text: str, most: int) -> str:
    """A text without its middle where it is too long."""
    return text if len(text) <= most else f"{text[: most // 2]}\n…\n{text[-most // 2 :]}"
