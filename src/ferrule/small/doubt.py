"""Where a model doubts a line: a small model copies a mistake, and yet it found what is right nearly as likely.

It is made to write the code as it stands, and its server says what else it could have written at each piece. Of all
that one small slip could have made of these lines, that which it found likeliest is what was meant, far more often
than what it writes when it is asked to.
"""

import os.path
import re
from collections.abc import Callable, Generator, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from ferrule.small.checking import run
from ferrule.small.checks.check import Check, blamed_lines
from ferrule.small.code.blocks import Block, blocks_of, is_stub, lines_of
from ferrule.small.code.names import out_of_reach, unknown_names
from ferrule.small.focus import focus
from ferrule.small.likelihood import NEVER, likelihood
from ferrule.small.mending import has_judge, has_tests, restore, settle, try_out
from ferrule.small.mends.possible import possible
from ferrule.small.mends.slips import Trial
from ferrule.small.moves import Copy, Move, copied
from ferrule.small.prompts import CHANGE, excerpt, tokens
from ferrule.small.task import Failure, rewriting
from ferrule.small.words.rank import is_code, is_test, named
from ferrule.small.words.wish import Wish
from ferrule.small.work import Work

Doubt = tuple[float, Trial]
"""A line that could be meant, and how much likelier the model finds it than what is there."""
Again = Callable[[], Generator[Move, Any, list[Doubt]]]
_DATA = (".json", ".csv", ".toml")
_COMPLAINS = re.compile(
    r"\b(?:instead of|but (?:it|that|they) (?:should|ought)|should(?:n't| not)? (?:be|say|give|return|show|start|work"
    r"|accept|stay|count|only|also|still|come|cost|make)|always|one too (?:many|few|small|large|high|low|early|late)"
    r"|(?:prints?|says?|gives?|shows?|returns?) [^.\n]{1,60}, (?:but|although)|but there (?:is|are)"
    r"|(?:returns?|gives?|gave|is|says?|prints?) None|: None"
    r"|does(?:n't| not) (?:notice|know|work|accept|count|find|see|show|recognise|recognize))\b"
)
"""How people speak of what is wrong without calling it so."""
_IS_WRONG = re.compile(
    r"\b(?:fix(?:es|ed)?|bugs?|buggy|broken|fail(?:s|ed|ing|ure)?|wrong(?:ly)?|mistakes?|crash(?:es|ed)?|repair|mend"
    r"|incorrect(?:ly)?|(?<!raise an )(?<!raise a )(?<!raise )(?<!raises )(?<!raises a )[A-Z]\w*Error|NaN|undefined)\b"
)
"""How they call it."""
_WANTS_MORE = re.compile(
    r"\b(?:parameters?|options?|arguments?|flags?|defaults?|add|adds|support|rename|create|write|new|allow)\b",
    re.IGNORECASE,
)
"""How people ask for something that is not there."""
_SURE, _SHOWN, _PERHAPS = -2.2, -1.0, -7.0
"""From where on a model is believed that it would rather have another line: without more, where that gives what an
example shows, and where nothing else helped or something ends badly without it."""
_TELLS_WHAT = re.compile(
    r"\b(?:Key|Name|Attribute|Import|ModuleNotFound|UnboundLocal)Error\b|not enough values to unpack"
    r"|\b(?:ReferenceError|is not a function|is not defined|undefined|command not found|unbound variable)\b"
)
"""Errors that say which word of a line is wrong."""
_LONGEST, _MOST_COPIED = 500, 1_000
"""Tokens that are copied of a file, and of all of them: each takes as long as one that is written."""
_MOST_FILES, _MOST_READ, _MOST_DATA, _MOST_TRIED = 2, 8, 2, 24
_END = "\n```"
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Signs that no grammar has a word for; a server that refuses them could copy all the same."""
_NAMED, _SWAPPED, _SAME = 2.0, 2.0, 0.01
"""What it is worth that a request names a function, and that just another name stands there; what is no difference."""
_MOST_ALIKE, _ALIKE = 12, 0.65
_WORDS = re.compile(r"-[a-z]{2}\b|[\w.\"']+|[^\w\s.\"']")
_NAME = re.compile(r"[a-z_]\w*")


def mend_doubted(
    work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, bool]:
    """Put right the one line that the model doubts most, if it does, or that of them which makes the checks pass.

    It is looked for in a file, and in the one that has most to do with the request besides.
    """
    if not failures and not complains(work.wish):
        return False
    is_known = _names_its_place(work, path)
    likely = [one for one in [path, *([] if is_known else work.order)] if is_code(one) and not is_test(one)]
    paths = list(dict.fromkeys(likely))[:_MOST_FILES]
    code = [one for one in work.paths if is_code(one) and not is_test(one)]
    data = [one for one in work.paths if one.endswith(_DATA)]
    yield from work.read([*paths, *code[:_MOST_READ], *data[:_MOST_DATA]])
    room = _MOST_COPIED
    for one in [one for one in paths if not is_stub(one, work.texts.get(one, ""))]:
        for is_rest in (False, True):
            blocks = _blocks(work, one, failures, is_rest=is_rest)
            length = tokens(_shown(lines_of(work.texts.get(one, "")), blocks))
            if blocks and length <= min(_LONGEST, room):
                room -= length
                again = partial(_doubts, work, one, blocks, failures, is_rest=is_rest)
                found = yield from again()
                if failures and (yield from _put_right(work, one, found, failures, checks)):
                    return True
                if not failures and (yield from _take_over(work, one, found, again, checks)):
                    return True
    return False


def _names_its_place(work: Work, path: str) -> bool:
    """Whether a request says where to look: by the name of a file, or of a function in it."""
    asked = {part for name in work.wish.symbols for part in name.split(".")}
    defined = {block.name.rpartition(".")[2] for block in blocks_of(path, work.texts.get(path, ""))}
    return path in named(work.wish, work.paths) or bool(asked & defined)


def complains(wish: Wish) -> bool:
    """Whether a request says that something is wrong, and not that something is missing."""
    is_wrong = wish.trouble or _COMPLAINS.search(wish.text)
    return bool(_IS_WRONG.search(wish.text) or (is_wrong and not _WANTS_MORE.search(wish.text)))


def rather_than_nothing(work: Work, checks: Sequence[Check], problem: str) -> Generator[Move, Any, str]:
    """Take over what a model doubts a little, where it changed nothing when it was asked to; gives what is wrong."""
    if not work.doubted or work.changed or work.refused:
        return problem
    _, path, text = work.doubted
    was = work.texts[path]
    yield from restore(work, path, text)
    if work.texts[path] == was:
        return problem
    work.changed.append(path)
    return (yield from run([one for one in checks if not one.is_new]))


def _blocks(work: Work, path: str, failures: Sequence[Failure], *, is_rest: bool) -> list[Block]:
    """The part of a file that a request is about most likely, or the rest of it."""
    text, outputs = work.texts.get(path, ""), [output for _, output in failures]
    everything = [Block(first=1, last=len(lines_of(text)))]
    near = focus(work, path, text, outputs, narrow=True)
    if not is_rest:
        return near or everything
    wide = focus(work, path, text, outputs, narrow=False) or blocks_of(path, text)
    seen = {row for one in near or everything for row in range(one.first, one.last + 1)}
    return [one for one in wide if seen.isdisjoint(range(one.first, one.last + 1))]


def _put_right(
    work: Work, path: str, found: Sequence[Doubt], failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, bool]:
    """Take over what makes the checks pass, of what the model finds likely: how likely it must be is up to them."""
    text = work.texts[path]
    outputs = [output for _, output in failures]
    if not has_judge(failures) and not any(map(_TELLS_WHAT.search, outputs)):
        return False  # there are many ways around an error
    least = NEVER if has_tests(failures) else _SHOWN if has_judge(failures) else _PERHAPS
    ends = {number - 1 for output in outputs for frame, number in blamed_lines(output)[-1:] if frame.endswith(path)}
    places = None if has_judge(failures) else ends
    trials = [one for likely, one in found if likely > least and (places is None or one.at in places)][:_MOST_TRIED]
    return (yield from try_out(work, path, failures, checks, text=text, trials=trials, is_sure=True))


def _take_over(
    work: Work, path: str, found: Sequence[Doubt], again: Again, checks: Sequence[Check]
) -> Generator[Move, Any, bool]:
    """Take over what the model finds likeliest, if it does; and once more where it doubts a second line."""
    if not found:
        return False
    text, (likely, best) = work.texts[path], found[0]
    right = "\n".join(_with(text.split("\n"), best))
    if likely < _SURE:
        if likely > (work.doubted[0] if work.doubted else _PERHAPS):
            work.doubted = likely, path, right
        return False
    lines = text.split("\n")
    twins = [one for other, one in found if one.at != best.at and (other >= 0 or _are_alike(lines, one, best))]
    if "\n" not in best.line and twins:
        work.texts[path] = right
        further = (yield from again())[:1]
        work.texts[path] = text
        for other, one in further:
            if one.at != best.at and other >= (_SURE if _are_alike(lines, one, best) else 0):
                right = "\n".join(_with(right.split("\n"), one))
    return (yield from settle(work, path, right, checks))


def _doubts(
    work: Work, path: str, blocks: Sequence[Block], failures: Sequence[Failure], *, is_rest: bool
) -> Generator[Move, Any, list[Doubt]]:
    """What a file could say instead in one place, what the model finds likeliest first."""
    text, outputs = work.texts.get(path, ""), [output for _, output in failures]
    lines = lines_of(text)
    trials = possible(path, text, blocks, [*outputs, work.wish.text], work.texts)
    trials = [one for one in trials if not path.endswith(".py") or _knows_its_names(text, lines, one)]
    if not trials or _UNWRITABLE.search(text):
        return []
    task = rewriting(work, path, text, failures, narrow=not is_rest)
    turns = (*work.told, ("user", task.text))
    written = f"\n{_shown(lines, blocks)}{_END}"
    pieces = yield from copied(Copy(system=CHANGE, turns=turns, begun=task.begun.rstrip(), text=written))
    if not pieces:
        return []
    asked = [one for one in blocks if one.name.rpartition(".")[2] in work.wish.symbols]
    texts = {one: f"\n{_shown(_with(lines, one), blocks)}{_END}" for one in trials}
    weights = {
        one: likelihood(pieces, texts[one]) - _SWAPPED * _is_another_name(lines[one.at], one.line) for one in trials
    }
    worth = {
        one: weights[one] + _NAMED * any(block.first <= one.at + 1 <= block.last for block in asked) for one in trials
    }
    found = sorted(trials, key=lambda one: (-worth[one], abs(len(one.line) - len(lines[one.at]))))
    best = [one for one in found if worth[found[0]] - worth[one] < _SAME][:_MOST_ALIKE]
    if len(best) > 1:  # they begin alike: which of them goes on as it would?
        likeliest = yield from _likeliest(turns, task.begun.rstrip(), [texts[one] for one in best])
        found.sort(key=lambda one: texts[one] != likeliest)
    return [(weights[one], one) for one in found]


def _knows_its_names(text: str, lines: Sequence[str], trial: Trial) -> bool:
    """Whether a line has no names in it that nobody defines there, or only such as were there before."""
    if set(_NAME.findall(trial.line)) <= set(_NAME.findall(lines[trial.at])):
        return True
    right = "\n".join(_with(text.split("\n"), trial))
    return unknown_names(right) <= unknown_names(text) and out_of_reach(right).keys() <= out_of_reach(text).keys()


def _are_alike(lines: Sequence[str], one: Trial, other: Trial) -> bool:
    """Whether two lines that could be meant are as good as the same, as loops over rows and columns are."""
    return SequenceMatcher(None, lines[one.at].strip(), lines[other.at].strip()).ratio() >= _ALIKE


def _likeliest(turns: Any, begun: str, texts: Sequence[str]) -> Generator[Move, Any, str]:
    """Of texts that begin alike, the one that a model would rather go on with."""
    shared = os.path.commonprefix(texts).rstrip()  # noqa: RUF071 - they are no paths
    rests = [text[len(shared) :].partition("\n\n")[0] for text in texts]
    pieces = yield from copied(Copy(system=CHANGE, turns=turns, begun=begun + shared, text=rests[0]))
    chances = [0.0, *(likelihood(pieces, one) for one in rests[1:])] if pieces else [0.0]
    return texts[chances.index(max(chances))]


def _is_another_name(line: str, other: str) -> bool:
    """Whether all that differs is which of the names at hand stands in one place: seldom that is what was meant."""
    words, others = _WORDS.findall(line), _WORDS.findall(other)
    changed = [(one, two) for one, two in zip(words, others, strict=False) if one != two]
    return len(words) == len(others) and len(changed) == 1 and all(_NAME.fullmatch(one) for one in changed[0])


def _with(lines: Sequence[str], trial: Trial) -> list[str]:
    return [*lines[: trial.at], trial.line, *lines[trial.at + 1 :]]


def _shown(lines: Sequence[str], blocks: Sequence[Block]) -> str:
    return excerpt(lines, blocks, gap="").rstrip()
