"""A process that writes a session is killed at any moment: nothing that it said was written is lost."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from ferrule.core.events import Notice
from ferrule.session.log import SessionLog
from ferrule.session.reading import read_log, rebuild
from tests.session.samples import header
from tests.support import assert_sendable

KILLS = 200

WRITER = """
import os, random, sys
from pathlib import Path
from ferrule.core.events import *
from ferrule.core.messages import *
from ferrule.session.log import SessionLog
from tests.session.samples import header, turns

path, seed = Path(sys.argv[1]), int(sys.argv[2])
sizes = random.Random(seed)
log = SessionLog.open(path) if path.exists() else SessionLog.create(path, header())
runs = turns("x")
for count in range(1_000_000):
    log.write(Notice(text=f"{seed}:{count} " + "x" * sizes.choice((10, 1_000, 100_000, 1_000_000))))
    log.write(next(runs))
    os.write(1, b"%d\\n" % count)
"""


def acknowledged(seed: int, path: Path) -> int:
    """Let a process write, kill it after a random number of acknowledgements, and count them all."""
    words = [sys.executable, "-c", WRITER, str(path), str(seed)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout
        assert writer.stderr
        for _ in range(random.Random(-seed).randrange(1, 60)):
            last = writer.stdout.readline()
            assert last, writer.stderr.read()
        writer.kill()
        *_, last = last, *writer.stdout.read().splitlines()
        assert writer.stderr.read() == b""
    return int(last) + 1


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_acknowledged_event_is_lost_by_a_kill(tmp_path: Path) -> None:
    torn = total = 0
    for seed in range(KILLS):
        path = tmp_path / f"{seed // 2}.jsonl"  # every second one goes on with the session of the one before
        count = acknowledged(seed, path)
        loaded = read_log(path)
        kept = {event.text.split()[0] for event in loaded.events if isinstance(event, Notice)}
        assert {f"{seed}:{place}" for place in range(count)} <= kept
        assert_sendable(rebuild(loaded).messages)
        torn += any("cut off" in warning for warning in loaded.warnings)
        total += count
        if seed % 2:
            with SessionLog.open(path) as log:
                log.write(Notice(text="still writable"))
            assert read_log(path).events[-1] == Notice(text="still writable")
            path.unlink()
    print(f"{total} acknowledged, 0 lost, {torn} torn tails")
    assert total > KILLS


@pytest.mark.slow
def test_a_session_of_many_resumes_numbers_its_records_without_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "an-id.jsonl"
    for count in range(300):
        log = SessionLog.open(path) if path.exists() else SessionLog.create(path, header())
        log.write(Notice(text=str(count)))
        log.close()
    loaded = read_log(path)
    assert loaded.events == tuple(Notice(text=str(count)) for count in range(300))
    assert loaded.next == 601
