"""What the checks of the tasks share: they read the answer, try the code, and say in a sentence what is wrong.

A check runs in the finished working copy. FERRULE_ANSWER names a file with the agent's last words, FERRULE_ORIGINAL
the repository as it was.
"""

import ast
import functools
import importlib
import io
import os
import re
import subprocess
import sys
import traceback
import unittest
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

_LITTER = {".git", "__pycache__", ".ferrule"}
_BLOCK = re.compile(r"```[^\n]*?```|```[^\n]*\n(.*?)```", re.DOTALL)
"""Code in an answer, within a line or in lines of its own."""
_LONG = 4
"""So many lines of code are a quotation."""
_PATIENCE = 20


def fail(why: str) -> NoReturn:
    """Say what is wrong, and end."""
    print(why)
    sys.exit(1)


def expect(condition: object, why: str) -> None:
    if not condition:
        fail(why)


def same(got: object, wanted: object, about: str) -> None:
    expect(got == wanted and type(got) is type(wanted), f"{about} should be {wanted!r}, but is {got!r}.")


def equal(got: object, wanted: object, about: str) -> None:
    """The same value, of whatever type: 0.0 is as good as 0."""
    expect(got == wanted, f"{about} should be {wanted!r}, but is {got!r}.")


def close(got: Any, wanted: float, about: str) -> None:
    expect(isinstance(got, int | float) and abs(got - wanted) < 1e-6, f"{about} should be {wanted}, but is {got!r}.")


def raises(kind: type[Exception], do: Callable[[], object], about: str) -> None:
    try:
        got = do()
    except kind:
        return
    except Exception as error:
        fail(f"{about} should raise {kind.__name__}, but raises {type(error).__name__}: {error}.")
    fail(f"{about} should raise {kind.__name__}, but gives {got!r}.")


# The answer


def answer() -> str:
    """The agent's last words, without long quotations of code: what was asked for is said, not copied."""
    text = Path(os.environ["FERRULE_ANSWER"]).read_text("utf-8")
    text = _BLOCK.sub(lambda block: "" if (block[1] or "").count("\n") >= _LONG else block[0], text)
    expect(text.strip(), "There is no answer.")
    return text


def says(fact: str, *spellings: str) -> None:
    """The answer states a fact in one of its spellings, which are patterns."""
    said = answer()
    found = any(re.search(one, said, re.IGNORECASE | re.DOTALL) for one in spellings)
    expect(found, f"The answer does not say {fact}: {_start(said)}")


def does_not_say(*spellings: str) -> None:
    """The answer states none of these, which are wrong."""
    said = answer()
    for one in spellings:
        found = re.search(one, said, re.IGNORECASE)
        expect(not found, f"The answer says {found and found[0]!r}, which is wrong: {_start(said)}")


def names_file(path: str, *, most: int = 2) -> None:
    """The answer names this file, and no more than so many files of the repository: a list of all is no answer."""
    said = answer()
    named = _named(said)
    expect(path in named, f"The answer does not name {path}: {_start(said)}")
    expect(len(named) <= most, f"The answer names {len(named)} files, not the one: {', '.join(named)}.")


def points_at(path: str) -> None:
    """The answer names this file, and at most one other; two where this one comes first, for they may use it."""
    named = _named(answer())
    names_file(path, most=3 if path in named and named[path] == min(named.values()) else 2)


def names_function(name: str, *, others: Iterable[str]) -> None:
    """The answer names this function, and at most one of the others and three files: a list of all is no answer."""
    said = answer()
    spellings = "|".join({name, name.lstrip("_")})
    expect(re.search(rf"\b(?:{spellings})\b", said), f"The answer does not name {name}: {_start(said)}")
    more = [one for one in others if re.search(rf"\b{one}[(`]|`{one}\b", said)]
    expect(len(more) <= 1, f"The answer names other functions as well: {', '.join(more)}.")
    files = _named(said)
    expect(len(files) <= 3, f"The answer names {len(files)} files: {', '.join(files)}.")


def _named(said: str) -> dict[str, int]:
    """The files of the repository that an answer names, each with the place of its first mention."""
    places = {path: _place(said, path) for path in _files(original())}
    return {path: place for path, place in places.items() if place is not None}


def _place(said: str, path: str) -> int | None:
    """Where a file is named by its path, as a module, or by its name alone where that is the only one of its kind."""
    name = path.rpartition("/")[2]
    unique = sum(other.rpartition("/")[2] == name for other in _files(original())) == 1
    spellings = [path, path.replace("/", "\\")]
    if unique and not name.startswith("__"):
        spellings.append(name)
    if path.endswith(".py"):
        modules = {start.removesuffix(".py").replace("/", ".") for start in (path, path.removeprefix("src/"))}
        spellings += [module for module in modules if "." in module]
    found = (re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])(?!\.\w)", said) for one in spellings)
    return min((one.start() for one in found if one), default=None)


def _start(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


# The files


def original() -> Path:
    """The repository as it was."""
    return Path(os.environ["FERRULE_ORIGINAL"])


def unchanged(*others: str) -> None:
    """All files but these are as they were."""
    for path in _files(original()):
        if path not in others:
            expect(Path(path).is_file(), f"{path} is gone.")
            is_same = Path(path).read_bytes() == (original() / path).read_bytes()
            expect(is_same, f"{path} was changed, although nobody asked for it.")


def lines_changed(path: str, *, most: int) -> None:
    """No more than so many lines of a file are not as they were."""
    was, now = (original() / path).read_text("utf-8").splitlines(), Path(path).read_text("utf-8").splitlines()
    gone = [line for line in was if line.strip() and line not in now]
    expect(len(gone) <= most, f"{path}: {len(gone)} lines were changed or lost, more than was asked for: {gone[:1]}.")


def text(path: str) -> str:
    expect(Path(path).is_file(), f"There is no file {path}.")
    return Path(path).read_text("utf-8")


@functools.cache
def _files(root: Path) -> list[str]:
    paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
    return [path.as_posix() for path in paths if not _LITTER & set(path.parts)]


# The code


def load(name: str, *, root: str = ".") -> ModuleType:
    """Import a module of the working copy; `root` is the directory that its packages lie in."""
    file = Path(root, f"{name.replace('.', '/')}.py")
    expect(file.is_file() or file.with_suffix("").is_dir(), f"There is no file {file}.")
    sys.path.insert(0, str(Path(root).resolve()))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # who ends the program would end the check, as if all were well
        fail(f"{file} cannot be imported: {type(error).__name__}: {error}")


def function(module: str, name: str, *, root: str = ".") -> Any:
    """A function, or a class, of a module of the working copy."""
    found: Any = getattr(load(module, root=root), name, None)
    if not callable(found):
        fail(f"{module.replace('.', '/')}.py has no {name}.")
    return found


def definition(path: str, name: str) -> ast.FunctionDef:
    """How a function of a file is written down."""
    found = [one for one in _parsed(path).body if isinstance(one, ast.FunctionDef) and one.name == name]
    expect(len(found) == 1, f"{path} has no function {name}.")
    return found[0]


def same_code(path: str) -> None:
    """A file does what it did: nothing but docstrings, annotations and what is imported for them may differ."""
    was = ast.parse((original() / path).read_text("utf-8"))
    expect(_bare(_parsed(path)) == _bare(was), f"The code of {path} was changed too.")


def _parsed(path: str) -> ast.Module:
    try:
        return ast.parse(text(path))
    except SyntaxError as error:
        fail(f"{path}: {error}")


def _bare(tree: ast.Module) -> str:
    tree.body = [one for one in tree.body if not _is_about_types(one)]
    if ast.get_docstring(tree) is not None:
        del tree.body[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
            if ast.get_docstring(node) is not None:
                del node.body[0]
    return ast.dump(tree)


def _is_about_types(line: ast.stmt) -> bool:
    return isinstance(line, ast.Import | ast.ImportFrom) and "typing" in ast.unparse(line)


def run(*words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a program of the working copy; `python` is the one that runs the check."""
    command = [sys.executable if word == "python" else word for word in words]
    environment = {**os.environ, "PYTHONPATH": ""}
    try:
        return subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=_PATIENCE, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        fail(f"{' '.join(words)} did not end.")
    except FileNotFoundError:
        fail(f"There is no {words[0]} on this machine, which the check needs.")


def tests_pass() -> None:
    """The repository's own tests pass."""
    sys.path.insert(0, str(Path.cwd()))
    told = io.StringIO()
    result = unittest.TextTestRunner(told).run(unittest.defaultTestLoader.discover("."))
    expect(result.wasSuccessful(), f"The tests fail:\n{told.getvalue()[-3000:]}")


def _tell(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Whatever the code raised is said in a line, with the place."""
    frames = [frame for frame in traceback.extract_tb(trace) if Path(frame.filename).is_relative_to(Path.cwd())]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    print(f"{kind.__name__}: {error}{where}")


sys.excepthook = _tell
