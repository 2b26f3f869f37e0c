"""Every task of the suite: its check passes the solution that lies beside it, and fails what is wrong."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ferrule.bench.checking import check, prepare
from ferrule.bench.task import BASES, KINDS, Task, load_tasks
from tests.bench.mistakes import MISTAKES
from tests.bench.wordings import WORDINGS

HOME = Path(__file__).parents[2] / "bench" / "tasks"
TASKS = load_tasks(HOME)
HALVES = ("tune", "held")
PLAIN = "plain"
GROUPS = (*HALVES, PLAIN)
"""Each task belongs to one of these."""
IN_WORDS = ("find", "explain")
"""Kinds whose result is the answer; the others change files."""
EACH = pytest.mark.parametrize("each", [6, pytest.param(1, marks=pytest.mark.slow)])
"""Of how many tasks one is tried: some in each run, whose checks are alike in what they use; all by the slow tests."""


def is_checkable(task: Task) -> bool:
    """Whether what its check runs is there; not every machine has node."""
    return bool(shutil.which("node")) or '"node"' not in (task.directory / "check.py").read_text("utf-8")


def lay_out(task: Task, place: Path, *, solved: bool) -> tuple[Path, str]:
    """A working copy with the solution in it, or without, and the answer that goes with it."""
    copy = place / "project"
    task.lay_out(copy)
    if solved and (task.directory / "solution").is_dir():
        shutil.copytree(task.directory / "solution", copy, dirs_exist_ok=True)
    answer = task.directory / ("answer.txt" if solved else "wrong.txt")
    return copy, answer.read_text("utf-8") if answer.exists() else "Done."


def verdicts(cases: list[tuple[Task, Path, str]], tmp_path: Path) -> list[tuple[int, str]]:
    """The exit codes of the checks of working copies with answers, and what they print.

    What the check of a task needs is put down once; each case has its own answer.
    """
    prepared: dict[str, list[str]] = {}
    lines = []
    for number, (task, copy, answer) in enumerate(cases):
        if task.name not in prepared:
            prepared[task.name] = prepare(task, tmp_path / f"check-{task.name}", answer)
        _, *environment, _, script = prepared[task.name]
        own = tmp_path / f"answer-{number}.txt"
        own.write_text(answer, "utf-8")
        lines.append(json.dumps([str(copy), [*environment, f"FERRULE_ANSWER={own}"], script]))
    prover = [sys.executable, str(Path(__file__).with_name("prover.py")), str(HOME)]
    ended = subprocess.run(prover, input="\n".join(lines), capture_output=True, text=True, timeout=50, check=True)
    return [tuple(json.loads(line)) for line in ended.stdout.splitlines()]


@EACH
@pytest.mark.parametrize("kind", KINDS)
def test_each_check_knows_right_from_wrong(kind: str, each: int, tmp_path: Path) -> None:
    tasks = [task for task in TASKS if task.kind == kind and is_checkable(task)][::each]
    right = [(task, *lay_out(task, tmp_path / "right" / task.name, solved=True)) for task in tasks]
    if kind in IN_WORDS:  # nothing is changed, so one copy is enough
        wrong = [(task, copy, (task.directory / "wrong.txt").read_text("utf-8")) for task, copy, _ in right]
    else:
        wrong = [(task, *lay_out(task, tmp_path / "wrong" / task.name, solved=False)) for task in tasks]
    found = verdicts(right + wrong, tmp_path)
    said = {task.name: text for task, (_, text) in zip(tasks, found[: len(tasks)], strict=True)}
    assert said == {task.name: "" for task in tasks}
    codes = {task.name: code for task, (code, _) in zip(tasks * 2, found, strict=True)}
    assert [code for code, _ in found] == [0] * len(tasks) + [1] * len(tasks), codes
    assert all(text.strip() for _, text in found[len(tasks) :]), "a check says why it fails"


@EACH
def test_an_answer_that_names_every_file_is_none(each: int, tmp_path: Path) -> None:
    tasks = [task for task in TASKS if task.kind == "find"][::each]
    cases = []
    for task in tasks:
        copy, answer = lay_out(task, tmp_path / task.name, solved=True)
        everything = "\n".join(str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file())
        cases.append((task, copy, f"{answer}\n{everything}"))
    passed = {task.name for task, (code, _) in zip(tasks, verdicts(cases, tmp_path), strict=True) if code == 0}
    assert passed == set()


@EACH
def test_questions_may_be_answered_in_other_words(each: int, tmp_path: Path) -> None:
    tasks = {task.name: task for task in TASKS if task.kind in IN_WORDS}
    assert {name for name, task in tasks.items() if task.kind == "explain"} <= set(WORDINGS) <= set(tasks)
    cases = []
    tried = dict([*WORDINGS.items()][::each])
    for name, wordings in tried.items():
        copy, _ = lay_out(tasks[name], tmp_path / name, solved=False)
        cases += [(tasks[name], copy, answer) for answers in wordings for answer in answers]
    found = verdicts(cases, tmp_path)
    taken = {(task.name, answer) for (task, _, answer), (code, _) in zip(cases, found, strict=True) if code == 0}
    assert taken == {(name, answer) for name, (right, _) in tried.items() for answer in right}


@EACH
def test_changes_that_are_almost_right_are_wrong(each: int, tmp_path: Path) -> None:
    tasks = {task.name: task for task in TASKS if task.kind not in IN_WORDS}
    assert set(MISTAKES) <= set(tasks)
    cases = []
    for name, mistakes in [*MISTAKES.items()][::each]:
        for number, files in enumerate(mistakes):
            copy, answer = lay_out(tasks[name], tmp_path / f"{name}-{number}", solved=False)
            for path, text in files.items():
                (copy / path).write_text(text, "utf-8")
            cases.append((tasks[name], copy, answer))
    found = verdicts(cases, tmp_path)
    assert [(task.name, text) for (task, _, _), (code, text) in zip(cases, found, strict=True) if code != 1] == []


def test_there_are_enough_of_each_kind_in_every_group() -> None:
    counts = Counter((task.kind, group) for task in TASKS for group in GROUPS if group in task.tags)
    assert counts.total() == len(TASKS), "each task belongs to one group"
    assert {kind for kind in KINDS if sum(counts[kind, half] for half in HALVES) < 10} == set()
    assert {(kind, half) for kind in KINDS for half in HALVES if counts[kind, half] < 4} == set()
    assert {kind for kind in KINDS if counts[kind, PLAIN] < 10} == set()


def test_the_groups_share_no_repository() -> None:
    """Who tunes on one half has seen neither the other nor the plain ones."""
    owners: dict[str, set[str]] = {}
    for task in TASKS:
        owners.setdefault(task.base, set()).update(set(task.tags) & set(GROUPS))
    assert {name for name, groups in owners.items() if len(groups) != 1} == set()
    assert set(owners) == {path.name for path in (HOME / BASES).iterdir()}


@pytest.mark.parametrize("kind", KINDS)
def test_tasks_are_complete(kind: str) -> None:
    for task in (task for task in TASKS if task.kind == kind):
        _assert_complete(task)


def _assert_complete(task: Task) -> None:
    there = {path.name for path in task.directory.iterdir()} - {"__pycache__", "repo"}
    own = {"answer.txt", "wrong.txt"} if task.kind in IN_WORDS else {"solution"}
    assert there == {"task.toml", "check.py", *own}
    assert task.name == task.directory.name
    files = {path.relative_to(one) for one in task.sources for path in one.rglob("*") if path.is_file()}
    assert (1 if PLAIN in task.tags else 3) <= len(files) <= 15
    assert PLAIN in task.tags or re.search(r"[.?]$", task.request), "only plain requests are typed carelessly"
    assert re.search(r"^unchanged\(", (task.directory / "check.py").read_text("utf-8"), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
async def test_checks_work_confined(task: Task, tmp_path: Path) -> None:
    if not is_checkable(task):
        pytest.skip("there is no node")
    for solved in (True, False):
        copy, answer = lay_out(task, tmp_path / str(solved), solved=solved)
        verdict = await check(task, copy, answer)
        assert verdict.success is solved, verdict.output
