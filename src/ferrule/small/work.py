"""What is known of a project on the way through a request, and the looks that make it known."""

from collections.abc import Sequence
from typing import Any

from ferrule.core.messages import Value
from ferrule.small.blocks import Block, blocks_of
from ferrule.small.moves import Moves, use
from ferrule.small.profile import Profile
from ferrule.small.prompts import shown_file, tokens
from ferrule.small.rank import is_test, named, pattern, ranked, terms, weigh
from ferrule.small.seen import hits, listed, text_read
from ferrule.small.wish import Wish

_LONGEST_REQUEST, _LONGEST_ANSWER = 3_000, 400
_LIKELY = 6
"""A file that scores a sixth of the best one may still be meant."""


class Earlier(Value, frozen=True, kw_only=True):
    """What was asked and answered before in the conversation."""

    request: str
    answer: str
    files: tuple[str, ...] = ()
    """What was changed on the way."""


class Work:
    """One request, and what was found out about it."""

    def __init__(self, wish: Wish, profile: Profile, earlier: Sequence[Earlier]) -> None:
        self.wish, self.profile, self.earlier = wish, profile, earlier
        self.paths: list[str] = []
        self.order: list[str] = []
        """The files that the request may be about, the likeliest first."""
        self.texts: dict[str, str] = {}
        self.changed: list[str] = []

    def look_around(self) -> Moves:
        """List the files, search for the request's words, and put the files in order."""
        looked_for = terms(self.wish)
        calls: list[tuple[str, dict[str, Any]]] = [("glob", {"pattern": "**/*"})]
        if looked_for:
            search = {"pattern": pattern(looked_for), "output_mode": "content", "-i": True, "head_limit": 400}
            calls.append(("grep", search))
        results = yield from use(*calls)
        self.paths = listed(results[0])
        by_score = ranked(self.wish, self.paths, hits(results[1]) if looked_for else [])
        best = by_score[0][1] if by_score else 0
        likely = [path for path, score in by_score if score >= best / _LIKELY]
        by_name = named(self.wish, self.paths)
        recent = [path for one in reversed(self.earlier) for path in one.files if path in self.paths]
        if all(is_test(path) for path in by_name):  # "the test fails" goes on from what was written before
            by_name += recent
        self.order = list(dict.fromkeys([*by_name, *likely]))
        if not self.order:
            self.order = sorted(self.paths, key=lambda path: (path.count("/"), "readme" not in path.lower(), path))[:2]

    def read(self, paths: Sequence[str]) -> Moves:
        """Read files that were not read yet."""
        missing = [path for path in dict.fromkeys(paths) if path not in self.texts and path in self.paths]
        if missing:
            results = yield from use(*(("read", {"file_path": path}) for path in missing))
            for path, result in zip(missing, results, strict=True):
                if (text := text_read(result)) is not None:
                    self.texts[path] = text

    def excerpts(self, paths: Sequence[str], room: int) -> list[str]:
        """The blocks of files that have most to do with the request, as many as there is room for."""
        pieces: dict[str, tuple[str, Block]] = {}
        for path in paths:
            lines = self.texts.get(path, "").splitlines()
            for block in blocks_of(path, self.texts.get(path, "")):
                pieces[f"{path}:{block.first}\n" + "\n".join(lines[block.first - 1 : block.last])] = (path, block)
        weights = weigh(self.wish, {key: key for key in pieces})
        wanted = {name.rpartition(".")[2] for name in self.wish.symbols}
        by_name = set(named(self.wish, paths))
        for key, (path, block) in pieces.items():
            weights[key] += 4 * (block.name.rpartition(".")[2] in wanted) + 1.5 * (path in by_name)
            weights[key] = (weights[key] + 1 / (1 + list(paths).index(path))) * (0.5 if is_test(path) else 1)
        chosen: dict[str, list[Block]] = {}
        for key in sorted(pieces, key=lambda key: -weights[key]):
            path, block = pieces[key]
            if (cost := tokens(key)) <= room:
                room -= cost
                chosen.setdefault(path, []).append(block)
        return [shown_file(path, self.texts[path], chosen[path]) for path in paths if path in chosen]

    @property
    def told(self) -> list[tuple[Any, str]]:
        """The last exchange, shortened, for requests that go on from it."""
        if not self.earlier:
            return []
        last = self.earlier[-1]
        return [("user", cut(last.request, _LONGEST_REQUEST)), ("assistant", cut(last.answer, _LONGEST_ANSWER))]


def cut(text: str, most: int) -> str:
    """A text without its middle where it is too long."""
    return text if len(text) <= most else f"{text[: most // 2]}\n…\n{text[-most // 2 :]}"
