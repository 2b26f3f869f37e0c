"""What a machine can carry, by what its system tells: memory, cores, and the limits of a container."""

import os
import struct
from collections.abc import Mapping
from pathlib import Path

import pytest

from ferrule.core.errors import UsageError
from ferrule.llm.local.gguf import Shape, shape_of
from ferrule.llm.local.machine import Plan, cores, free_memory, plan
from tests.llm.local.weights import SMALL, write_weights

GB = 1_000_000_000
MEMINFO = "MemTotal: 9000000 kB\nMemAvailable: 4000000 kB\n"
LARGE: Mapping[str, str | int] = {
    "general.architecture": "large",
    "large.block_count": 28,
    "large.context_length": 32_768,
    "large.embedding_length": 1_536,
    "large.attention.head_count": 12,
    "large.attention.head_count_kv": 2,
}
"""Some 29 kB for each token."""


def system(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def with_memory(root: Path, free: int) -> Path:
    return system(root, {"proc/meminfo": f"MemAvailable: {free // 1024} kB\n"})


@pytest.mark.parametrize(
    ("facts", "token_bytes"),
    [
        (SMALL, 2 * 2 * (16 + 16) * 2),
        (LARGE, 28_672),
        ({**SMALL, "small.attention.key_length": 8, "small.attention.value_length": 4}, 2 * 2 * (8 + 4) * 2),
        ({**SMALL, "small.attention.head_count_kv": [1, 3]}, 4 * 32 * 2),
        ({name: value for name, value in SMALL.items() if "kv" not in name}, 2 * 4 * 32 * 2),
        ({**SMALL, "tokenizer.ggml.tokens": [1, 2, 3], "small.block_count": 2}, 2 * 2 * 32 * 2),
    ],
    ids=["grouped", "large", "own lengths", "by layer", "all heads", "a vocabulary"],
)
def test_a_file_tells_what_a_token_takes(
    tmp_path: Path, facts: Mapping[str, str | int | list[int]], token_bytes: int
) -> None:
    path = write_weights(tmp_path / "w.gguf", facts, size=5_000)
    assert shape_of(path) == Shape(size=5_000, window=32_768, token_bytes=token_bytes)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "This is no GGUF file, or a damaged one."),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "This is no GGUF file, or a damaged one."),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**60), "This is no GGUF file, or a damaged one."),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "This GGUF file holds no language model."),
    ],
    ids=["empty", "too old", "an endless name", "nothing in it"],
)
def test_a_damaged_head_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "w.gguf"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        shape_of(path)
    assert str(caught.value) == f"{path}: {words}"


def test_a_head_that_is_cut_anywhere_is_an_error_and_nothing_worse(tmp_path: Path) -> None:
    whole = write_weights(tmp_path / "w.gguf").read_bytes()
    for end in range(len(whole)):
        (tmp_path / "cut.gguf").write_bytes(whole[:end])
        with pytest.raises(UsageError):
            shape_of(tmp_path / "cut.gguf")


@pytest.mark.parametrize(
    ("free", "context"), [(24 * GB, 16_384), (4 * GB, 8_192), (1_600_000_000, 4_096), (1_540_000_000, 2_048)]
)
def test_the_context_is_as_long_as_memory_allows(tmp_path: Path, free: int, context: int) -> None:
    weights = write_weights(tmp_path / "w.gguf", LARGE, size=1_117_320_768)
    found = plan(weights, system=with_memory(tmp_path, free))
    assert found.context == context
    assert found.need == 1_117_320_768 + 350_000_000 + context * 28_672
    assert 0 <= found.kept <= min(512 * 1024 * 1024, free - found.need)


def test_a_context_that_was_asked_for_is_taken(tmp_path: Path) -> None:
    weights = write_weights(tmp_path / "w.gguf", size=1_000)
    found = plan(weights, context=512, system=with_memory(tmp_path, GB))
    need = 350_000_000 + 1_000 + 512 * 256
    kept = (GB // 1024 * 1024 - need) // 4
    usable = cores(tmp_path)
    assert found == Plan(readers=usable, writers=max(1, usable - 1), context=512, kept=kept, need=need)


def test_a_window_that_was_trained_shorter_is_not_passed(tmp_path: Path) -> None:
    weights = write_weights(tmp_path / "w.gguf", {**SMALL, "small.context_length": 4_096})
    assert plan(weights, system=with_memory(tmp_path, 24 * GB)).context == 4_096


def test_short_memory_is_said_with_numbers_and_a_way_out(tmp_path: Path) -> None:
    weights = write_weights(tmp_path / "w.gguf", LARGE, size=1_117_320_768)
    with pytest.raises(UsageError) as caught:
        plan(weights, system=with_memory(tmp_path, 900_000_000))
    assert str(caught.value) == (
        "There is not enough memory for w.gguf: it needs 1.53 GB (1.12 GB for the weights, 59 MB for a context of "
        "2,048 tokens, 350 MB to work in), and 900 MB can be had. End other programs, or take a smaller model: "
        "`ferrule models list` shows them."
    )
    with pytest.raises(UsageError, match=r"A context of 18,432 tokens would fit\.$"):
        plan(weights, context=32_768, system=with_memory(tmp_path, 2 * GB))


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, 4_096_000_000),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/memory.max": "2000000000",
                "sys/fs/cgroup/a/memory.current": "1500000000",
                "sys/fs/cgroup/a/memory.stat": "anon 5\ninactive_file 300000000\n",
                "sys/fs/cgroup/a/b/memory.max": "max",
                "sys/fs/cgroup/a/b/memory.current": "1",
            },
            800_000_000,
        ),
        (
            {
                "proc/self/cgroup": "9:cpu:/x\n4:memory:/y\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000000000",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": "1500000000",
            },
            0,
        ),
        ({"proc/self/cgroup": "nonsense"}, 4_096_000_000),
        (
            {"proc/self/limits": "Max address space         700000000            700000000            bytes\n"},
            700_000_000,
        ),
        (
            {"proc/self/limits": "Max address space         unlimited            unlimited            bytes\n"},
            4_096_000_000,
        ),
    ],
    ids=["none", "two", "one", "nonsense", "a shell's", "none of a shell's"],
)
def test_a_container_has_what_its_groups_leave(tmp_path: Path, files: Mapping[str, str], free: int) -> None:
    assert free_memory(system(tmp_path, {"proc/meminfo": MEMINFO, **files})) == free


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs Linux")
def test_threads_of_one_core_are_one(tmp_path: Path) -> None:
    allowed = sorted(os.sched_getaffinity(0))
    assert cores(tmp_path) == len(allowed)
    place = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    assert cores(system(tmp_path, {place.format(one): "0-63\n" for one in allowed})) == 1
    slow = {**{place.format(one): f"{one}\n" for one in allowed}, "sys/devices/cpu_core/cpus": f"{allowed[0]}\n"}
    assert cores(system(tmp_path, slow)) == 1


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs Linux")
def test_a_quota_counts_as_cores(tmp_path: Path) -> None:
    assert cores(system(tmp_path, {"sys/fs/cgroup/cpu.max": "50000 100000\n"})) == 1
    assert cores(system(tmp_path, {"sys/fs/cgroup/cpu.max": "max 100000\n"})) == len(os.sched_getaffinity(0))
