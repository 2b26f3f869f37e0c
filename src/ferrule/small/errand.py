"""How a request is carried out with a small model: look first, let it write once, check, and show it what failed.

The model is never asked to choose a tool. Ferrule finds the files that matter (named in the request, or found by a
search for its words), shows them, takes prose or whole files back, puts them in place, runs the tests, and shows the
model what they say. Each step is a call of an ordinary tool, so that it is asked about, recorded and undone like any.
"""

from collections.abc import Generator, Sequence
from typing import Any

from ferrule.core.messages import Value
from ferrule.small import checks, examples
from ferrule.small.blocks import Block, blocks_of
from ferrule.small.merge import UnusableError, merged
from ferrule.small.moves import Done, Errand, Moves, Say, say, use
from ferrule.small.profile import Profile
from ferrule.small.prompts import ANSWER, CHANGE, FUNCTIONS, REPORT, RUN, listing, shown_file, tokens
from ferrule.small.rank import is_test, named, pattern, ranked, terms, weigh
from ferrule.small.reply import Reply, mentioned, read_reply
from ferrule.small.seen import hits, listed, text_read
from ferrule.small.wish import Wish, understand

_MOST_READ = 4
_WARMTHS = (0.0, 0.2, 0.6, 0.9)


class Earlier(Value, frozen=True, kw_only=True):
    """What was asked and answered before in the conversation."""

    request: str
    answer: str
    files: tuple[str, ...] = ()
    """What was changed on the way."""


class _Work:
    """What is known on the way."""

    def __init__(self, wish: Wish, profile: Profile, earlier: Sequence[Earlier]) -> None:
        self.wish, self.profile, self.earlier = wish, profile, earlier
        self.paths: list[str] = []
        self.order: list[str] = []
        """The files that the request may be about, the likeliest first."""
        self.texts: dict[str, str] = {}
        self.changed: list[str] = []


def errand(request: str, profile: Profile, earlier: Sequence[Earlier] = ()) -> Errand:
    """Carry a request out."""
    work = _Work(understand(request), profile, earlier)
    yield from _look_around(work)
    match work.wish.kind:
        case "question":
            return (yield from _answer(work))
        case "run":
            return (yield from _run(work))
        case "change":
            return (yield from _change(work))


def _look_around(work: _Work) -> Moves:
    """List the files and search for the request's words; then read what they point to."""
    looked_for = terms(work.wish)
    calls: list[tuple[str, dict[str, Any]]] = [("glob", {"pattern": "**/*"})]
    if looked_for:
        search = {"pattern": pattern(looked_for), "output_mode": "content", "-i": True, "head_limit": 400}
        calls.append(("grep", search))
    results = yield from use(*calls)
    work.paths = listed(results[0])
    found = hits(results[1]) if looked_for else []
    by_score = ranked(work.wish, work.paths, found)
    best = by_score[0][1] if by_score else 0
    recent = [path for one in reversed(work.earlier) for path in one.files if path in work.paths]
    follows_up = recent and not named(work.wish, [path for path in work.paths if not is_test(path)])
    likely = [path for path, score in by_score if score >= best / 6]
    work.order = list(dict.fromkeys([*named(work.wish, work.paths), *(recent if follows_up else []), *likely]))
    if not work.order:
        work.order = sorted(work.paths, key=lambda path: (path.count("/"), "readme" not in path.lower(), path))[:2]


def _read(work: _Work, paths: Sequence[str]) -> Moves:
    """Read files that were not read yet."""
    missing = [path for path in dict.fromkeys(paths) if path not in work.texts and path in work.paths]
    if missing:
        results = yield from use(*(("read", {"file_path": path}) for path in missing))
        for path, result in zip(missing, results, strict=True):
            if (text := text_read(result)) is not None:
                work.texts[path] = text


def _answer(work: _Work) -> Errand:
    """Show the model what the question is about, and let it answer."""
    if work.wish.trouble and (check := checks.check_for(work.wish, work.paths, work.texts)) and check.path:
        yield from _read(work, [check.path])
    yield from _read(work, work.order[:_MOST_READ])
    shown = _excerpts(work, work.profile.question_tokens)
    parts = [listing(work.paths), *shown, f"Question: {work.wish.text}"]
    yield from say(Say(system=ANSWER, turns=(*_told(work), ("user", "\n\n".join(parts)))))
    return Done()


def _excerpts(work: _Work, room: int) -> list[str]:
    """The blocks of the files that have most to do with the request, as many as there is room for."""
    pieces: dict[str, tuple[str, Block]] = {}
    for path in work.order:
        lines = work.texts.get(path, "").splitlines()
        for block in blocks_of(path, work.texts.get(path, "")):
            pieces[f"{path}:{block.first}\n" + "\n".join(lines[block.first - 1 : block.last])] = (path, block)
    weights = weigh(work.wish, {key: key for key in pieces})
    wanted = {name.rpartition(".")[2] for name in work.wish.symbols}
    for key, (path, block) in pieces.items():
        weights[key] += 4 if block.name.rpartition(".")[2] in wanted else 0
        weights[key] += 1.5 if path in named(work.wish, [path]) else 0
        weights[key] += 1 / (1 + work.order.index(path))
        weights[key] *= 0.5 if is_test(path) else 1
    chosen: dict[str, list[Block]] = {}
    for key in sorted(pieces, key=lambda key: -weights[key]):
        path, block = pieces[key]
        cost = tokens(key)
        if cost <= room:
            room -= cost
            chosen.setdefault(path, []).append(block)
    return [shown_file(path, work.texts[path], chosen[path]) for path in work.order if path in chosen]


def _run(work: _Work) -> Errand:
    """Run what the request asks for: the tests, or a command that the model writes; and say what came of it."""
    yield from _read(work, [path for path in work.paths if is_test(path)][:1])
    check = checks.check_for(work.wish, work.paths, work.texts)
    if check is None or "test" not in work.wish.text.lower():
        parts = [listing(work.paths), f"Request: {work.wish.text}"]
        reply = read_reply((yield from say(Say(system=RUN, turns=(("user", "\n\n".join(parts)),), shown="thinking"))))
        command = next((one.text.strip() for one in reply.written), "")
        if not command:
            return Done(reply.prose)
    else:
        command = check.command
    (result,) = yield from use(("bash", {"command": command}))
    told = f"{work.wish.text}\n\n$ {command}\n{_cut(result.text, 1500)}"
    yield from say(Say(system=REPORT, turns=(("user", told),)))
    return Done()


def _change(work: _Work) -> Errand:
    """Let the model write, put it in place, check it, and show it what failed; a few times at most."""
    targets = _targets(work)
    check, output = yield from _first_check(work, targets)
    if output:
        targets = _targets(work, _blamed(work, check, output))
    yield from _read(work, targets)
    targets = _fitting(work, targets)
    if not targets:
        yield from _read(work, [path for path in work.order if not is_test(path)][:2])
    turns: list[tuple[Any, str]] = [*_told(work), ("user", _task(work, targets, check, output))]
    system = FUNCTIONS if _is_long(work, targets) else CHANGE
    problem = ""
    for warmth in _WARMTHS[: work.profile.tries]:
        words = yield from say(Say(system=system, turns=tuple(turns), warmth=warmth, shown="thinking"))
        reply = read_reply(words)
        files = [one for one in reply.written if not one.is_shell]
        if not files:
            if problem == "":
                return Done(reply.prose or words)
            break
        problem = yield from _put_in_place(work, reply, targets)
        if not problem and check:
            problem = yield from _failing(check)
        if not problem:
            return Done(_summary(work, reply, check))
        turns += [("assistant", words), ("user", f"{problem}\n\nWrite the corrected file again, whole.")]
        turns = turns[:1] + turns[-2:] if len(turns) > 3 else turns  # the first and the last say all
    return Done(_summary(work, reply, check, problem))


def _blamed(work: _Work, check: checks.Check | None, output: str) -> list[str]:
    """The files that a failing check points to, the innermost first; else those that its tests import."""
    frames = checks.frames(output)
    found = [path for frame in frames for path in work.paths if frame == path or frame.endswith(f"/{path}")]
    found = [path for path in dict.fromkeys(found) if not is_test(path)]
    if found or not check or not check.path:
        return found
    return [one for one in checks.imported(check.path, work.texts.get(check.path, ""), work.paths) if not is_test(one)]


def _targets(work: _Work, blamed: Sequence[str] = ()) -> list[str]:
    """The files that may have to change, the likeliest first."""
    wants_tests = "test" in work.wish.text.lower() and not work.wish.trouble
    by_name = [path for path in named(work.wish, work.paths) if wants_tests or not is_test(path)]
    others = [path for path in work.order if path not in by_name and (wants_tests or not is_test(path))]
    if by_name:
        return list(dict.fromkeys([*by_name, *blamed[:2]]))
    if _new_files(work):
        return []
    return list(dict.fromkeys([*blamed, *others]))


def _fitting(work: _Work, targets: Sequence[str]) -> list[str]:
    """As many of the files as may be shown whole; the first one in any case."""
    room, kept = work.profile.candidate_tokens, list[str]()
    is_named = set(named(work.wish, work.paths))
    for path in targets[: work.profile.candidates]:
        cost = tokens(work.texts.get(path, ""))
        if not kept or path in is_named or cost <= room:
            kept.append(path)
            room -= cost
    return kept


def _new_files(work: _Work) -> list[str]:
    """The files that the request names and that are not there yet."""
    known = {path.rpartition("/")[2] for path in work.paths}
    return [
        name
        for name in work.wish.files
        if "." in name and name not in work.paths and name.rpartition("/")[2] not in known
    ]


def _first_check(work: _Work, targets: Sequence[str]) -> Generator[Any, Any, tuple[checks.Check | None, str]]:
    """Which check there is; where something is said not to work, what it says now."""
    tests = [path for path in work.paths if is_test(path)]
    yield from _read(work, [*targets[: work.profile.candidates], *named(work.wish, tests)[:1]])
    check = checks.check_for(work.wish, work.paths, work.texts, target=next(iter(targets), ""))
    if check and check.path:
        yield from _read(work, [check.path])
        check = checks.check_for(work.wish, work.paths, work.texts, target=next(iter(targets), ""))
    homes = {block.name: path for path in work.texts for block in blocks_of(path, work.texts[path]) if block.name}
    for name in _new_files(work):
        homes |= {symbol: name for symbol in work.wish.symbols if symbol not in homes}
    if command := examples.check_command(work.wish.text, homes):
        check = checks.Check(
            command=f"{command} && {check.command}" if check else command, path=check.path if check else ""
        )
    if check is None:
        return None, ""
    (result,) = yield from use(("bash", {"command": check.command, "timeout": 60}))
    verdict = checks.passed(result.text)
    if result.is_error and verdict is not False:
        return None, ""  # it may not run, or cannot
    if verdict is None:
        return None, ""
    return check, "" if verdict else result.text


def _failing(check: checks.Check) -> Generator[Any, Any, str]:
    (result,) = yield from use(("bash", {"command": check.command, "timeout": 60}))
    if checks.passed(result.text) is False:
        return f"The check fails:\n```\n{checks.failure(result.text)}\n```"
    return ""


def _task(work: _Work, targets: Sequence[str], check: checks.Check | None, output: str) -> str:
    """Everything that the model needs for a change, in one message."""
    room = work.profile.change_tokens
    parts: list[str] = []
    for path in targets:
        text = work.texts.get(path)
        if text is None:
            continue
        if tokens(text) <= room:
            parts.append(shown_file(path, text))
            room -= tokens(text)
        else:
            parts += _excerpts_of(work, path, room // 2)
    if not targets or _new_files(work):
        order, work.order = work.order, [path for path in work.order if not is_test(path) and path not in targets][:2]
        parts += _excerpts(work, work.profile.candidate_tokens)
        work.order = order
        parts.insert(0, listing(work.paths))
    if output:
        if check and check.path and check.path in work.texts and tokens(work.texts[check.path]) <= room // 2:
            parts.append(shown_file(check.path, work.texts[check.path]))
        parts.append(f"A check fails now:\n```\n{checks.failure(output)}\n```")
    parts.append(f"Request: {work.wish.text}")
    return "\n\n".join(parts)


def _excerpts_of(work: _Work, path: str, room: int) -> list[str]:
    order, work.order = work.order, [path]
    try:
        return _excerpts(work, room)
    finally:
        work.order = order


def _is_long(work: _Work, targets: Sequence[str]) -> bool:
    """Whether the files are too long to be written whole."""
    return sum(tokens(work.texts.get(path, "")) for path in targets) > work.profile.whole_file_tokens


def _put_in_place(work: _Work, reply: Reply, targets: Sequence[str]) -> Generator[Any, Any, str]:
    """Write the files of a reply; gives what is wrong with them, in words for the model."""
    contents: dict[str, str] = {}
    try:
        for one in reply.written:
            if one.is_shell:
                continue
            path = _path_for(work, one.path, reply, targets)
            if not path:
                return "Say which file it is: write its path on the line before the block."
            if is_test(path) and path in work.paths and not _may_change_tests(work):
                continue
            old = contents.get(path, work.texts.get(path))
            contents[path] = merged(path, old, one.text)
    except UnusableError as error:
        return str(error)
    contents = {path: text for path, text in contents.items() if text != work.texts.get(path)}
    if not contents:
        return (
            ""
            if work.changed
            else "Nothing would change: the files are as they were. Make the change that was asked for."
        )
    results = yield from use(*(("write", {"file_path": path, "content": text}) for path, text in contents.items()))
    for (path, text), result in zip(contents.items(), results, strict=True):
        if result.is_error:
            return result.text
        work.texts[path] = text
        work.changed.append(path)
    return ""


def _may_change_tests(work: _Work) -> bool:
    return any(is_test(name) for name in work.wish.files) and not work.wish.trouble


def _path_for(work: _Work, given: str, reply: Reply, targets: Sequence[str]) -> str:
    """The file that a block is meant to be."""
    if given and (given in work.paths or given in work.wish.files):
        return given
    new = _new_files(work)
    if given:
        name = given.rpartition("/")[2]
        same = [path for path in (*targets, *new, *work.paths) if path.rpartition("/")[2] == name]
        return same[0] if same else given
    said = [path for path in mentioned(reply.prose) if path in work.paths or path in new]
    return next(iter([*said, *new, *targets]), "")


def _summary(work: _Work, reply: Reply, check: checks.Check | None, problem: str = "") -> str:
    """What was done, in a few words, without asking the model again."""
    files = list(dict.fromkeys(work.changed))
    what = f"Changed {', '.join(files)}." if files else "Nothing was changed."
    said = reply.prose.split("\n\n")[0].strip()
    if problem:
        return "\n\n".join(filter(None, [said, f"{what} It does not work yet: {problem}"]))
    checked = f" Checked with `{check.command}`: it passes." if check and files else ""
    return "\n\n".join(filter(None, [said, what + checked]))


def _told(work: _Work) -> list[tuple[Any, str]]:
    """The last exchange, shortened, for requests that go on from it."""
    if not work.earlier:
        return []
    last = work.earlier[-1]
    return [("user", _cut(last.request, 600)), ("assistant", _cut(last.answer, 400))]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}\n…\n{text[-most // 2 :]}"
