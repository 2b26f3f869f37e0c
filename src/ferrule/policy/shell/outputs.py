"""What a few harmless commands print, so that `$(echo rm)` or `echo … | base64 -d | sh` is no disguise."""

import binascii
from collections.abc import Callable

import msgspec

from ferrule.core.regex import lazy
from ferrule.policy.command import Nested, Word
from ferrule.policy.shell.ansi import unescaped
from ferrule.policy.shell.scope import NUMBER, UNKNOWN, Held

_LONGEST = 10_000
_MOST_LINES = 16
_COUNTING = frozenset({"wc", "nproc", "date", "expr", "seq"})
_DIRECTIVE = lazy(r"%(?:(%)|(-?\d{0,3})([sbdicx]))")


_LISTING = frozenset({"find", "git", "rg", "grep", "fd", "ls"})
_FILTERING = frozenset({"sort", "uniq", "head", "tail", "grep", "tac"})
_NAMES_ONLY = {
    "rg": frozenset({"-l", "--files", "--files-with-matches", "--files-without-match"}),
    "grep": frozenset({"-l", "-rl", "-Rl", "-lr", "-lR", "-ril", "-rli", "-L", "-rL", "-rlE", "-rlF", "-rln", "-rlw"}),
    "git": frozenset({"ls-files"}),
}
"""What makes a program print names of files and nothing else."""
_FIND_OUTPUT = lazy(r"-(?:printf|fprint0?|fprintf|fls|ls|exec|execdir|ok|okdir|delete|files0-from)")


def printed(words: tuple[str | None, ...], given: Held | None) -> Held:
    """What a command prints, given its words and its input; UNKNOWN for nearly all of them."""
    name = words[0] if words else None
    if name in _COUNTING:
        return NUMBER
    if name in _LISTING and (found := _listed(words)):
        return Held(below=found)
    if given is not None and given.below and name in _FILTERING and _only_filters(words):
        return given
    return _made(words, given.text if given else None)


def _made(words: tuple[str | None, ...], given: str | None) -> Held:
    name = words[0] if words else None
    maker = _MAKERS.get(name or "")
    if maker is None or any(word is None for word in words):
        return UNKNOWN
    if given is not None and len(given) > _LONGEST:
        return UNKNOWN
    text = maker([word for word in words[1:] if word is not None], given)
    return UNKNOWN if text is None or len(text) > _LONGEST else Held(text=text)


def _listed(words: tuple[str | None, ...]) -> tuple[str, ...]:
    """The places from which a command prints the names of files; none if it prints anything else."""
    name, rest = words[0], words[1:]
    if any(word is None for word in rest):
        return ()
    options = [word for word in rest if word and word.startswith("-")]
    if name == "find":
        ends = next((place for place, word in enumerate(rest) if word and word[0] in "-(!"), len(rest))
        other = any(word not in {"-print", "-print0"} and _FIND_OUTPUT.fullmatch(word) for word in options)
        return () if other else tuple(word for word in rest[:ends] if word) or (".",)
    if name == "ls":
        return () if any(set(word) - set("-1aArtSF") for word in options) else _places(rest)
    if name in _NAMES_ONLY and _NAMES_ONLY[name].isdisjoint(word or "" for word in rest):
        return ()
    if name == "git":
        known = {"-z", "-c", "-m", "-o", "-d", "--", "--cached", "--modified", "--others", "--exclude-standard"}
        return (".",) if rest[0] == "ls-files" and known.issuperset(options) else ()
    return _places(rest)


def _places(words: tuple[str | None, ...]) -> tuple[str, ...]:
    """Every word that could be a place; a pattern among them does no harm."""
    return (".", *(word for word in words if word and not word.startswith("-")))


def _only_filters(words: tuple[str | None, ...]) -> bool:
    """Whether a command prints some of the lines that it is given, as they are."""
    operands = [word for word in words[1:] if word is None or not word.startswith("-")]
    if words[0] == "grep":
        return len(operands) == 1 and all(
            word in {"-v", "-E", "-i", "-F", "-w", "-e"} for word in words[1:] if word != operands[0]
        )
    return all(word is not None and word.isdecimal() for word in operands) and "-c" not in words


def _echo(words: list[str], _given: str | None) -> str | None:
    newline, escapes = "\n", False
    while words and words[0].startswith("-") and words[0][1:] and set(words[0][1:]) <= set("neE"):
        option = words.pop(0)
        newline = "" if "n" in option else newline
        escapes = "e" in option or escapes
    text = " ".join(words)
    return (unescaped(text) if escapes else text) + newline


def _printf(words: list[str], _given: str | None) -> str | None:
    if words[:1] == ["--"]:
        words.pop(0)
    if not words or words[0].startswith("-"):
        return None
    layout, values = words[0], words[1:]
    places = sum(1 for found in _DIRECTIVE.finditer(layout) if not found[1])
    if "%" in _DIRECTIVE.sub("", layout) or (values and not places):
        return None
    made = ""
    while True:
        taken, values = values[:places], values[places:]
        made += _laid_out(unescaped(layout), taken)
        if not values or len(made) > _LONGEST:
            return made


def _laid_out(layout: str, values: list[str]) -> str:
    left = iter(values)

    def put(directive: str, width: str) -> str:
        value = next(left, "")
        value = unescaped(value) if directive == "b" else value
        value = value[:1] if directive == "c" else value
        return value.ljust(-int(width)) if width.startswith("-") and width[1:] else value.rjust(int(width or "0"))

    return _DIRECTIVE.sub(lambda found: "%" if found[1] else put(found[3], found[2].rstrip("-")), layout)


def _cat(words: list[str], given: str | None) -> str | None:
    return given if words in ([], ["-"]) else None


def _base64(words: list[str], given: str | None) -> str | None:
    if (
        given is None
        or not words
        or any(word not in {"-d", "-D", "--decode", "-i", "-di", "-id", "-"} for word in words)
    ):
        return None
    return _decoded(lambda: binascii.a2b_base64("".join(given.split())))


def _xxd(words: list[str], given: str | None) -> str | None:
    if given is None or "".join(sorted("".join(words).replace("-", ""))) not in {"pr", "prs", "r"}:
        return None
    return _decoded(lambda: binascii.unhexlify("".join(given.split())))


def _decoded(decode: Callable[[], bytes]) -> str | None:
    try:
        return decode().decode(errors="surrogateescape")
    except (ValueError, binascii.Error):
        return None


def _rev(words: list[str], given: str | None) -> str | None:
    if words or given is None:
        return None
    return "".join(line[::-1] + "\n" for line in given.removesuffix("\n").split("\n"))


def _tr(words: list[str], given: str | None) -> str | None:
    """Translate plain characters, ranges of letters, and what is to be deleted."""
    if given is None:
        return None
    if len(words) == 2 and words[0] == "-d":
        gone = _range(words[1])
        return None if gone is None else "".join(character for character in given if character not in gone)
    if len(words) != 2 or words[0].startswith("-"):
        return None
    old, new = _range(words[0]), _range(words[1])
    if not old or not new:
        return None
    return given.translate(dict(zip(map(ord, old), new.ljust(len(old), new[-1]), strict=False)))


def _range(text: str) -> str | None:
    """The characters of `a-zA-Z`; None for classes and escapes, which are not followed here."""
    if "[" in text or "\\" in text:
        return None
    made, place = "", 0
    while place < len(text):
        if (
            text[place + 1 : place + 2] == "-"
            and place + 2 < len(text)
            and ord(text[place]) < 128 > ord(text[place + 2])
        ):
            made += "".join(map(chr, range(ord(text[place]), ord(text[place + 2]) + 1)))
            place += 3
        else:
            made += text[place]
            place += 1
    return made


def filled(nested: Nested, given: Held | None) -> list[tuple[Word, ...]]:
    """The words that `xargs` and the like run, with what they are given put in where it is known."""
    given = given or UNKNOWN
    lines = [line for line in given.text.split("\n") if line.strip()] if given.text is not None else []
    plain = bool(lines) and len(lines) <= _MOST_LINES and not set(given.text or "") & set("\"'\\\0")
    if nested.more:
        more = tuple(Word(word, word) for line in lines for word in line.split()) if plain else ()
        return [(*nested.words, *(more or (Word("…", many=True, below=given.below),)))]
    if not plain or not any(_is_hole(word) for word in nested.words):
        return [tuple(_below(word, given) for word in nested.words)]
    return [tuple(_put(word, line.strip()) for word in nested.words) for line in lines]


def _below(word: Word, given: Held) -> Word:
    """A bare hole becomes one of the names that are given, wherever those lie."""
    return msgspec.structs.replace(word, below=given.below) if word.raw == "{}" and _is_hole(word) else word


def _is_hole(word: Word) -> bool:
    return word.text is None and "{}" in word.raw and not set(word.raw) & set("$`\"'\\")


def _put(word: Word, line: str) -> Word:
    return Word(word.raw, word.raw.replace("{}", line)) if _is_hole(word) else word


_MAKERS: dict[str, Callable[[list[str], str | None], str | None]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "base64": _base64,
    "xxd": _xxd,
    "rev": _rev,
    "tr": _tr,
}
