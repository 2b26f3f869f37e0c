"""`make bench`: what Ferrule costs against the floor, and against rivals where they are installed, in one run.

Every agent talks to the same scripted model server on loopback. They run in turn, so that the noise of the machine
hits all of them, and what counts are the ratios. A rival is a command template:

    make bench ARGS='--rival "pi=pi -p {prompt}" --rival "codex=codex exec {prompt}"'

It is given ANTHROPIC_BASE_URL, OPENAI_BASE_URL and keys, as `{url}` too, and is called for each prompt.
"""

import argparse
import asyncio
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import msgspec
from measure import Cost, once
from tests.server import Call, ModelServer, Reply

import ferrule
from ferrule.core.events import Event, TurnStarted

HERE = Path(__file__).parent
FERRULE = str(Path(sys.executable).parent / "ferrule")
TURNS = 30


class Seen(msgspec.Struct):
    """What was seen of an agent over all its runs."""

    costs: list[Cost] = []
    until_request: list[float] = []
    between: list[float] = []
    """Seconds from one request to the next."""
    first_bytes: int = 0
    tools: int = 0
    extends: str = ""

    def median(self, field: str) -> float:
        return float(statistics.median(getattr(cost, field) for cost in self.costs))


def command(name: str, template: str, url: str, prompt: str, mode: Sequence[str]) -> list[str]:
    if name == "floor":
        return [sys.executable, str(HERE / "floor.py"), url, prompt]
    if name == "ferrule":
        return [FERRULE, "-P", "anthropic", "-m", "claude-sonnet-5-5", "--endpoint", url, *mode, "-p", prompt]
    return [part.format(url=url, prompt=prompt) for part in shlex.split(template)]


def compare(agents: Mapping[str, str], script: list[Reply], work: Path, *, repeats: int) -> dict[str, Seen]:
    """Give each agent the same request, in turn, several times."""
    seen = {name: Seen() for name in agents}
    for _ in range(repeats):
        for name, template in agents.items():
            with ModelServer(script, key=None) as server:
                env = {
                    **os.environ,
                    "KEY": "test-key",
                    "ANTHROPIC_API_KEY": "test-key",
                    "OPENAI_API_KEY": "test-key",
                    "ANTHROPIC_BASE_URL": server.url,
                    "OPENAI_BASE_URL": f"{server.url}/v1",
                    "HOME": str(work / "home"),
                }
                began = time.time()
                cost = once(command(name, template, server.url, "say hello", ["--mode", "yolo"]), env=env, cwd=work)
                note(seen[name], cost, server, began)
    return seen


def note(seen: Seen, cost: Cost, server: ModelServer, began: float) -> None:
    seen.costs.append(cost)
    first, *_ = server.requests
    seen.until_request.append(first.at - began)
    seen.first_bytes, seen.tools = len(first.raw), len(first.body.get("tools", []))
    seen.between += (after.at - before.at for before, after in pairwise(server.requests))
    bodies = [request.body["messages"] for request in server.requests]
    kept = sum(plain(after[: len(before)]) == plain(before) for before, after in pairwise(bodies))
    seen.extends = f"{kept}/{len(bodies) - 1}"


def plain(value: object) -> object:
    """A request without its cache markers, which move."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key != "cache_control"}
    return [plain(one) for one in value] if isinstance(value, list) else value


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        print("  ".join(cell.rjust(width) if index else cell.ljust(width)
                        for index, (cell, width) in enumerate(zip(row, widths, strict=True))))  # fmt: skip
    print()


def one_request(agents: Mapping[str, str], work: Path, repeats: int) -> dict[str, Seen]:
    print(f"One request, headless (medians of {repeats}; × is the ratio to the floor)")
    seen = compare(agents, [Reply(text="Hello.")], work, repeats=repeats)
    floor = seen["floor"]
    rows = [
        [
            name,
            f"{one.median('wall') * 1000:.0f}",
            f"{one.median('wall') / floor.median('wall'):.2f}",
            f"{statistics.median(one.until_request) * 1000:.0f}",
            f"{one.median('cpu') * 1000:.0f}",
            f"{one.median('cpu') / floor.median('cpu'):.2f}",
            f"{one.median('megabytes'):.0f}",
            f"{one.first_bytes // 4:,}",
            str(one.tools),
        ]
        for name, one in seen.items()
    ]
    table(["agent", "wall ms", "×", "request ms", "CPU ms", "×", "MB", "tokens", "tools"], rows)
    return seen


def thirty_turns(agents: Mapping[str, str], work: Path, once_: Mapping[str, Seen], repeats: int) -> None:
    """What a turn costs, and apart from it what the first command does, which makes ready for all others."""
    print(f"{TURNS} turns with one trivial command each (first: what one command adds to a request without any)")
    calls = [Reply(calls=(Call(name="bash", arguments={"command": f"echo {turn}"}),)) for turn in range(TURNS)]
    first = compare(agents, [calls[0], Reply(text="Done.")], work, repeats=repeats)
    seen = compare(agents, [*calls, Reply(text="Done.")], work, repeats=repeats)
    rows = [
        [
            name,
            f"{one.median('wall') * 1000:.0f}",
            f"{statistics.median(one.between) * 1000:.1f}",
            f"{(one.median('cpu') - first[name].median('cpu')) / (TURNS - 1) * 1000:.1f}",
            f"{one.median('megabytes') - first[name].median('megabytes'):+.1f}",
            f"{(first[name].median('wall') - once_[name].median('wall')) * 1000:.0f}",
            f"{(first[name].median('cpu') - once_[name].median('cpu')) * 1000:.0f}",
            f"{first[name].median('megabytes') - once_[name].median('megabytes'):+.1f}",
            one.extends,
        ]
        for name, one in seen.items()
    ]
    turn = ["wall ms", "ms a turn", "CPU ms a turn", "MB grown"]
    table(["agent", *turn, "first: ms", "first: CPU ms", "first: MB", "only extend"], rows)


def help_screen(work: Path, repeats: int) -> None:
    programs = {"bare interpreter": [sys.executable, "-c", "pass"], "ferrule --help": [FERRULE, "--help"]}
    seen = {name: Seen() for name in programs}
    for _ in range(repeats):
        for name, argv in programs.items():
            seen[name].costs.append(once(argv, env=os.environ, cwd=work))
    bare = seen["bare interpreter"]
    rows = [
        [name, f"{one.median('cpu') * 1000:.0f}", f"{one.median('cpu') / bare.median('cpu'):.2f}",
         f"{one.median('megabytes'):.0f}"]
        for name, one in seen.items()
    ]  # fmt: skip
    table(["", "CPU ms", "×", "MB"], rows)


def long_run(work: Path, turns: int = 1000) -> None:
    """A scripted run of many turns: the last hundred must cost what the first hundred do."""
    (work / "notes.txt").write_text("".join(f"line {number}\n" for number in range(50)))
    steps = [ferrule.calling("read", file_path="notes.txt", offset=number % 50 + 1) for number in range(turns)]
    starts: list[float] = []

    def hear(event: Event) -> None:
        if isinstance(event, TurnStarted):
            starts.append(time.perf_counter())

    model = ferrule.Scripted([*steps, "Done."], remember=False)
    result = asyncio.run(ferrule.arun("go", model=model, directory=work, max_turns=0, on_event=hear))
    assert result.reason == "end_turn", result
    taken = [(after - before) * 1000 for before, after in pairwise(starts)]
    first, last = statistics.median(taken[:100]), statistics.median(taken[-100:])
    print(f"{turns:,} scripted turns with a read each: first hundred {first:.2f} ms a turn, "
          f"last hundred {last:.2f} ms ({last / first:.2f} ×)")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Ferrule against the floor and rivals.")
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    agents = {"floor": "", "ferrule": "", **dict(one.split("=", 1) for one in args.rival)}
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        (work / "home").mkdir()
        os.environ |= {"XDG_DATA_HOME": str(work / "data"), "XDG_CONFIG_HOME": str(work / "config")}
        help_screen(work, args.repeats)
        once_ = one_request(agents, work, args.repeats)
        thirty_turns(agents, work, once_, max(args.repeats // 2, 1))
        long_run(work)


if __name__ == "__main__":
    main()
