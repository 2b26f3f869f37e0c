"""Which files, and which blocks of them, a request is about: rare words weigh more than common ones."""

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ferrule.small.words.seen import Hit
from ferrule.small.words.wish import Wish, stems

_PROSE = re.compile(r"\.(?:md|rst|txt|html?|css|lock|csv|log|svg)$|(?:^|/)(?:LICENSE|CHANGELOG|AUTHORS)", re.IGNORECASE)
_CODE = (
    ".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".sh", ".bash", ".go", ".rs", ".java", ".kt", ".rb", ".php",
    ".c", ".h", ".cc", ".cpp", ".cs", ".swift", ".lua",
)  # fmt: skip
_TEST = re.compile(r"(?:^|/)(?:tests?|spec)(?:/|\.\w+$)|(?:^|/)test_[^/]*$|_test\.\w+$|\.(?:test|spec)\.\w+$")
_DEFINES = re.compile(
    r"\s*(?:(?:export |public |private |static |async )*"
    r"(?:def|class|function|func|fn|struct|enum|interface|type|const|let|var)\s"
    r"|#define\s|[A-Za-z_][\w.\"'-]*\s*(?::|=[^=]))"
)
_TELLING = 4
"""Letters from which on the beginning of a word stands for it."""
_LONG = 6
"""Letters from which on a word is found inside of others as well."""
MOST_TERMS = 14
_MOST_SIGNS = 3
_LETTER = re.compile(
    r"\b(?i:an?|the|or|and|grade|letter|class|type|key|of|for) ([A-HJ-Z])(?![\w.+#-])|([\"'`])([A-Z])\2"
)
_OTHERWISE = (("colour", "color"), ("color", "colour"), ("centre", "center"), ("grey", "gray"))
_OLD_VALUE = 6
"""What it weighs that a line has a text of several words that the request quotes, or a word of it and the number that
it says is to be replaced."""
_MODULE = re.compile(r"\bpython3? -m ([\w.]*\w)")
_HOME = 4
"""What it weighs that a file defines a function or a class that the request names."""
_MADE = re.compile(r"\s*(?:(?:export|default|async|public|static)\s+)*(?:def|class|function|func|fn)\s+(\w+)")


def terms(wish: Wish) -> list[str]:
    """What to search for: names in code first, then words."""
    dotted = [part for one in wish.symbols for part in (one.split(".") if re.fullmatch(r"\w+\.\w+", one) else [one])]
    names = [one for one in dict.fromkeys(dotted) if re.fullmatch(r"[\w.-]{2,40}", one)]
    known = {stem for name in names for stem in stems(name)}
    numbers = [one for one in wish.old_values if len(one) > _TELLING - 1]
    words = [spelt for word in wish.words if word not in known for spelt in _spellings(word)]
    found = [*names, *odd_signs(wish.text), *_letters(wish.text), *numbers, *_quoted_words(wish), *words]
    return list(dict.fromkeys(found))[:MOST_TERMS]


def _quoted_words(wish: Wish) -> list[str]:
    """The words of texts that a request quotes, as they are: one of them may stand alone in the code."""
    words = [word.lower() for one in wish.symbols if " " in one for word in re.findall(r"[A-Za-z]+", one)]
    return [word for word in dict.fromkeys(one.removesuffix("s") for one in words) if len(word) >= _TELLING][
        :_MOST_SIGNS
    ]


def _spellings(word: str) -> list[str]:
    """A word as both shores of the sea spell it: code says `color`, whatever people say."""
    return list(dict.fromkeys([word, *(word.replace(one, other) for one, other in _OTHERWISE)]))


def _letters(text: str) -> list[str]:
    """Single letters that a text speaks of, "an A or a B": in code they stand in quotes."""
    return list(dict.fromkeys(match[1] or match[3] for match in _LETTER.finditer(text)))[:_MOST_SIGNS]


def odd_signs(text: str) -> list[str]:
    """Signs of a text that hardly any other has: ß, €, →; but not how people write quotes and pauses."""
    return list(dict.fromkeys(re.findall(r"[^\x00-\x7f\w\s“”„‘’«»…–—·×°]|\b[^\x00-\x7f\W]\b", text)))[:_MOST_SIGNS]


def pattern(found: Sequence[str]) -> str:
    """A regular expression for all the terms; it is meant to be used without regard to case.

    People see it, so it is as plain as it can be.
    """
    plain = [_quoted(one) if _is_letter(one) else re.escape(one) for one in found if not _is_short(one)]
    short = [one for one in found if _is_short(one)]
    begins = (
        [rf"(?:\b|_|\d)(?:{'|'.join(short)})", f"(?-i:{'|'.join(one.capitalize() for one in short)})"] if short else []
    )
    return "|".join([*plain, *begins])


def _is_short(term: str) -> bool:
    """Whether a term is so short that it stands by chance in other words: `port` in `import`."""
    return len(term) < _LONG and term.isascii() and term.isalpha() and term.islower()


def _is_letter(term: str) -> bool:
    """Whether a term is a letter that a request speaks of."""
    return len(term) == 1 and term.isascii() and term.isupper()


def _quoted(letter: str) -> str:
    return f"(?-i:[\"'`]{letter}[\"'`])"


def _beginning(term: str) -> str:
    """A regular expression for a term where a word begins: `port`, `SERVER_PORT`, `serverPort`."""
    return rf"(?:\b|_|\d){term}|(?-i:{term.capitalize()})"


@functools.lru_cache(maxsize=256)
def _finder(term: str) -> re.Pattern[str]:
    told = _quoted(term) if _is_letter(term) else _beginning(term) if _is_short(term) else re.escape(term)
    return re.compile(told, re.IGNORECASE)


def mentions(term: str, text: str) -> int:
    """How often a text has a term."""
    return len(_finder(term).findall(text))


def defining(found: Sequence[str]) -> str:
    """A regular expression for lines that define something with one of the terms in its name."""
    names = rf"\w*(?:{'|'.join(re.escape(one) for one in found)})\w*"
    kinds = "def|class|function|func|fn|struct|enum|interface|type|const|let|var|#define"
    return rf"^\s*(?:(?:export|public|private|static|async)\s+)*(?:{kinds})\s+{names}|^\s*{names}\s*[:=]"


def is_code(path: str) -> bool:
    """Whether a file is a program, and not what one reads."""
    return path.endswith(_CODE)


def is_test(path: str) -> bool:
    """Whether a file holds tests."""
    return bool(_TEST.search(path))


def is_prose(path: str) -> bool:
    """Whether a file is written for people."""
    return bool(_PROSE.search(path))


def named(wish: Wish, paths: Iterable[str]) -> list[str]:
    """The files that a request names: by their path, the end of it, or their name alone."""
    found: list[str] = []
    paths = list(paths)
    for name in wish.files:
        if name in wish.quoted_files:
            continue
        if name.startswith("/"):  # as tracebacks name them
            found += [path for path in paths if name.endswith(f"/{path}")]
            continue
        exact = [path for path in paths if path == name or path.endswith(f"/{name}")]
        exact = exact or [path for path in paths if f"/{name}/" in f"/{path}"]  # a directory
        found += exact or [path for path in paths if _stem(path).lower() == name.lower()]
    for name in wish.symbols:
        whole = [path for path in paths if " " in name and (path == name or path.endswith(f"/{name}"))]
        found += whole or [path for path in paths if path.rpartition("/")[2].rpartition(".")[0] == name]
    if wish.kind == "question":  # what a command does begins where it begins
        begins = [module.replace(".", "/") for module in _MODULE.findall(wish.text)]
        found += [path for one in begins for path in (f"{one}/__main__.py", f"{one}.py") if path in paths]
    return list(dict.fromkeys(found))


def ranked(wish: Wish, paths: Sequence[str], found: Sequence[Hit]) -> list[tuple[str, float]]:
    """The files that a request may be about, the likeliest first."""
    looked_for = terms(wish)
    counts: dict[str, Counter[str]] = {}
    with_old_value, makes = set[str](), set[str]()
    for hit in found:
        weight = 3 if _DEFINES.match(hit.text) else 1
        counts.setdefault(hit.path, Counter()).update({term: weight for term in looked_for if mentions(term, hit.text)})
        if _has_old_value(wish, hit.text) or any(" " in one and one in hit.text for one in wish.symbols):
            with_old_value.add(hit.path)
        if (found_name := _MADE.match(hit.text)) and found_name[1] in wish.symbols:
            makes.add(hit.path)
    total = max(len(paths), len(counts), 1)
    spread = Counter(term for one in counts.values() for term in one)
    scores = dict.fromkeys([*paths, *counts], 0.0)
    for path in scores:
        for term, number in counts.get(path, Counter()).items():
            scores[path] += _rarity(total, spread[term]) * (1 + math.log(number)) * (2 if term in wish.symbols else 1)
        scores[path] += _rarity(total, 1) * _OLD_VALUE * (path in with_old_value)
        scores[path] += _rarity(total, 1) * _HOME * (path in makes)
        inside = set(stems(path.rpartition(".")[0] or path))
        scores[path] += sum(_rarity(total, 1) * 1.5 for term in looked_for if _is_in(term.lower(), inside))
        if _stem(path).lower() in wish.spoken:  # "the report", "in the router"
            scores[path] += _rarity(total, 1) * 2
        if is_test(path) and "test" not in wish.text.lower():
            scores[path] *= 0.5
        if is_prose(path):
            scores[path] *= 0.6
    homes: dict[str, list[str]] = {}
    for path in scores:
        homes.setdefault(_stem(path), []).extend([] if is_test(path) else [path])
    for path, score in list(scores.items()):  # what a test is about is done in the file that it tests
        for tested in homes.get(_stem(path).removeprefix("test_").removesuffix("_test"), ()) if is_test(path) else ():
            scores[tested] = max(scores[tested], score)
    return sorted(((path, score) for path, score in scores.items() if score > 0), key=lambda one: (-one[1], one[0]))


def _has_old_value(wish: Wish, line: str) -> bool:
    """Whether a line of code has a number that is to be replaced."""
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.]*\w)", line) for one in wish.old_values)


def _stem(path: str) -> str:
    """The name of a file, without folders and endings."""
    return path.rpartition("/")[2].partition(".")[0]


def weigh(wish: Wish, texts: Mapping[str, str]) -> dict[str, float]:
    """How much each text has to do with a request."""
    looked_for = terms(wish)
    counts = {key: {term: mentions(term, text) for term in looked_for} for key, text in texts.items()}
    spread = {term: sum(bool(one[term]) for one in counts.values()) for term in looked_for}
    weights: dict[str, float] = {}
    for key, text in texts.items():
        found = {term: number for term, number in counts[key].items() if number}
        weights[key] = sum(_rarity(len(texts), spread[term]) * (1 + math.log(found[term])) for term in found)
        if wish.old_values and any(
            _has_old_value(wish, line) and any(mentions(term, line) for term in found) for line in text.split("\n")
        ):
            weights[key] += _OLD_VALUE
    return weights


def _is_in(term: str, stems_of_path: set[str]) -> bool:
    return term in stems_of_path or (len(term) >= _TELLING and any(one.startswith(term) for one in stems_of_path))


def _rarity(total: int, holders: int) -> float:
    return math.log(1 + (total - holders + 0.5) / (holders + 0.5))
