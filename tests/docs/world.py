"""Where the commands of a page are run: a home, a checkout, a project, and a model on loopback that knows its words."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from tests import forks
from tests.docs.pages import ROOT
from tests.front.terminal.emulator import CTRL_D, ENTER, FERRULE, Terminal
from tests.server import Call, ModelServer, Received, Reply

BIN = Path(sys.executable).parent
SHOP = ROOT / "examples" / "shop"
MEND = "check.py fails; mend it"


def _mending() -> tuple[Reply, ...]:
    """The replies of the example, in the server's words."""
    lines = [line for line in (SHOP / "replies.jsonl").read_bytes().splitlines() if line.startswith(b"{")]
    replies = [msgspec.json.decode(line) for line in lines]
    return tuple(
        Reply(
            text=one.get("text", ""),
            calls=tuple(Call(name=call["name"], arguments=call["input"]) for call in one.get("calls", ())),
        )
        for one in replies
    )


ANSWERS: dict[str, tuple[Reply, ...]] = {
    MEND: _mending(),
    "What does this project do?": (Reply(text="It is an example."),),
    "What does basket.py do?": (Reply(text="It adds up prices, less a discount."),),
    "In one sentence: what was wrong?": (Reply(text="The discount was a percentage, and was used as a fraction."),),
    "And in one word?": (Reply(text="Percent."),),
    "How would you add taxes?": (Reply(text="I would give total a second rate."),),
    "Write a commit message for this.": (Reply(text="Read the discount as per cent"),),
}
"""What the model says to each request of the pages, turn by turn."""
QUESTIONS = (("Allow bash?", "a"), ("Always allow", "s"), ("Allow edit?", "y"), ("4 turns", CTRL_D))
TYPED: dict[str, tuple[tuple[str, str], ...]] = {
    "ferrule": (("normal", CTRL_D),),
    'ferrule "What does this project do?"': (("It is an example.", ""), ("1 turn", CTRL_D)),
    'ferrule "What does basket.py do?"': (("It adds up prices", ""), ("1 turn", CTRL_D)),
    f'ferrule "{MEND}"': QUESTIONS,
    f'ferrule --cwd /tmp/shop -P replay -m replies.jsonl "{MEND}"': QUESTIONS,
    "ferrule init": (("?", ENTER * 3),),
}
"""Commands that want a terminal: what is waited for there, and what is typed then."""


def answer(request: Received) -> Reply:
    """What belongs to the last request that is known; anything else is refused."""
    messages: list[dict[str, Any]] = request.body["messages"]
    for place in range(len(messages) - 1, -1, -1):
        said = _text(messages[place]) if messages[place]["role"] == "user" else ""
        for prompt, replies in ANSWERS.items():
            if said.startswith(prompt):
                turn: int = sum(one["role"] == "assistant" for one in messages[place:])
                return replies[turn]
    return Reply(status=400, kind="bad_request", message="ANSWERS in tests/docs/world.py has no answer to this.")


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _words_of(command: str) -> list[str]:
    """The words behind `ferrule`, where a command begins with it and asks nothing of the shell; else none."""
    if not command.startswith("ferrule ") or re.search(r"[$`~*#\\\n]", command):
        return []
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    _, *words = reader
    return [] if any(set(word) <= set("();<>|&") for word in words) else words


class World:
    """One page's own; what a command leaves behind is there for the next.

    A command that is only `ferrule` and its words is a fork (`tests/forks.py`), unless all shall be `fresh`.
    """

    def __init__(self, root: Path, server: ModelServer, *, fresh: bool = False) -> None:
        self.fresh = fresh
        self.root, self.home, self.here = root.resolve(), root.resolve() / "home", root.resolve() / "tmp" / "project"
        self.seen: list[str] = []
        """Screens, each at the moment before something was typed."""
        self.home.mkdir()
        shutil.copytree(SHOP, self.here, ignore=shutil.ignore_patterns("__pycache__"))
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "FERRULE_OFFLINE": "1",
            "FERRULE_PROVIDER": "openai-compatible",
            "FERRULE_LLM_ENDPOINT": f"{server.url}/v1",
            "FERRULE_MODEL": "scripted",
        }

    def check_out(self) -> None:
        """Begin in a checkout of Ferrule whose environment is made already, with a project beside its files."""
        self.here = self.root / "ferrule"
        (self.here / ".venv").mkdir(parents=True)
        (self.here / "your-project").mkdir()
        for name in ("Makefile", "pyproject.toml", "constraints", "examples", "src"):
            (self.here / name).symlink_to(ROOT / name)
        (self.here / ".venv" / "bin").symlink_to(BIN)
        for made in (".ready-run", ".ready", ".ready-local"):
            (self.here / ".venv" / made).touch()

    def mend(self) -> None:
        """Have a session behind us, in a repository, in which something was changed."""
        identity = "-c user.name=A -c user.email=a@example.org"
        self.run(f"git init -q -b main && git add -A && git {identity} commit -q -m 'The shop'")
        self.run(f'ferrule --mode auto -p "{MEND}"')

    def run(self, command: str) -> str:
        """Run a command to its end; gives what it printed. Where it changes the directory, the next begins there."""
        if words := [] if self.fresh else _words_of(self._own(command)):
            return self._told(self._fork(words))
        moved = self.root / "here"
        script = f'{self._own(command)}\ncode=$?; pwd > "{moved}"; exit $code'
        ran = subprocess.run(
            ["bash", "-c", script],
            cwd=self.here,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=50,
        )
        assert ran.returncode == 0, f"{command}\n{ran.stdout}"
        self.here = Path(moved.read_text().strip())
        return self._told(ran.stdout)

    def _fork(self, words: list[str]) -> str:
        ours, theirs = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        order = forks.Order(words=words, cwd=str(self.here), env=self.env)
        running = forks.Running(order, (nothing, theirs, theirs))
        os.close(theirs)
        os.close(nothing)
        with open(ours, encoding="utf-8") as stream:  # noqa: PTH123 - it has no path
            printed = stream.read()
        assert running.wait() == 0, f"{words}\n{printed}"
        return printed

    def type(self, command: str, steps: tuple[tuple[str, str], ...]) -> None:
        """Run a command at a terminal, and type there."""
        own = _words_of(self._own(command))
        words = [FERRULE, *own] if own and not self.fresh else ["bash", "-c", self._own(command)]
        with Terminal(words, cwd=self.here, env=self.env, size=(80, 40)) as terminal:
            for expected, keys in steps:
                terminal.wait(expected)
                self.seen.append("\n".join(terminal.display) + "\n")
                terminal.send(keys)
            assert terminal.end() == 0, terminal.text

    def write(self, path: str, text: str, *, executable: bool = False) -> None:
        """Write a file that a page shows."""
        place = self.here / path.replace("~", str(self.home), 1)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(0o755 if executable else 0o644)

    def _own(self, command: str) -> str:
        return command.replace("/tmp/", f"{self.root}/tmp/")

    def _told(self, output: str) -> str:
        """What was printed, as it would be elsewhere, and without how long things took."""
        shared = output.replace(f"{self.root}/tmp", "/tmp").replace(str(self.home), "/home/you")
        return re.sub(r"\d+\.\d s", "0.0 s", shared)
