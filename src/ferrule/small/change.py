"""A change, made with a small model: what may have to change is shown, what it writes is put in place and checked."""

from collections.abc import Generator, Sequence
from typing import Any

from ferrule.small.blocks import blocks_of
from ferrule.small.checks import Check, check_for, frames, imported
from ferrule.small.examples import example_check
from ferrule.small.merge import UnusableError, merged
from ferrule.small.moves import Done, Errand, Move, Say, hear, use
from ferrule.small.names import defines, signatures, with_imports
from ferrule.small.place import call_for
from ferrule.small.prompts import CHANGE, NEW, PARTS, STUB, WHOLE, language_of, listing, shown_file, tokens
from ferrule.small.rank import is_test, named
from ferrule.small.reply import Reply, Written, mentioned, read_reply
from ferrule.small.work import Work, cut

_WARMTHS = (0.0, 0.2, 0.6, 0.9)
"""How freely the model picks its words, from try to try."""
_SECONDS = 60
_MOST_SAID, _MOST_NEW = 300, 900
_NEAR = 3
"""How many files are read for what a new one may have to use."""
_LONGEST_REQUEST = 6_000
"""Characters; what is longer holds somebody's output."""
_NOTHING = "Nothing would change: the files are as they were. Make the change that was asked for."
_WHICH = "Say which file it is: write its path on the line before the block."
_NO_FILE = "You wrote no file. Write the whole new content of the file in a fenced block under its path."
_UNFINISHED = "The last file was cut off. Write less: only what changes."
_UNSEEN = "{path} cannot be read whole, so it may not be replaced."
_AGAIN = "{problem}\n\nWrite the corrected file again, whole."


def change(work: Work) -> Errand:
    """Let the model write, put it in place, check it, and show it what failed; a few times at most."""
    checks = yield from _find_checks(work, _candidates(work))
    failures, checks = yield from _first_run(checks)
    targets = yield from _targets(work, failures)
    if unseen := [path for path in named(work.wish, work.paths) if not targets and path not in work.texts]:
        return Done(f"Nothing was changed. {_UNSEEN.format(path=unseen[0])}")
    task = _task(work, targets, failures)
    turns: list[tuple[Any, str]] = [*work.told, ("user", task)]
    reply, problem = Reply(prose=""), ""
    for warmth in _WARMTHS[: work.profile.tries]:
        answer = yield from hear(
            Say(
                system=CHANGE,
                turns=tuple(turns),
                warmth=warmth,
                one_file=len({*targets, *_new_files(work)}) == 1,
                most=_longest(work, targets),
                shown="thinking",
            )
        )
        reply = read_reply(answer.text)
        if answer.is_cut and reply.written and not reply.written[-1].closed:
            problem = _UNFINISHED
        elif all(one.is_shell for one in reply.written):
            problem = _NO_FILE
        else:
            problem = yield from _put_in_place(work, reply, targets)
        if not problem:
            problem = "\n\n".join((yield from _run(checks)))
        if not problem or work.refused:
            break
        turns = [*work.told, ("user", task), ("assistant", answer.text), ("user", _AGAIN.format(problem=problem))]
    return Done(_summary(work, reply, checks, problem))


def _candidates(work: Work, blamed: Sequence[str] = ()) -> list[str]:
    """The files that may have to change, the likeliest first; none where the request is for a new one."""
    wants_tests = "test" in work.wish.text.lower() and not work.wish.trouble
    by_name = [path for path in named(work.wish, work.paths) if wants_tests or not is_test(path)]
    others = [path for path in work.order if path not in by_name and (wants_tests or not is_test(path))]
    if by_name:
        return list(dict.fromkeys([*by_name, *blamed[:2]]))
    return [] if _new_files(work) else list(dict.fromkeys([*blamed, *others]))


def _new_files(work: Work) -> list[str]:
    """The files that the request names and that are not there yet."""
    known = {path.rpartition("/")[2] for path in work.paths}
    names = [name for name in work.wish.files if "." in name and name not in work.wish.quoted_files]
    return [name for name in names if name not in work.paths and name.rpartition("/")[2] not in known]


def _find_checks(work: Work, candidates: Sequence[str]) -> Generator[Move, Any, list[Check]]:
    """What can tell whether the change works: the request's own examples, and the tests."""
    tests = [path for path in work.paths if is_test(path)]
    yield from work.read([*candidates[: work.profile.candidates], *named(work.wish, tests)[:1]])
    target = next(iter([*candidates, *_new_files(work)]), "")
    check = check_for(work.wish, work.paths, work.texts, target=target)
    if check and check.path and check.path not in work.texts:
        yield from work.read([check.path])
        check = check_for(work.wish, work.paths, work.texts, target=target)
    homes = {block.name: path for path, text in work.texts.items() for block in blocks_of(path, text) if block.name}
    for path in _new_files(work):
        homes |= {symbol: path for symbol in work.wish.symbols if symbol not in homes}
    return [one for one in (example_check(work.wish.text, homes), check) if one]


def _first_run(checks: Sequence[Check]) -> Generator[Move, Any, tuple[list[tuple[Check, str]], list[Check]]]:
    """What the checks say now, and which of them can be run at all."""
    if not checks:
        return [], []
    results = yield from use(*(("bash", {"command": one.command, "timeout": _SECONDS}) for one in checks))
    failures: list[tuple[Check, str]] = []
    usable: list[Check] = []
    for check, result in zip(checks, results, strict=True):
        verdict = check.verdict(result.text)
        if verdict is None or (result.is_error and not verdict):
            continue  # it may not be run, or cannot
        usable.append(check)
        if verdict:
            failures.append((check, result.text))
    return failures, usable


def _run(checks: Sequence[Check]) -> Generator[Move, Any, list[str]]:
    """What is wrong according to the checks, in words for the model."""
    if not checks:
        return []
    results = yield from use(*(("bash", {"command": one.command, "timeout": _SECONDS}) for one in checks))
    verdicts = [check.verdict(result.text) for check, result in zip(checks, results, strict=True)]
    return [f"The check fails:\n```\n{one}\n```" for one in verdicts if one]


def _targets(work: Work, failures: Sequence[tuple[Check, str]]) -> Generator[Move, Any, list[str]]:
    """Read what may have to change, and give as many of the files as may be shown; the first one in any case."""
    output = "\n".join(text for _, text in failures)
    blamed = [path for frame in frames(output) for path in work.paths if frame == path or frame.endswith(f"/{path}")]
    tests = [one.path for one, _ in failures if one.path]
    if not any(not is_test(path) for path in blamed):
        blamed += [path for test in tests for path in imported(test, work.texts.get(test, ""), work.paths)]
    candidates = _candidates(work, [path for path in dict.fromkeys(blamed) if not is_test(path)])
    yield from work.read(candidates[: work.profile.candidates])
    if not candidates or _new_files(work):
        yield from work.read([path for path in work.order if not is_test(path)][:_NEAR])
    room, kept = work.profile.candidate_tokens, list[str]()
    by_name = set(named(work.wish, work.paths))
    for path in (one for one in candidates[: work.profile.candidates] if one in work.texts):
        cost = tokens(work.texts.get(path, ""))
        if not kept or path in by_name or cost <= room:
            kept.append(path)
            room -= cost
    return kept


def _task(work: Work, targets: Sequence[str], failures: Sequence[tuple[Check, str]]) -> str:
    """Everything that the model needs for a change, in one message."""
    room = work.profile.change_tokens
    parts: list[str] = []
    for path in targets:
        text = work.texts.get(path, "")
        if tokens(text) <= room:
            parts.append(shown_file(path, text))
            room -= tokens(text)
        else:
            parts += work.excerpts([path], room // 2)
    if not targets or _new_files(work):
        near = [path for path in work.order if not is_test(path) and path not in targets][:_NEAR]
        parts = [listing(work.paths), *parts, *work.excerpts(near, work.profile.candidate_tokens, only_named=True)]
    for check, output in failures:
        test = work.texts.get(check.path, "") if check.path else ""
        if test and tokens(test) <= room // 2:
            parts.append(shown_file(check.path, test))
        parts.append(f"A check fails now:\n```\n{check.verdict(output)}\n```")
    path = next(iter([*_new_files(work), *targets]), "path/to/file.py")
    words = NEW if path not in work.paths else PARTS if _are_long(work, targets) else WHOLE
    if words == NEW and path.endswith(".py") and (stubs := signatures(work.wish.text, _known(work))):
        body = "\n\n".join(f"def {one}:\n    ..." for one in stubs.values())
        parts.append(f"{STUB}\n\n{shown_file(path, body)}")
    form = words.format(path=path, language=language_of(path))
    return "\n\n".join([*parts, f"Request: {cut(work.wish.text, _LONGEST_REQUEST)}", form])


def _known(work: Work) -> set[str]:
    """What the files that were read define."""
    return {block.name.rpartition(".")[2] for path, text in work.texts.items() for block in blocks_of(path, text)}


def _longest(work: Work, targets: Sequence[str]) -> int:
    """How long an answer may get that writes all of the files."""
    return (
        _MOST_SAID + 2 * sum(tokens(work.texts.get(path, "")) for path in targets) + _MOST_NEW * bool(_new_files(work))
    )


def _are_long(work: Work, targets: Sequence[str]) -> bool:
    """Whether the files are too long to be written whole."""
    return sum(tokens(work.texts.get(path, "")) for path in targets) > work.profile.whole_file_tokens


def _put_in_place(work: Work, reply: Reply, targets: Sequence[str]) -> Generator[Move, Any, str]:
    """Write the files of a reply; gives what is wrong with them, in words for the model."""
    meant = [_path_for(work, one, reply, targets) for one in reply.written if not one.is_shell]
    yield from work.look_at([path for path in meant if path])
    try:
        contents = _contents(work, reply, targets)
    except UnusableError as error:
        return str(error)
    if not contents:
        return "" if work.changed else _NOTHING
    results = yield from use(*(call_for(path, work.texts.get(path), text) for path, text in contents.items()))
    for (path, text), result in zip(contents.items(), results, strict=True):
        if result.is_error:  # whoever said no will not be asked again, and nothing that it writes mends a disk
            work.refused = result.text
            return result.text
        work.texts[path] = text
        work.changed.append(path)
    return ""


def _contents(work: Work, reply: Reply, targets: Sequence[str]) -> dict[str, str]:
    """What the files are to hold, as far as it differs from what they hold.

    Raises:
        UnusableError: something that was written is no such file.
    """
    contents: dict[str, str] = {}
    may_change_tests = not work.wish.trouble and "test" in work.wish.text.lower()
    for one in reply.written:
        if one.is_shell:
            continue
        path = _path_for(work, one, reply, targets)
        if not path:
            raise UnusableError(_WHICH)
        if is_test(path) and path in work.paths and not may_change_tests:
            continue
        if path in work.paths and path not in work.texts:
            raise UnusableError(_UNSEEN.format(path=path))
        text = merged(path, contents.get(path, work.texts.get(path)), one.text)
        contents[path] = with_imports(path, text, work.texts | contents) if path.endswith(".py") else text
        if path in _new_files(work) and path.endswith(".py"):
            wanted = signatures(work.wish.text, _known(work))
            if missing := [name for name in wanted if not defines(text, name)]:
                raise UnusableError(f"{path} must define {' and '.join(missing)}, as the request says.")
    return {path: text for path, text in contents.items() if text != work.texts.get(path)}


def _path_for(work: Work, written: Written, reply: Reply, targets: Sequence[str]) -> str:
    """The file that a block is meant to be."""
    given, new = written.path, _new_files(work)
    if given and (given in work.paths or given in work.wish.files):
        return given
    if given:
        name = given.rpartition("/")[2]
        same = [path for path in (*targets, *new, *work.paths) if path.rpartition("/")[2] == name]
        return same[0] if same else given
    meant = [path for path in mentioned(reply.prose) if path in work.paths or path in new]
    return next(iter([*meant, *new, *targets]), "")


def _summary(work: Work, reply: Reply, checks: Sequence[Check], problem: str) -> str:
    """What was done, in a few words, without asking the model again."""
    files = list(dict.fromkeys(work.changed))
    what = f"Changed {', '.join(files)}." if files else "Nothing was changed."
    if problem == _NO_FILE and not files:
        return reply.prose or "Nothing was changed: the model wrote no file."
    if work.refused:
        what += f" {work.refused}"
    elif problem:
        what += f" It does not work yet. {problem}"
    elif checks and files:
        what += f" Checked: {' and '.join(f'`{one.command}`' for one in checks)}."
    return "\n\n".join(filter(None, [reply.prose.split("\n\n")[0].strip(), what]))
