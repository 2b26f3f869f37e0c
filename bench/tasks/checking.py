"""What the checks of the tasks share: they read the answer, try the code, and say in a sentence what is wrong.

A check runs in the finished working copy. FERRULE_ANSWER names a file with the agent's last words, FERRULE_ORIGINAL
the repository as it was.
"""

import functools
import importlib
import io
import os
import re
import subprocess
import sys
import traceback
import unittest
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

_LITTER = {".git", "__pycache__", ".ferrule"}
_LONG_BLOCK = re.compile(r"```[^\n]*\n(?:[^\n]*\n){4,}?```")
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
    expect(text.strip(), "There is no answer.")
    return _LONG_BLOCK.sub("", text)


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
    named = [one for one in _files(original()) if _names(said, one)]
    expect(path in named, f"The answer does not name {path}: {_start(said)}")
    expect(len(named) <= most, f"The answer names {len(named)} files, not the one: {', '.join(named)}.")


def _names(said: str, path: str) -> bool:
    """By its path, or by its name alone where that is the only one of its kind."""
    name = path.rpartition("/")[2]
    unique = sum(other.rpartition("/")[2] == name for other in _files(original())) == 1
    spellings = [path, path.replace("/", "\\")]
    if unique and not name.startswith("__"):
        spellings.append(name)
    if path.endswith(".py"):
        module = path.removesuffix(".py").replace("/", ".")
        spellings += [module] if "." in module else []
    return any(re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])(?!\.\w)", said) for one in spellings)


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
    expect(len(gone) <= most, f"{path}: {len(gone)} lines were changed or lost, more than was asked for: {gone[0]!r}.")


def text(path: str) -> str:
    expect(Path(path).is_file(), f"There is no file {path}.")
    return Path(path).read_text("utf-8")


@functools.cache
def _files(root: Path) -> list[str]:
    paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
    return [path.as_posix() for path in paths if not _LITTER & set(path.parts)]


# The code


def load(name: str) -> ModuleType:
    """Import a module of the working copy."""
    file = f"{name.replace('.', '/')}.py"
    expect(Path(file).is_file() or Path(file).with_suffix("").is_dir(), f"There is no file {file}.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except Exception as error:
        fail(f"{file} cannot be imported: {type(error).__name__}: {error}")


def function(module: str, name: str) -> Any:
    """A function, or a class, of a module of the working copy."""
    found: Any = getattr(load(module), name, None)
    if not callable(found):
        fail(f"{module.replace('.', '/')}.py has no {name}.")
    return found


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
