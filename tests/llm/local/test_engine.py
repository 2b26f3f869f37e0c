"""One engine for all runs of a user: found, started, shared, ended; and each way in which one can be lost."""

import os
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ferrule.core.errors import ProviderError, UsageError
from ferrule.llm.local.engine import (
    Wanted,
    engine_for,
    engine_ready,
    has_ended,
    place_of,
    running,
    stop,
    window,
)
from ferrule.llm.local.installed import MISSING
from ferrule.llm.local.places import Place, State, born
from ferrule.llm.local.serve import LARGEST_LOG
from ferrule.version import __version__
from tests.llm.local.door import ask
from tests.llm.local.engines import engines, wait_until

Wish = Callable[..., Wanted]


def is_alive(wanted: Wanted) -> bool:
    return place_of(wanted).is_taken()


@pytest.fixture
def wish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wish]:
    with engines(tmp_path, monkeypatch) as make:
        yield make


async def test_the_second_run_finds_the_engine_of_the_first(wish: Wish, tmp_path: Path) -> None:
    wanted = wish()
    assert (is_alive(wanted), running()) == (False, ())
    first = engine_for(wanted)
    assert await engine_ready(wanted) == first
    (state,) = running()
    port = int(first.base_url.rpartition(":")[2])
    assert state == State(
        pid=first.pid,
        born=born(first.pid),
        model="small",
        weights=str(wanted.weights),
        context=first.context,
        version=__version__,
        port=port,
        key=first.key.reveal(),
    )
    assert window(wanted) == first.context
    assert is_alive(wanted)
    assert first.key.reveal() not in repr((first, state))


def test_its_files_are_for_its_user_alone_and_its_key_on_no_command_line(wish: Wish) -> None:
    wanted = wish()
    found = engine_for(wanted)
    directory = place_of(wanted).directory
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    kinds = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir() if not path.is_socket()}
    assert kinds == {".lock": 0o600, ".json": 0o600, ".log": 0o600}
    if Path("/proc").is_dir():
        process = Path(f"/proc/{found.pid}")
        assert found.key.reveal().encode() not in (process / "cmdline").read_bytes()


def test_what_the_engine_gets_of_the_environment_holds_no_keys(wish: Wish, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    found = engine_for(wish())
    if Path("/proc").is_dir():
        environment = Path(f"/proc/{found.pid}/environ").read_bytes()
        assert b"sk-secret" not in environment
        assert b"OMP_WAIT_POLICY=passive" in environment
        assert b"GGML_NO_BACKTRACE=1" in environment  # where it breaks off, no debugger looks into what was asked


def test_runs_that_begin_at_once_share_one_engine(wish: Wish) -> None:
    wanted = wish()
    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(lambda _: engine_for(wanted), range(5)))
    assert found == [found[0]] * 5


def test_loading_is_told_by_the_second(wish: Wish) -> None:
    wanted = wish("waits.gguf")
    told: list[str] = []

    def say(words: str) -> None:
        told.append(words)
        wanted.weights.with_suffix(".go").touch()

    engine_for(wanted, say=say)
    assert re.fullmatch(r"Loading small … \d+ s", told[0])  # 1, unless the machine is busy


def test_loading_ends_some_time(wish: Wish) -> None:
    wanted = wish("waits.gguf", loading_seconds=1)
    with pytest.raises(ProviderError, match=r"small was not ready within \d+ s\."):
        engine_for(wanted)
    wait_until(lambda: not is_alive(wanted))


def test_an_engine_that_ends_while_loading_has_its_last_words(wish: Wish) -> None:
    wanted = wish("fails.gguf")
    with pytest.raises(ProviderError) as caught:
        engine_for(wanted)
    assert not caught.value.retryable
    assert str(caught.value) == (
        f"The engine of small ended with code 1 while it was loading. Its log {place_of(wanted).log} ends with:\n"
        "0.00.002 E llama_model_load: unknown architecture\n"
        "RuntimeError: Failed to init server, please check the input params."
    )


def test_the_line_with_which_it_broke_off_is_among_its_last_words(tmp_path: Path) -> None:
    place = Place(directory=tmp_path, name="one")
    place.log.write_text("0.1 E no such thing\n0.2 I all is well\nGGML_ASSERT(n > 0) failed\n")
    assert place.last_words() == "0.1 E no such thing\nGGML_ASSERT(n > 0) failed"


@pytest.mark.slow
def test_an_engine_that_is_killed_while_loading_may_have_lacked_memory(wish: Wish) -> None:
    with pytest.raises(ProviderError, match="was ended by signal 9 while it was loading, perhaps for want of memory"):
        engine_for(wish("killed.gguf"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("starves.gguf", r"while it was loading for want of memory\. End other programs, .* Its log .*kv cache"),
        ("killed.gguf", r"while it was loading, perhaps for want of memory\. End other programs, set local\.context"),
    ],
)
def test_who_lacks_memory_is_told_what_to_do(wish: Wish, name: str, words: str) -> None:
    with pytest.raises(ProviderError, match=f"(?s){words}"):
        engine_for(wish(name))


def test_after_a_kill_the_next_request_gets_a_new_one(wish: Wish) -> None:
    wanted = wish()
    first = engine_for(wanted)
    os.kill(first.pid, signal.SIGKILL)
    second = engine_for(wanted)
    assert second.pid != first.pid
    assert second.key != first.key


def test_one_that_hangs_is_ended_and_replaced(wish: Wish) -> None:
    wanted = wish(silence=1)
    first = engine_for(wish())
    os.kill(first.pid, signal.SIGSTOP)
    told: list[str] = []
    second = engine_for(wanted, say=told.append)
    assert second.pid != first.pid
    assert born(first.pid) == ""
    assert "The engine of small does not answer; it is started anew." in told


@pytest.mark.slow  # two that hang, one after the other
def test_one_that_cannot_load_in_the_place_of_one_that_hangs_is_not_tried_for_ever(wish: Wish) -> None:
    wanted = wish(silence=1)
    os.kill(engine_for(wish()).pid, signal.SIGSTOP)
    wanted.weights.with_suffix(".bad").touch()
    with pytest.raises(ProviderError, match="ended with code 1 while it was loading"):
        engine_for(wanted)


@pytest.mark.slow
def test_one_whose_door_refuses_everybody_is_ended_and_replaced(wish: Wish) -> None:
    wanted = wish(silence=0.2)
    place = place_of(wanted)
    claim = place.claim()
    assert claim is not None
    with subprocess.Popen(["sleep", "60"], pass_fds=(claim,)) as sick, socket.socket() as closed:
        os.close(claim)
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        place.write(
            State(pid=sick.pid, born=born(sick.pid), model="", weights="", context=1, version="", port=port, key="k")
        )
        assert engine_for(wanted).pid != sick.pid
        assert sick.wait() == -signal.SIGKILL


@pytest.mark.slow
def test_one_that_llama_cpp_does_not_answer_leaves(wish: Wish) -> None:
    wanted = wish()
    first = engine_for(wanted)
    (place_of(wanted).directory / place_of(wanted).socket).unlink()
    with ask(first, "Hi.") as answer:
        assert answer.rest().startswith("HTTP/1.1 502 ")
    wait_until(lambda: has_ended(first))
    assert engine_for(wanted).pid != first.pid


def test_a_process_that_has_the_number_of_a_dead_engine_is_left_alone(wish: Wish) -> None:
    wanted = wish(silence=0.2)
    place = place_of(wanted)
    with subprocess.Popen(["sleep", "60"]) as other, socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        stale = State(pid=other.pid, born="1", model="small", weights="", context=1, version="", port=port, key="k")
        place.write(stale)
        claim = place.claim()
        assert claim is not None
        with pytest.raises(ProviderError, match="does not answer, even started anew"):
            engine_for(wanted)
        assert stop(patience=0) == ()
        os.close(claim)
        found = engine_for(wish())
        assert found.pid != other.pid
        assert other.poll() is None
        other.kill()


def test_what_cannot_be_understood_counts_as_nothing_said(wish: Wish) -> None:
    wanted = wish()
    place = place_of(wanted)
    (place.directory / f"{place.name}.json").write_bytes(b'{"pid": "no')
    assert place.state() is None
    assert engine_for(wanted).model == "small"


def test_changed_weights_are_another_model(wish: Wish) -> None:
    wanted = wish()
    first = engine_for(wanted)
    os.utime(wanted.weights, ns=(1, 1))
    second = engine_for(wanted)
    assert {state.pid for state in running()} == {first.pid, second.pid}


def test_nobody_asking_ends_it(wish: Wish) -> None:
    wanted = wish(idle_seconds=1)
    engine_for(wanted)
    wait_until(lambda: not is_alive(wanted))
    assert running() == ()
    assert list(place_of(wanted).directory.iterdir()) == []


def test_what_is_left_of_others_is_removed_once_it_is_old(wish: Wish) -> None:
    wanted, directory = wish(), place_of(wish()).directory
    for name in ("old", "held", "recent"):
        place = Place(directory=directory, name=name)
        place.log.write_text("It was killed.")
        claim = place.claim()
        assert claim is not None
        if name != "held":
            os.close(claim)
        for file in directory.glob(f"{name}.*") if name != "recent" else ():
            os.utime(file, (1, 1))
    engine_for(wanted)
    assert {path.stem for path in directory.iterdir()} == {"held", "recent", place_of(wanted).name}


def test_a_lock_that_was_removed_holds_nobody_off_and_lets_no_two_in(wish: Wish) -> None:
    place, inside = place_of(wish()), []

    def come_and_go(number: int) -> int:
        entered = 0
        for _ in range(200):
            if (claim := place.claim()) is not None:
                inside.append(number)
                assert inside == [number]
                inside.remove(number)
                entered += 1
                place.clear()
                os.close(claim)
        return entered

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(come_and_go, range(4))) > 0
    assert not place.is_taken()


def test_an_answer_is_finished_however_long_it_takes(wish: Wish) -> None:
    wanted = wish(idle_seconds=1)
    found = engine_for(wanted)
    with ask(found, "slowly") as answer:
        assert answer.read_until("Hello")
        assert stop(patience=1.2) == ()
        assert is_alive(wanted)
        wanted.weights.with_suffix(".go").touch()
        assert "[DONE]" in answer.rest()
    wait_until(lambda: not is_alive(wanted))


def test_a_client_that_goes_away_ends_its_answer(wish: Wish) -> None:
    wanted = wish()
    with ask(engine_for(wanted), "slowly") as answer:
        assert answer.read_until("Hello")
    wait_until(wanted.weights.with_suffix(".left").exists)


def test_stop_ends_all_of_them(wish: Wish) -> None:
    found = {engine_for(wish(name)).pid for name in ("one.gguf", "two.gguf")}
    assert {state.pid for state in stop(patience=30)} == found
    assert running() == ()


def test_ctrl_c_and_a_closed_terminal_do_not_reach_it(wish: Wish) -> None:
    wanted = wish()
    found = engine_for(wanted)
    assert os.getsid(found.pid) == found.pid
    for number in (signal.SIGINT, signal.SIGHUP):
        os.kill(found.pid, number)
    assert engine_for(wanted) == found


@pytest.mark.slow
def test_one_that_nobody_can_find_any_more_leaves(wish: Wish) -> None:
    wanted = wish(idle_seconds=8)
    found = engine_for(wanted)
    place_of(wanted).forget()
    wait_until(lambda: not born(found.pid))


def test_its_log_does_not_grow_without_end(wish: Wish) -> None:
    wanted = wish(idle_seconds=2)
    with ask(engine_for(wanted), "noisily") as answer:
        assert "[DONE]" in answer.rest()
    log = place_of(wanted).log
    wait_until(lambda: 0 < log.stat().st_size < LARGEST_LOG)


def test_without_its_package_one_sentence_says_what_to_do(wish: Wish) -> None:
    with pytest.raises(UsageError) as caught:
        engine_for(wish(package="no_such_engine"))
    assert str(caught.value) == MISSING


def test_too_little_memory_is_said_before_anything_is_loaded(wish: Wish) -> None:
    wanted = wish(context=10**12)
    with pytest.raises(UsageError, match=r"There is not enough memory for small\.gguf: it needs .* can be had\."):
        engine_for(wanted)
    assert not is_alive(wanted)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"nonsense" * 10])
def test_a_file_that_holds_no_weights_is_named(wish: Wish, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.gguf").write_bytes(content)
    with pytest.raises(UsageError, match=r"bad\.gguf: This is no GGUF file, or a damaged one\."):
        engine_for(wish("bad.gguf"))


def test_missing_weights_are_named(wish: Wish, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.gguf: The weights cannot be read: No such file"):
        engine_for(wish(weights=tmp_path / "gone.gguf"))


def test_a_directory_that_others_can_open_is_refused(wish: Wish, tmp_path: Path) -> None:
    (tmp_path / "run" / "ferrule").mkdir(mode=0o755)
    (tmp_path / "run" / "ferrule").chmod(0o755)
    with pytest.raises(UsageError, match="nobody else can open"):
        engine_for(wish())


def test_where_memory_is_short_other_engines_make_room_first(wish: Wish) -> None:
    other = engine_for(wish("other.gguf"))
    with pytest.raises(UsageError, match="not enough memory"):
        engine_for(wish(context=10**12))
    assert born(other.pid) == ""


def test_one_that_is_loading_makes_no_room(wish: Wish) -> None:
    wanted = wish("waits.gguf")
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(engine_for, wanted)
        wait_until(running)
        with pytest.raises(UsageError, match="not enough memory"):
            engine_for(wish(context=10**12))
        wanted.weights.with_suffix(".go").touch()
        assert not has_ended(found.result())
