"""Who is given the tasks: Ferrule itself as a process of its own, or another agent by a command template."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from ferrule.bench.process import Ended, run_program
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.messages import Value

Environ = Mapping[str, str]
FERRULE = "ferrule"
PROMPT = "{prompt}"
_USAGE_ERROR = 2
_OTHER_REPOSITORIES = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}


class Attempt(Value, frozen=True, kw_only=True):
    """What an agent made of one request."""

    answer: str
    exit_reason: str
    seconds: float
    turns: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    session: str = ""
    """With which the conversation can be taken up again, where there is one."""
    problem: str = ""
    """What went wrong, in the agent's own words."""


class Agent(Protocol):
    """Carries out requests in a directory."""

    name: str
    model: str

    async def attempt(self, prompt: str, *, directory: Path, limit: float, record: Path, session: str) -> Attempt:
        """Carry out a request; `session` names the conversation that it belongs to, or is empty.

        Raises:
            FerruleError: the agent cannot be started at all, so that no other task is worth a try.
        """


class Ferrule:
    """Ferrule with nobody at the keyboard: edits are made, commands run confined, what would ask is denied."""

    def __init__(
        self, options: Sequence[str] = (), *, name: str = FERRULE, model: str = "", environ: Environ = os.environ
    ) -> None:
        """Take the options that each run gets; the name tells set-ups of Ferrule apart."""
        self.name, self.model = name, model
        self._options = tuple(options)
        self._environ = environ

    async def attempt(self, prompt: str, *, directory: Path, limit: float, record: Path, session: str) -> Attempt:
        """Carry out a request in a process of its own, whose session lies beside its record.

        Raises:
            FerruleError: it was given options that cannot be, or has no model.
        """
        words = [sys.executable, "-m", "ferrule", "--mode", "auto", "--output-format", "json", *self._options]
        words += ["--resume", session] if session else []
        environment = {**_environment(self._environ), "FERRULE_SESSION_STORAGE_PATH": str(record.parent / "sessions")}
        ended = await run_program(
            [*words, f"--print={prompt}"], directory=directory, environment=environment, limit=limit, record=record
        )
        result = _result(ended.output)
        if result is None and ended.in_time and ended.code == _USAGE_ERROR:
            raise FerruleError(f"Ferrule could not begin: {_last_words(ended)}")
        return _attempt(ended, result or {})


class Rival:
    """Another agent, called with the request in its command line; its answer is what it prints."""

    def __init__(self, name: str, template: str, *, model: str = "", environ: Environ = os.environ) -> None:
        """Take the template apart as a shell would, without one.

        Raises:
            UsageError: it does not say where the request goes, or its program is not installed.
        """
        self.name, self.model = name, model
        self._environ = environ
        try:
            self._words = shlex.split(template)
        except ValueError as error:
            raise UsageError(f"--rival {name}: {error}.") from None
        if not any(PROMPT in word for word in self._words):
            raise UsageError(f"--rival {name}: the command does not say where the request goes; write {PROMPT} there.")
        if not shutil.which(self._words[0], path=environ.get("PATH")):
            raise UsageError(f"--rival {name}: there is no program {self._words[0]}.")

    async def attempt(self, prompt: str, *, directory: Path, limit: float, record: Path, session: str) -> Attempt:
        """Carry out a request.

        Raises:
            FerruleError: the program cannot be started.
        """
        words = [word.replace(PROMPT, prompt) for word in self._words]
        environment = _environment(self._environ)
        try:
            ended = await run_program(words, directory=directory, environment=environment, limit=limit, record=record)
        except OSError as error:
            raise FerruleError(f"{self.name} could not begin: {error.strerror}.") from None
        reason = "timeout" if not ended.in_time else "end_turn" if ended.code == 0 else f"exit {ended.code}"
        problem = _last_words(ended) if ended.in_time and ended.code else ""
        return Attempt(answer=ended.output, exit_reason=reason, seconds=ended.seconds, problem=problem)


def rival_of(text: str, *, model: str = "") -> Rival:
    """The rival that `NAME=COMMAND` describes.

    Raises:
        UsageError: it does not, or the program is not installed.
    """
    name, equals, template = text.partition("=")
    if not equals or not is_name(name.strip()) or name.strip() == FERRULE:
        raise UsageError(f"--rival {text}: write it as NAME='COMMAND {PROMPT}', with a name of its own.")
    return Rival(name.strip(), template, model=model)


def is_name(text: str) -> bool:
    """Whether a text can name an agent: the directories of what is kept are called after it."""
    return bool(text) and not text.startswith(".") and "/" not in text


def _environment(environ: Environ) -> dict[str, str]:
    """The user's environment, in which `python` is one that surely works, and git looks where the agent stands."""
    path = os.pathsep.join(filter(None, (str(Path(sys.executable).parent), environ.get("PATH", os.defpath))))
    own = {name: value for name, value in environ.items() if name not in _OTHER_REPOSITORIES}
    return {**own, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def _result(output: str) -> dict[str, Any] | None:
    """The last line of the output, if it is the result of a run."""
    try:
        found = msgspec.json.decode(output.strip().rpartition("\n")[2])
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) and found.get("type") == "result" else None


def _attempt(ended: Ended, result: Mapping[str, Any]) -> Attempt:
    usage = result.get("usage", {})
    read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    problems = result.get("errors") or ([_last_words(ended)] if not result else [])
    return Attempt(
        answer=result.get("result") or "",
        exit_reason=str(result.get("exit_reason", "error")) if ended.in_time else "timeout",
        seconds=ended.seconds,
        turns=result.get("num_turns"),
        tokens_in=sum(usage.get(key, 0) for key in read) if usage else None,
        tokens_out=usage.get("output_tokens"),
        session=result.get("session_id", ""),
        problem=" ".join(map(str, problems)),
    )


def _last_words(ended: Ended) -> str:
    lines = ended.errors.strip().splitlines() or ended.output.strip().splitlines()
    return lines[-1] if lines else f"it ended with code {ended.code} and said nothing."
