"""The promises about processes, a hundred times over: no survivor, no leak, no flood that hurts."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.process import Processes
from tests.host.shapes import SHAPES, SLEEPERS, is_alive, new_token, processes_in, wait_for_sleepers

pytestmark = pytest.mark.slow
TIMES = 100


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    async with processes_in(tmp_path) as ours:
        yield ours


@pytest.mark.timeout(600)
@pytest.mark.parametrize("shape", SHAPES)
async def test_no_tree_survives_its_end(processes: Processes, tmp_path: Path, shape: str) -> None:
    for _ in range(TIMES):
        token = new_token()
        process = await processes.start(SHAPES[shape].format(token), outputs=tmp_path)
        assert wait_for_sleepers(token, SLEEPERS[shape], seconds=20)
        await process.kill()
        assert wait_for_sleepers(token, 0, seconds=20)  # it waits for two seconds itself, which a busy machine may need


@pytest.mark.timeout(600)
@pytest.mark.parametrize("shape", SHAPES)
async def test_no_tree_survives_whenever_it_is_killed(processes: Processes, tmp_path: Path, shape: str) -> None:
    chance = random.Random(shape)
    for _ in range(TIMES):
        token = new_token()
        process = await processes.start(SHAPES[shape].format(token), outputs=tmp_path)
        await asyncio.sleep(chance.uniform(0, 0.03))
        await process.kill()
        assert wait_for_sleepers(token, 0, seconds=20)  # it waits for two seconds itself, which a busy machine may need


AGENT = """
import asyncio, pathlib, sys
from ferrule.host.process import Processes

async def main(directory, commands):
    processes = Processes(directory, directory / "private")
    kept = [await processes.start(command, outputs=directory) for command in commands]
    print("ready", processes._keeper.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
"""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_no_tree_survives_the_death_of_ferrule(tmp_path: Path, number: signal.Signals) -> None:
    for _ in range(TIMES // 3):
        token = new_token()
        commands = [shape.format(token) for shape in SHAPES.values()]
        with subprocess.Popen([sys.executable, "-c", AGENT, tmp_path, *commands], stdout=subprocess.PIPE) as agent:
            try:
                assert agent.stdout
                keeper = int(agent.stdout.readline().split()[1])
                assert wait_for_sleepers(token, sum(SLEEPERS.values()), seconds=30)
            finally:
                agent.send_signal(number)
        assert wait_for_sleepers(token, 0, seconds=2)
        assert not is_alive(keeper)


@pytest.mark.timeout(900)
def test_no_tree_survives_a_death_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(1)
    for _ in range(TIMES):
        token = new_token()
        commands = [shape.format(token) for shape in SHAPES.values()]
        with subprocess.Popen([sys.executable, "-c", AGENT, tmp_path, *commands], stdout=subprocess.DEVNULL) as agent:
            time.sleep(chance.uniform(0.05, 0.4))
            agent.kill()
        time.sleep(0.5)  # what was just beginning may have shown itself by now
        assert wait_for_sleepers(token, 0, seconds=1.5)


@pytest.mark.timeout(300)
async def test_keepers_and_monitors_may_be_killed_at_any_moment(processes: Processes, tmp_path: Path) -> None:
    chance = random.Random(2)
    for number in range(TIMES):
        job = await processes.start(f"sleep 0.0{number % 7}; echo {number}", outputs=tmp_path)
        victim = chance.choice([processes._keeper.pid, job.family.root])
        assert victim
        os.kill(victim, signal.SIGKILL)
        await asyncio.wait([job.gone], timeout=10)
        assert job.gone.done()
        assert job.output.take() in {f"{number}\n", ""}
    again = await processes.start("echo fine", outputs=tmp_path)
    await asyncio.wait([again.gone])
    assert again.output.take() == "fine\n"


@pytest.mark.timeout(60)
async def test_a_keeper_that_hangs_is_replaced(processes: Processes, tmp_path: Path) -> None:
    job = await processes.start("sleep 60", outputs=tmp_path)
    assert processes._keeper.pid
    os.kill(processes._keeper.pid, signal.SIGSTOP)
    with pytest.raises(ToolError, match="could not be started within 10 s"):
        await processes.start("true", outputs=tmp_path)

    again = await processes.start("echo fine", outputs=tmp_path)
    await asyncio.wait([again.gone])
    assert again.output.take() == "fine\n"
    assert not job.gone.done()


FLOOD = """
import asyncio, json, pathlib, sys, time
from ferrule.core.tool import ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.tools.bash import Bash

def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])

async def main(directory, command):
    processes = Processes(directory, directory / "private")
    host = Host(files=Files(), processes=processes, outputs=directory / "outputs")
    context = ToolContext(directory=directory, host=host, report=lambda text: None)
    tool = Bash()
    await tool.run(tool.parse({"command": "seq 100000"}), context)
    before, gaps = peak(), []

    async def beat():
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - began - 0.01)

    heart = asyncio.create_task(beat())
    output = await tool.run(tool.parse({"command": command, "timeout": 600}), context)
    heart.cancel()
    await processes.close()
    kept = sum(file.stat().st_size for file in (directory / "outputs").iterdir())
    gaps.sort()
    print(json.dumps({
        "grown_kb": peak() - before, "gap": gaps[len(gaps) * 99 // 100], "kept": kept,
        "bytes": len(output.content.encode()), "lines": output.content.count(chr(10)), "end": output.content[-30:],
    }))

asyncio.run(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "command",
    [
        "yes | head -c 3G",
        "head -c 1G /dev/zero | tr '\\0' x",
        "head -c 300M /dev/zero",
        "head -c 60M /dev/urandom",
        "yes $'\\r\\033[31m 50 %\\b' | head -c 60M",
        "yes 'ä line with some Ümlauts and ✓' | head -c 500M",
    ],
)
def test_a_flood_costs_neither_memory_nor_patience(tmp_path: Path, command: str) -> None:
    done = subprocess.run([sys.executable, "-c", FLOOD, tmp_path, command], stdout=subprocess.PIPE, check=True)
    seen: dict[str, Any] = json.loads(done.stdout)

    assert seen["grown_kb"] < 20_000
    assert seen["gap"] < 0.1
    assert seen["bytes"] < 50_000
    assert seen["lines"] < 2_000
    assert seen["kept"] < 65_000_000
    assert seen["end"].endswith("Exit code: 0")


@pytest.mark.timeout(300)
async def test_a_thousand_commands_leave_nothing(processes: Processes, tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async def one(number: int) -> None:
        process = await processes.start(f"echo {number}", outputs=tmp_path)
        await processes.attend(process, seconds=60)
        await asyncio.wait([process.gone])
        assert process.output.take() == f"{number}\n"

    await one(0)
    before = descriptors()
    for number in range(0, 1_000, 4):
        await asyncio.gather(*(one(number + offset) for offset in range(4)))
    processes._keeper.hang_up()

    assert descriptors() <= before
    assert processes._unfinished == set()
