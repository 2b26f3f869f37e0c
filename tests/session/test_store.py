import os
import re
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from ferrule.core.errors import SessionError
from ferrule.core.events import Appended, Notice, RunStarted
from ferrule.core.messages import Text, User, said
from ferrule.session.log import SessionLog
from ferrule.session.reading import read_log
from ferrule.session.store import Store, new_id, outputs_of
from ferrule.session.summary import Summary
from tests.session.samples import EVERY_EVENT, KEPT, turns

DAY = 86_400


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "work" / "My Project"
    directory.mkdir(parents=True)
    return directory


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "sessions")


def add(store: Store, project: Path, prompt: str = "Hello", *, age: float = 0) -> Summary:
    """A closed session that was last used so many seconds ago."""
    with store.create(project, model="scripted") as log:
        log.write(RunStarted())
        log.write(Appended(message=said(prompt)))
    moment = time.time() - age
    os.utime(log.path, (moment, moment))
    return next(one for one in store.list(project) if one.path == log.path)


def ids(sessions: tuple[Summary, ...]) -> list[str]:
    return [one.id for one in sessions]


# Where they lie


def test_an_id_looks_like_a_uuid_and_sorts_by_time() -> None:
    made = [new_id() for _ in range(10_000)]
    assert sorted(made) == made
    assert len(set(made)) == len(made)
    shape = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    assert all(shape.fullmatch(one) for one in made)
    assert abs(int(made[0][:13].replace("-", ""), 16) / 1000 - time.time()) < 60


def test_a_project_has_a_folder_that_a_person_knows(store: Store, project: Path, tmp_path: Path) -> None:
    folder = store.folder(project)
    assert re.fullmatch(r"work-My-Project-[0-9a-f]{8}", folder.name)
    assert folder.parent == store.root
    link = tmp_path / "link"
    link.symlink_to(project)
    assert store.folder(link) == folder
    other = tmp_path / "other" / "work" / "My Project"
    assert store.folder(other).name[:-8] == folder.name[:-8]
    assert store.folder(other) != folder
    for odd in ("/", "/..", "/漢字", "/" + "x" * 200, "/.../-"):
        assert re.fullmatch(r"[A-Za-z0-9-]{0,41}[0-9a-f]{8}", store.folder(Path(odd)).name)


def test_a_new_session_says_where_and_with_what_it_began(store: Store, project: Path) -> None:
    session = add(store, project)
    header = read_log(session.path).header
    assert (header.id, header.directory, header.model) == (session.id, str(project), "scripted")
    assert session.path == store.folder(project) / f"{session.id}.jsonl"


# Listing


def test_the_list_has_the_one_used_last_first(store: Store, project: Path, tmp_path: Path) -> None:
    old = add(store, project, "old", age=50)
    new = add(store, project, "new", age=10)
    middle = add(store, project, "middle", age=30)
    elsewhere = add(store, tmp_path, "elsewhere", age=20)
    assert [(one.number, one.first_prompt) for one in store.list(project)] == [(1, "new"), (2, "middle"), (3, "old")]
    assert ids(store.list()) == [new.id, elsewhere.id, middle.id, old.id]
    assert {one.number for one in store.list()} == {0}
    latest = store.latest(project)
    assert latest
    assert latest.id == new.id


def test_there_may_be_nothing(store: Store, project: Path) -> None:
    assert store.list() == ()
    assert store.list(project) == ()
    assert store.latest(project) is None
    assert store.prune() == 0


def test_a_summary_says_what_a_session_came_to(store: Store, project: Path) -> None:
    with store.create(project, model="scripted") as log:
        log.write(Appended(message=User(content=(Text("not the person"),), by="ferrule")))
        for event in EVERY_EVENT:
            log.write(event)
        store.rename(log, "a name")
    (session,) = store.list(project)
    assert session == Summary(
        id=log.path.stem,
        number=1,
        name="a name",
        directory=str(project),
        model="scripted",
        first_prompt="What is here?",
        started=log.loaded.header.created,
        updated=log.path.stat().st_mtime,
        turns=2,
        messages=6,
        cost=0.03,
        path=log.path,
    )


def test_a_session_that_is_open_or_was_killed_is_counted(store: Store, project: Path) -> None:
    log = store.create(project)
    for event in EVERY_EVENT:
        log.write(event)
    store.rename(log, "mine")
    log.write(Notice(text="a later one"))
    (session,) = store.list(project)
    assert (session.name, session.turns, session.messages, session.cost) == ("mine", 2, 5, None)
    log.close()


def test_a_name_in_the_conversation_is_no_name(store: Store, project: Path) -> None:
    trap = '{"n":5,"at":0,"event":{"type":"session_named","name":"trap"}}'
    with store.create(project) as log:
        log.write(Appended(message=said(trap)))
    log = SessionLog.open(log.path)
    log.write(Appended(message=said(trap)))
    assert [one.name for one in store.list(project)] == [""]
    log.close()
    assert [one.name for one in store.list(project)] == [""]


def test_rubbish_in_the_store_does_no_harm(store: Store, project: Path) -> None:
    good = add(store, project, age=9)
    folder = store.folder(project)
    (folder / "a-directory.jsonl").mkdir()
    (folder / "a-link.jsonl").symlink_to("/etc/passwd")
    (folder / "notes.txt").write_text("mine")
    (store.root / "a-file").write_text("mine")
    os.mkfifo(folder / "a-pipe.jsonl")
    (folder / "rubbish.jsonl").write_bytes(os.urandom(10_000))
    (folder / "empty.jsonl").touch()
    assert {one.id for one in store.list(project)} == {good.id, "rubbish", "empty"}
    assert {one.id for one in store.list()} == {good.id, "rubbish", "empty"}
    store.prune()


def test_a_very_long_first_prompt_is_cut(store: Store, project: Path) -> None:
    session = add(store, project, "x" * 3_000_000)
    assert session.first_prompt == "x" * 1_000


def test_listing_reads_little(store: Store, project: Path) -> None:
    events = list(islice(turns("y" * 3_000), 8 * 300))
    with store.create(project) as log:
        for event in events:
            log.write(event)
    one = log.path.read_bytes()
    assert len(one) > 1_000_000
    for _ in range(199):
        log.path.with_name(f"{new_id()}.jsonl").write_bytes(one)
    began = time.process_time()
    sessions = store.list(project)
    took = time.process_time() - began
    assert len(sessions) == 200
    assert {session.turns for session in sessions} == {300}
    assert took < 1


# Finding


def test_a_session_is_found_by_number_id_prefix_and_name(store: Store, project: Path) -> None:
    first, second = add(store, project, age=20), add(store, project, age=10)
    store.rename(first, "the first")
    for reference in ("2", " 2 ", first.id, first.id.upper(), "the first", first.id[:-1]):
        assert store.find(project, reference).id == first.id
    assert store.find(project, "1").id == second.id


def test_a_session_of_another_project_is_found_by_id_only(store: Store, project: Path, tmp_path: Path) -> None:
    other = add(store, tmp_path)
    store.rename(other, "elsewhere")
    add(store, project)
    assert store.find(project, other.id).id == other.id
    assert store.find(project, other.id[:-2]).id == other.id
    with pytest.raises(SessionError, match="There is no session elsewhere"):
        store.find(project, "elsewhere")


def test_what_is_not_found_is_said_with_what_is_near(store: Store, project: Path) -> None:
    with pytest.raises(SessionError, match=r"There is no session x: .* has none yet"):
        store.find(project, "x")
    session = add(store, project)
    store.rename(session, "parser-fix")
    with pytest.raises(SessionError, match=r"There is no session parser-fx. There is parser-fix\."):
        store.find(project, "parser-fx")
    with pytest.raises(SessionError, match=r"There is no session number 7: .* has 1\."):
        store.find(project, "7")
    for reference in ("", "zzz", "../..", "\0", "9" * 5_000, "²", session.id[:3]):
        with pytest.raises(SessionError, match="There is no session"):
            store.find(project, reference)


def test_what_fits_several_is_said(store: Store, project: Path) -> None:
    made = [add(store, project) for _ in range(3)]
    common = made[0].id[:6]  # they began within the same two days
    with pytest.raises(SessionError, match=f"{common} fits 3 sessions: .*{made[0].id}.*Give more of the id"):
        store.find(project, common)


# Naming


def test_a_name_is_kept_and_does_not_count_as_use(store: Store, project: Path) -> None:
    old, new = add(store, project, age=1_000), add(store, project, age=10)
    assert store.rename(old, "  my \t name ") == "my name"
    assert [(one.id, one.name) for one in store.list(project)] == [(new.id, ""), (old.id, "my name")]
    assert store.rename(store.find(project, "my name"), "another") == "another"
    assert [one.name for one in store.list(project)] == ["", "another"]
    assert read_log(old.path).warnings == ()


def test_a_name_is_taken_once_in_a_project(store: Store, project: Path, tmp_path: Path) -> None:
    first, second, other = add(store, project), add(store, project), add(store, tmp_path)
    store.rename(first, "mine")
    store.rename(first, "mine")
    store.rename(other, "mine")
    with pytest.raises(SessionError, match=f"Another session has the name mine already: {first.id}"):
        store.rename(second, "mine")


@pytest.mark.parametrize("name", ["", "  ", "12", "a\x1b[31m", "x" * 101])
def test_what_is_no_name_is_refused(store: Store, project: Path, name: str) -> None:
    with pytest.raises(SessionError, match=r"A name has|taken for a number"):
        store.rename(add(store, project), name)


# Forking


def test_a_fork_goes_on_from_the_same_conversation(store: Store, project: Path, tmp_path: Path) -> None:
    with store.create(project, model="scripted") as log:
        for event in EVERY_EVENT:
            log.write(event)
    (session,) = store.list(project)
    store.rename(session, "mine")
    before = session.path.read_bytes()
    with store.fork(session) as copy:
        assert copy.loaded.events == KEPT
        assert copy.loaded.warnings == ()
        assert copy.name == ""
        copy.write(Notice(text="only here"))
    assert read_log(copy.path).events == (*KEPT, Notice(text="only here"))
    assert read_log(copy.path).header.forked_from == session.id
    assert copy.loaded.header.id == copy.path.stem != session.id
    assert session.path.read_bytes() == before
    with store.fork(session, tmp_path) as elsewhere:
        assert elsewhere.path.parent == store.folder(tmp_path)
        assert elsewhere.loaded.header.directory == str(tmp_path)


def test_a_session_in_use_can_be_forked_without_its_torn_end(store: Store, project: Path) -> None:
    log = store.create(project)
    for event in EVERY_EVENT:
        log.write(event)
    with log.path.open("ab") as file:
        file.write(b'{"n":99,"at":0,"event":{"type":"noti')
    (session,) = store.list(project)
    with store.fork(session) as copy:
        assert (copy.loaded.events, copy.loaded.warnings) == (KEPT, ())
    log.close()


# Removing


def with_outputs(session: Summary) -> Summary:
    outputs = outputs_of(session.path)
    (outputs / "deeper").mkdir(parents=True)
    (outputs / "1.txt").write_text("long")
    (outputs / "deeper" / "2.txt").write_text("long")
    (outputs / "link").symlink_to(session.path.parent.parent)
    return session


def test_a_session_goes_with_its_outputs(store: Store, project: Path) -> None:
    gone, stays = with_outputs(add(store, project)), with_outputs(add(store, project))
    store.remove(gone)
    assert ids(store.list(project)) == [stays.id]
    assert not outputs_of(gone.path).exists()
    assert (outputs_of(stays.path) / "deeper" / "2.txt").read_text() == "long"
    store.remove(gone)


def test_a_link_for_outputs_is_removed_and_not_followed(store: Store, project: Path, tmp_path: Path) -> None:
    session = add(store, project)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    outputs_of(session.path).symlink_to(precious)
    store.remove(session)
    assert (precious / "file").read_text() == "mine"
    assert not outputs_of(session.path).is_symlink()


def test_a_session_that_is_open_stays(store: Store, project: Path) -> None:
    with store.create(project) as log:
        log.write(RunStarted())
        with pytest.raises(SessionError, match="open in another Ferrule, so it stays"):
            store.remove(store.list(project)[0])
    store.remove(store.list(project)[0])


def test_pruning_keeps_the_last_few(store: Store, project: Path, tmp_path: Path) -> None:
    store.max_sessions = 2
    made = [with_outputs(add(store, project, age=age)) for age in (40, 30, 20, 10)]
    add(store, tmp_path)
    assert store.prune() == 2
    assert ids(store.list(project)) == [made[3].id, made[2].id]
    assert sorted(path.name for path in store.folder(project).iterdir()) == sorted(
        f"{one.id}{suffix}" for one in made[2:] for suffix in (".jsonl", ".outputs")
    )
    assert store.prune() == 0


def test_pruning_by_age_keeps_the_newest_and_those_in_use(store: Store, project: Path, tmp_path: Path) -> None:
    store.retention_days = 30
    oldest, old = add(store, project, age=60 * DAY), add(store, project, age=50 * DAY)
    newest = add(store, project, age=40 * DAY)
    fresh = add(store, tmp_path)
    with SessionLog.open(old.path):
        assert store.prune(project) == 1
    assert ids(store.list(project)) == [newest.id, old.id]
    assert not oldest.path.exists()
    assert fresh.path.exists()
    assert store.prune() == 1


def test_a_session_with_a_name_is_not_pruned(store: Store, project: Path) -> None:
    store.max_sessions, store.retention_days = 2, 30
    kept = add(store, project, age=40 * DAY)
    store.rename(kept, "the parser")
    unnamed, *later = [add(store, project, age=age) for age in (30, 20, 10)]
    assert store.prune() == 1
    assert ids(store.list(project)) == [later[1].id, later[0].id, kept.id]
    assert not unnamed.path.exists()
    assert store.prune() == 0


def test_without_limits_nothing_is_pruned(store: Store, project: Path) -> None:
    for _ in range(3):
        add(store, project, age=10_000 * DAY)
    assert store.prune() == 0
    assert len(store.list(project)) == 3


def test_outputs_without_a_session_and_empty_folders_go(store: Store, project: Path, tmp_path: Path) -> None:
    old, fresh, empty = (store.folder(project) / name for name in ("a.outputs", "b.outputs", "x"))
    for outputs in (old, fresh):
        outputs.mkdir(parents=True)
    os.utime(old, (0, 0))
    empty = store.folder(tmp_path)
    empty.mkdir()
    store.prune()
    assert (old.exists(), fresh.exists(), empty.exists()) == (False, True, False)


# Several at once


BUSY = """
import sys
from pathlib import Path
from ferrule.core.events import *
from ferrule.core.messages import *
from ferrule.session.store import Store
store = Store(Path(sys.argv[1]), max_sessions=3)
for count in range(15):
    store.prune()
    with store.create(Path(sys.argv[2])) as log:
        for place in range(5):
            log.write(Appended(message=said(f"{sys.argv[3]} {count} {place}")))
            store.list()
"""


def test_several_at_once_mix_nothing_and_stumble_over_nothing(store: Store, project: Path) -> None:
    words = [sys.executable, "-c", BUSY, str(store.root), str(project)]
    children = [subprocess.Popen([*words, name], stderr=subprocess.PIPE) for name in "abc"]
    for child in children:
        _, complaints = child.communicate(timeout=50)
        assert (child.returncode, complaints) == (0, b"")
    sessions = store.list(project)
    assert 3 <= len(sessions) <= 6
    for session in sessions:
        loaded = read_log(session.path)
        assert loaded.warnings == ()
        prompts = [event.message.content[0] for event in loaded.events if isinstance(event, Appended)]
        who, count, _ = session.first_prompt.split()
        assert prompts == [Text(f"{who} {count} {place}") for place in range(5)]
