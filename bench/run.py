"""`make bench`: what Ferrule costs, as ratios to a bare interpreter in the same run."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import msgspec
from measure import Cost, medians

import ferrule
from ferrule.core.events import Event, TurnStarted

FERRULE = str(Path(sys.executable).parent / "ferrule")
REPEATS = 7


def processes(work: Path) -> None:
    """Whole processes: help, a one-turn run, thirty turns with a command each."""
    hello, thirty = work / "hello.jsonl", work / "thirty.jsonl"
    hello.write_text('{"text": "Hello."}\n')
    turns = [{"calls": [{"name": "bash", "input": {"command": f"echo {number}"}}]} for number in range(30)]
    thirty.write_bytes(b"\n".join(msgspec.json.encode(turn) for turn in [*turns, {"text": "Done."}]))
    env = {
        **os.environ,
        "XDG_DATA_HOME": str(work / "data"),
        "XDG_CONFIG_HOME": str(work / "config"),
        "HOME": str(work),
    }
    costs = medians(
        {
            "bare interpreter": [sys.executable, "-c", "pass"],
            "ferrule --help": [FERRULE, "--help"],
            "one turn": [FERRULE, "-P", "replay", "-m", str(hello), "-p", "hi"],
            "thirty turns, a command each": [
                *(FERRULE, "-P", "replay", "-m", str(thirty), "--mode", "yolo", "-p", "hi"),
            ],
        },
        env=env,
        cwd=work,
        repeats=REPEATS,
    )
    floor = costs["bare interpreter"]
    print(f"{'':32}{'wall ms':>9}{'CPU ms':>9}{'MB':>7}{'wall ×':>8}{'CPU ×':>8}")
    for name, cost in costs.items():
        print(_row(name, cost, floor))
    one, many = costs["one turn"], costs["thirty turns, a command each"]
    print(f"\nper turn with a command: {(many.wall - one.wall) / 30 * 1000:.1f} ms wall, "
          f"{(many.cpu - one.cpu) / 30 * 1000:.1f} ms CPU")  # fmt: skip


def _row(name: str, cost: Cost, floor: Cost) -> str:
    wall, cpu = cost.wall * 1000, cost.cpu * 1000
    return (
        f"{name:32}{wall:9.1f}{cpu:9.1f}{cost.megabytes:7.1f}{cost.wall / floor.wall:8.2f}{cost.cpu / floor.cpu:8.2f}"
    )


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
    taken = [(b - a) * 1000 for a, b in pairwise(starts)]
    first, last = statistics.median(taken[:100]), statistics.median(taken[-100:])
    print(f"{turns:,} turns with a read each: first hundred {first:.2f} ms a turn, last hundred {last:.2f} ms "
          f"({last / first:.2f} ×)")  # fmt: skip


def main() -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        os.environ |= {"XDG_DATA_HOME": str(work / "data"), "XDG_CONFIG_HOME": str(work / "config")}
        processes(work)
        long_run(work)


if __name__ == "__main__":
    main()
