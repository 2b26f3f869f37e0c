"""Confined commands do what they are used to, and the project is afterwards as it should be."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from ferrule.core.errors import ToolError
from ferrule.host.patience import Listens, WaitsForInput
from ferrule.host.sandbox.agreed import tidy_up
from ferrule.host.sandbox.profile import Leave, Way
from ferrule.host.sandbox.stubs import hold, place
from tests.host.sandbox.boxes import box, has, needs_bubblewrap, needs_root
from tests.host.shapes import SHAPES, SLEEPERS, new_token, sleepers, until, wait_for

pytestmark = needs_bubblewrap
GIT = """
git init -q . && echo 1 > a && git add a && git commit -qm one

git checkout -qb other && echo 2 > a && git commit -qam two && git checkout -q - && git merge -q other
echo 3 > a && git stash -q && git stash pop -q && git commit -qam three && git tag t && git gc -q
git worktree add -q ../project/tree && git -C tree commit -q --allow-empty -m four && git worktree remove tree
git rebase -q HEAD~1 && git rm -q a && git reset -q --hard && git log --oneline | wc -l
touch untracked && git stash -qu && git stash pop -q && git clean -fdq && git submodule status && git status --short
"""
ORDINARY = {
    "git": GIT,
    "files": "mkdir -p d/e && echo x > d/e/f; mv d g && cp -r g h && ln -s g l && ln h/e/f k && rm -r g && chmod +x k",
    "temporary": "f=$(mktemp) && echo x > $f && d=$(mktemp -d) && touch $d/y && cat /tmp/*/y",
    "sort": "seq 30000 | sort -R -S 1M -T /tmp | sort -n -S 1M | tail -1",
    "substitution": "diff <(echo 1) <(echo 1) && cat <<< text && echo $(( $(cat <<< 2) + 1 )) > /dev/null",
    "devices": "head -c 9 /dev/urandom > /dev/null && echo x > /dev/null && echo y > /dev/stderr && : < /dev/zero",
    "processes": "sleep 0.01 & wait && ps | grep -q bash && kill -0 $$ && [ -d /proc/self/fd ]",
    "python": "python3 -c 'import multiprocessing as m; p = m.Pool(2); print(sum(p.map(abs, [-1, -2])))'",
    "asyncio": "python3 -c 'import asyncio; asyncio.run(asyncio.create_subprocess_exec(\"true\"))'",
    "virtual environment": "python3 -m venv --without-pip v && v/bin/python -c 'import sys; print(sys.prefix)'",
    "compiler": "echo 'int main(){return 0;}' > m.c && printf 'm: m.c\\n\\tcc -o m m.c\\n' > Makefile && make && ./m",
    "node": 'node -e \'require("child_process").execSync("true"); require("fs").writeFileSync("n", "1")\'',
    "npm": 'echo \'{"name": "x", "version": "1.0.0", "scripts": {"t": "exit 0"}}\' > package.json && npm run -s t',
    "archives": "mkdir t && seq 9 > t/s && tar -czf t.tgz t && rm -r t && tar -xzf t.tgz && cat t/s",
    "server": "python3 -m http.server 8000 >& /dev/null & until curl -s localhost:8000; do sleep 0.1; done; kill %1",
    "limits": "ulimit -n 64 && [ $(ulimit -n) = 64 ]",
    "locks": "flock lock true && mkfifo f && (echo x > f &) && read y < f && [ $y = x ]",
}
HEAVY = {"virtual environment", "compiler", "npm", "asyncio", "sort"}
NEEDS = {"compiler": ("cc", "make"), "node": ("node",), "npm": ("npm",), "server": ("curl",)}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in HEAVY else []) for name in ORDINARY]
)
async def test_ordinary_commands_work(name: str, tmp_path: Path) -> None:
    if not has("python3", *NEEDS.get(name, ())):
        pytest.skip("the programs are missing here")
    async with box(tmp_path) as ours:
        for part in ORDINARY[name].split("\n\n"):
            code, text = await ours.run(f"set -e\n{part}")
            assert code == 0, text


async def test_exit_codes_and_signals(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        commands = ("exit 3", "kill -SEGV $$", "bash -c 'kill -TERM $$'", "no-such-program", "true")
        codes = [(await ours.run(command))[0] for command in commands]
        assert codes == [3, 128 + signal.SIGSEGV, 128 + signal.SIGTERM, 127, 0]


async def test_the_environment_holds_what_can_be_written_to(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        code, text = await ours.run("env | sort; tr '\\0' '\\n' < /proc/1/environ | grep -c .; ulimit -c > /dev/null")
        variables = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        cache, scratch = ours.own / "scratch/cache", str(ours.own / "scratch")
        assert (code, variables["TMPDIR"], variables["HOME"]) == (0, scratch, str(ours.home))
        assert variables["PIP_CACHE_DIR"] == f"{cache}/pip"
        assert "CARGO_HOME" not in variables
        ours.leave = lambda _: Leave(network=True)
        assert (await ours.run("echo $CARGO_HOME"))[1] == f"{cache}/cargo\n"


async def test_what_is_in_tmp_lasts_and_lies_in_the_scratch_directory(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        assert await ours.run("mkdir /tmp/there; cd /tmp/there; echo x > file") == (0, "")
        assert ours.processes.cwd == ours.own / "scratch/there"
        assert await ours.run("pwd; cat file /tmp/there/file") == (0, "/tmp/there\nx\nx\n")
        assert await ours.run("cd /tmp/there/..; cd there") == (0, "")
        assert ours.processes.cwd == ours.own / "scratch/there"


async def test_a_real_tmp_that_a_command_has_leave_for_is_not_taken_for_the_one_it_stood_in(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        assert await ours.run("mkdir /tmp/there; cd /tmp/there; echo x > file") == (0, "")
        ours.leave = lambda _: Leave(writable=(Path("/tmp"),))
        assert await ours.run("cat file; pwd") == (0, f"x\n{ours.own}/scratch/there\n")


async def test_place_holders_stand_for_as_long_as_a_command_runs(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        first = await ours.start("read x; cat .git/commondir; git status --short; git add -A; git status --short")
        assert (ours.root / ".mcp.json").is_dir()
        assert ours.git("status", "--short") == ""
        second = await ours.start("read x")
        await first.write("\n")
        await first.gone
        assert (await first.ended, first.output.take()) == (0, ".\n")
        assert (ours.root / ".mcp.json").is_dir()
        assert (ours.root / ".git/commondir").read_text() == ".\n"
        await second.write("\n")
        await second.gone
        assert [path.name for path in ours.root.iterdir()] == [".git"]
        assert not {"commondir", "config.worktree"} & {path.name for path in (ours.root / ".git").iterdir()}


async def test_what_a_person_puts_in_place_of_a_place_holder_stays(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        process = await ours.start("read x; mkdir .vscode/mine; ls .vscode")
        (ours.root / ".vscode/settings.json").write_text("{}")
        (ours.root / ".mcp.json").rmdir()
        (ours.root / ".mcp.json").write_text("{}")
        await process.write("\n")
        await process.gone
        assert sorted(str(path.relative_to(ours.root)) for path in ours.root.rglob("*")) == [
            ".mcp.json",
            ".vscode",
            ".vscode/settings.json",
        ]


async def test_a_sudden_end_leaves_nothing_behind(tmp_path: Path) -> None:
    token = new_token()
    commands = [shape.format(token) for shape in SHAPES.values()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", AGENT, str(tmp_path), *commands], env=environment) as agent:
        assert wait_for(lambda: len(sleepers(token)) == sum(SLEEPERS.values()))
        assert (tmp_path / "home/project/.mcp.json").is_dir()
        agent.kill()
    assert wait_for(lambda: sleepers(token) == [])
    assert wait_for(lambda: list((tmp_path / "home/project").iterdir()) == [])


AGENT = """
import asyncio, pathlib, sys
from tests.host.sandbox.boxes import Box

async def main(directory, *commands):
    ours = Box(pathlib.Path(directory).resolve())
    kept = [await ours.start(command) for command in commands]
    await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("is_idle", [False, True])
async def test_what_a_crash_left_is_taken_away_by_the_next_session(is_idle: bool, tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        lock, _ = hold(ours.sandbox._agreed._lock_file)
        place(lock, [(os.fsencode(ours.root / ".idea"), b""), (os.fsencode(ours.root / "commondir"), b".\n")])
        os.close(lock)
        assert sorted(path.name for path in ours.root.iterdir()) == [".idea", "commondir"]
        tidy_up(ours.profile.state, f"{ours.root}/other")
        assert sorted(path.name for path in ours.root.iterdir()) == [".idea", "commondir"]
        if is_idle:
            tidy_up(ours.profile.state, str(ours.root))
            assert list(ours.root.iterdir()) == []
    async with box(tmp_path) as ours:
        assert list(ours.root.iterdir()) == []


async def test_a_command_that_is_called_off_leaves_nothing(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        for pause in (0, 0, 0.001, 0.003, 0.01):
            starting = asyncio.ensure_future(ours.start("sleep 60"))
            await asyncio.sleep(pause)
            starting.cancel()
            with suppress(asyncio.CancelledError):
                await (await starting).kill()
        await until(lambda: not ours.processes._unfinished)
        assert list(ours.root.iterdir()) == []


async def test_the_sandbox_is_blamed(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        process = await ours.start("touch /etc/x")
        await process.gone
        held_up = ours.processes.blame(process, process.output.take())
        assert held_up
        assert held_up.startswith("(likely because the command is confined")


async def test_a_replaced_link_is_restored_and_that_is_said(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        (ours.root / "shared").mkdir()
        hooks = ours.root / ".git/hooks"
        subprocess.run(["rm", "-r", hooks], check=True)
        hooks.symlink_to("../shared")
        process = await ours.start(
            "rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/x; touch shared/y; mv shared s"
        )
        await process.gone
        (note,) = process.notes
        assert note.startswith(f"{hooks} is protected: what the command made there is now {ours.own}/state/taken/")
        assert note.endswith(": the link to ../shared was restored.")
        assert (hooks.readlink(), list((ours.root / "shared").iterdir())) == (Path("../shared"), [])


async def test_what_only_matters_at_home_is_taken_away_afterwards(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        process = await ours.start("echo evil > .bashrc; ln -s / .config; ls -A | wc -l")
        await process.gone
        (note,) = process.notes
        assert note.startswith(f"{ours.root}/.bashrc is protected: what the command made there is now ")
        assert Path(note.split(" is now ")[1].rstrip(".")).read_text() == "evil\n"
        assert [path.name for path in ours.root.iterdir()] == [".config"]


async def test_a_new_repository_starts_no_programs(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        process = await ours.start("git init -q && touch f && git add f && git commit -qm x && git remote add o /x")
        await process.gone
        assert (await process.ended, process.notes) == (0, [])
        assert ours.git("log", "--format=%s") == "x\n"
    async with box(tmp_path, root="home/other") as ours:
        hook = "echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil; git config user.name me"
        process = await ours.start(f"git init -q; {hook}; echo ../x > .git/commondir")
        await process.gone
        git = ours.root / ".git"
        assert [note.split(" is protected")[0] for note in process.notes] == [
            str(git / name) for name in ("commondir", "hooks", "config")
        ]
        assert ours.git("config", "user.name") == "me\n"
        assert "evil" not in (git / "config").read_text()
        assert not (git / "hooks").exists()
    async with box(tmp_path, root="home/third") as ours:
        await ours.run("git init -q evil; echo gitdir: evil/.git > .git")
        assert [path.name for path in ours.root.iterdir()] == ["evil"]


POINTERS = {
    "core.hooksPath": ".husky/_",
    "core.fsmonitor": "./fsm.sh",
    "core.attributesFile": "deep/attributes",
    "include.path": "../team.gitconfig",
    "filter.x.clean": "python3 tools/clean.py %f",
    "diff.x.textconv": "linked/textconv",
    "alias.later": "!./later/on",
}


async def test_what_the_settings_of_git_point_to_cannot_be_changed(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        for name in (".husky/_/h", ".husky/pre-commit", "tools/clean.py", "real/textconv", "scripts/post-merge"):
            (ours.root / name).parent.mkdir(parents=True, exist_ok=True)
            (ours.root / name).write_text("good")
        (ours.root / "linked").symlink_to("real")
        (ours.root / ".git/hooks/post-merge").symlink_to("../../scripts/post-merge")
        for key, value in POINTERS.items():
            ours.git("config", key, value)
        before = sorted(ours.root.iterdir())
        _, text = await ours.run(
            """
            for f in .husky/pre-commit .husky/_/h .husky/new tools/clean.py real/textconv scripts/post-merge \\
                fsm.sh deep/attributes team.gitconfig later/on
            do echo evil > $f && echo changed $f; done 2> /dev/null
            mv .husky x; mv tools y; rm -rf scripts; mkdir -p later && echo evil > later/on
            rm linked; mkdir linked; echo evil > linked/textconv; touch tools/other real/other
            """
        )
        assert "changed" not in text
        assert sorted(ours.root.iterdir()) == before
        assert (ours.root / "linked").readlink() == Path("real")
        assert (ours.root / "scripts/post-merge").read_text() == "good"
        assert sorted(path.name for path in (ours.root / "tools").iterdir()) == ["clean.py", "other"]
        assert (await ours.run("git status --short && touch a && git add a && ls"))[0] == 0


async def test_hooks_in_the_working_tree_itself(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        ours.git("config", "core.hooksPath", ".")
        await ours.run("echo evil > pre-commit; echo fine > other; echo x > .git/description")
        assert sorted(path.name for path in ours.root.iterdir()) == [".git", "other"]


async def test_git_is_not_led_past_its_directory(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        await ours.run(
            "rm .git/HEAD; mkdir objects refs; echo ref: refs/heads/x > HEAD;"
            " printf '[core]\\nfsmonitor = x\\n' > config"
        )
        assert not (ours.root / "HEAD").exists()
        assert ours.git("rev-parse", "--git-dir") == ".git\n"


async def test_no_program_is_made_to_run_as_its_owner(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        code, text = await ours.run("cp /bin/true b; chmod 4777 b || chmod u+s b || chmod 755 b && stat -c %a b")
        assert (code, text.splitlines()[-1], text.count("Operation not permitted")) == (0, "755", 2)


async def test_a_worktree_can_be_committed_to_and_its_repository_is_protected(tmp_path: Path) -> None:
    main = tmp_path.resolve() / "home/main"
    main.mkdir(parents=True)
    async with box(tmp_path, root="home/unused") as other:
        other.git("init", "-q", cwd=main)
        other.git("commit", "-q", "--allow-empty", "-m", "one", cwd=main)
        other.git("worktree", "add", "-q", "../tree", cwd=main)
    async with box(tmp_path, root="home/tree") as ours:
        assert await ours.run("touch f && git add f && git commit -qm two && git log --oneline | wc -l") == (0, "2\n")
        config = (main / ".git/config").read_text()
        attack = f"cd {main}; echo evil > .git/config; echo evil > .git/hooks/x; echo evil > file; mv .git g; cd .git"
        await ours.run(f"{attack}; echo .. > worktrees/tree/commondir; echo evil > {ours.root}/.git")
        assert sorted(path.name for path in main.iterdir()) == [".git"]
        assert ((main / ".git/config").read_text(), (main / ".git/hooks/x").exists()) == (config, False)
        assert (ours.root / ".git").read_text() == f"gitdir: {main}/.git/worktrees/tree\n"
        assert (main / ".git/worktrees/tree/commondir").read_text() == "../..\n"


async def test_what_a_project_says_to_share_opens_nothing(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        for name in ("objects", "refs"):
            (ours.root / name).mkdir()
        (ours.root / "HEAD").write_text("ref: refs/heads/m\n")
        (ours.root / "config").write_text("[core]\n worktree = .\n")
        for target in (str(ours.home), "/", "/etc"):
            (ours.root / "commondir").write_text(f"{target}\n")
            _, text = await ours.run(f"touch {target}/pwned; echo > {target}/.bashrc")
            assert text.count("Read-only file system") == 2


async def test_a_link_in_place_of_what_git_ignores_shows_nothing(tmp_path: Path) -> None:
    async with box(tmp_path, masked=(".ssh", ".netrc")) as ours:
        (ours.home / ".ssh").mkdir()
        for name in (".ssh/id", ".netrc"):
            (ours.home / name).write_text("SECRET\n")
            await ours.run(f"rm -rf .git; git init -q; rm .git/info/exclude; ln -s ../../../{name} .git/info/exclude")
            _, text = await ours.run(f"cat .git/info/exclude ../{name}; git status --short; git check-ignore -v SECRET")
            assert "SECRET" not in text


async def test_a_pointer_that_nothing_confirms_opens_nothing(tmp_path: Path) -> None:
    victim = tmp_path.resolve() / "home/victim"
    victim.mkdir(parents=True)
    async with box(tmp_path) as ours:
        ours.git("init", "-q", cwd=victim)
        for target in (victim / ".git", ours.home):
            (ours.root / ".git").write_text(f"gitdir: {target}\n")
            _, text = await ours.run(f"touch {target}/new; echo > {target}/HEAD")
            assert text.count("Read-only file system") == 2


async def test_a_pointer_that_leads_nowhere_stops_no_command(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        assert await ours.run("mkdir sub; echo 'gitdir: ../later' > sub/.git") == (0, "")
        code, text = await ours.run("git init -q --bare later; echo > later/config; rm -r later; echo x")
        assert (code, text.splitlines()[-1]) == (0, "x")
        assert sorted(path.name for path in ours.root.iterdir()) == [".git", "sub"]


SUBMODULE = """
printf '#!/bin/sh\\ntouch "%s"\\n' "$PWD/mark" > evil; chmod +x evil
git init -q sub && git -C sub commit -q --allow-empty -m x && git add sub 2>/dev/null
mkdir -p .git/modules && mv sub/.git .git/modules/sub && echo 'gitdir: ../.git/modules/sub' > sub/.git
git -C sub config core.fsmonitor "$PWD/evil"
git init -q --bare bare && git -C bare config core.worktree . && git -C bare config core.fsmonitor "$PWD/evil"
rm -f mark
"""


async def test_new_repositories_of_other_kinds_start_no_programs(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        process = await ours.start(SUBMODULE)
        await process.gone
        kinds = [note.partition(" ")[0].removeprefix(f"{ours.root}/") for note in process.notes]
        assert kinds == ["bare", "sub/.git"]
        ours.git("status", "--short")
        ours.git("status", "--short", cwd=ours.root / "bare")
        assert not (ours.root / "mark").exists()


async def test_pipes_and_depths_hold_up_nothing(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        assert await ours.run("mkdir -p .git/worktrees/x && mkfifo .git/worktrees/x/gitdir .git/index") == (0, "")
        deep = "for n in {1..30}; do mkdir $name && cd $name; done; mkdir -p $TMPDIR/$name; pwd | wc -c"
        code, text = await ours.run(f"printf -v name %0200d 0; {deep}")
        assert (code, int(text) > 4096) == (0, True)
        assert await ours.run("pwd") == (0, f"{ours.root}\n")


async def test_a_command_that_does_not_start_leaves_nothing(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        launch = ours.sandbox.confine(["/bin/true"], ours.environment, ours.root, Leave())
        assert (ours.root / ".mcp.json").is_dir()
        launch.discard()
        assert list(ours.root.iterdir()) == []


async def test_a_submodule_can_be_a_project_of_its_own(tmp_path: Path) -> None:
    async with box(tmp_path, root="home/unused") as other:
        for name in ("library", "main"):
            (other.home / name).mkdir()
            other.git("init", "-q", cwd=other.home / name)
            other.git("commit", "-q", "--allow-empty", "-m", "one", cwd=other.home / name)
        other.git("submodule", "--quiet", "add", f"{other.home}/library", "sub", cwd=other.home / "main")
    async with box(tmp_path, root="home/main/sub") as ours:
        assert await ours.run("touch f && git add f && git commit -qm two && git log --oneline | wc -l") == (0, "2\n")
        code, text = await ours.run("git config core.fsmonitor evil")
        assert (code, "could not lock" in text or "could not write" in text) == (255 if code == 255 else 4, True)


async def test_the_home_directory_as_project(tmp_path: Path) -> None:
    (tmp_path / "home/.ssh").mkdir(parents=True)
    (tmp_path / "home/.ssh/id").write_text("secret")
    (tmp_path / "home/.config/gh").mkdir(parents=True)
    (tmp_path / "home/.config/gh/hosts").write_text("secret")
    async with box(tmp_path, root="home", masked=(".ssh", ".config/gh")) as ours:
        attack = "cat .ssh/id .config/gh/hosts; mv .ssh s; mv .config c; cat s/id c/gh/hosts; echo evil >> .bashrc"
        code, text = await ours.run(f"{attack}; echo evil >> .gitconfig; touch ordinary .config/ordinary")
        assert (code, "secret" in text) == (0, False)
        names = sorted(path.name for path in ours.home.iterdir())
        assert names == [".config", ".gitconfig", ".ssh", "ordinary"]
        assert "evil" not in (ours.home / ".gitconfig").read_text()


@pytest.mark.parametrize(
    "name",
    [
        *("new\nline", "quo'te\"", b"latin-\xe9"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("with space", "-dash", "$(x)", "ünï")),
    ],
)
async def test_odd_names(name: str | bytes, tmp_path: Path) -> None:
    async with box(tmp_path, root=f"home/{os.fsdecode(name)}") as ours:
        ours.git("init", "-q")
        assert await ours.run("touch f && git add f && git commit -qm x && mkdir d && cd d") == (0, "")
        assert ours.processes.cwd == ours.root / "d"
        code, text = await ours.run("echo evil > ../.git/hooks/x")
        assert (code, "Read-only" in text) == (1, True)


@needs_root
async def test_a_project_below_run(tmp_path: Path) -> None:
    place = Path("/run") / f"ferrule-{os.urandom(4).hex()}"
    try:
        async with box(place) as ours:
            assert await ours.run("touch f && ls /run") == (0, f"{place.name}\n")
    finally:
        subprocess.run(["rm", "-rf", place], check=True)


async def test_where_nothing_can_be_seen_nothing_runs(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.processes.cwd = Path("/dev/shm")
        with pytest.raises(ToolError, match=r"^/dev/shm cannot be seen in the sandbox, so the command did not run\."):
            await ours.run("echo x")
        assert await ours.run("pwd") == (0, f"{ours.root}\n")
        (ours.root / "d").mkdir()
        ours.processes.cwd = ours.root / "d"
        (ours.root / "d").rmdir()
        assert ours.processes.find_footing()


async def test_leave_for_more(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        other, file = ours.home / "other", ours.home / "file"
        other.mkdir()
        file.touch()
        ours.git("init", "-q", cwd=other)
        attack = f"for f in {file} {other}/new {other}/.git/config /dev/null {ours.home}/no; do echo x > $f; done"
        await ours.run(attack)
        assert (file.read_text(), (other / "new").exists()) == ("", False)
        ours.leave = lambda _: Leave(writable=(other, file, Path("/dev/null")))
        await ours.run(attack)
        assert (file.read_text(), (other / "new").read_text(), (ours.home / "no").exists()) == ("x\n", "x\n", False)
        assert (other / ".git/config").read_text() != "x\n"
        ours.leave = lambda _: Leave(outside=True)
        await ours.run(attack)
        assert (ours.home / "no").read_text() == "x\n"


async def test_leave_for_the_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        async with box(tmp_path) as ours:
            connect = f"exec 9<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}"
            assert (await ours.run(connect))[0] == 1
            ours.leave = lambda _: Leave(network=True)
            assert await ours.run(connect) == (0, "")


async def test_what_is_masked_in_the_project_stays_so_around_what_is_open_in_it(tmp_path: Path) -> None:
    """Whoever works in a home directory has Ferrule's own records in the project."""
    async with box(tmp_path, root=".", own="own/sessions/this") as ours:
        record = ours.own.parent / "record"
        record.write_text("what was said")
        code, text = await ours.run(f"cat {record}; echo x > {record}; echo y > $TMPDIR/y && cat /tmp/y && cd home")
        assert (code, text) == (0, f"cat: {record}: No such file or directory\ny\n")
        assert (record.read_text(), ours.processes.cwd) == ("what was said", ours.home)


async def test_leave_for_hosts(tmp_path: Path) -> None:
    asked: list[tuple[tuple[str, ...], int]] = []

    def open_way(hosts: tuple[str, ...], number: int) -> Way:
        asked.append((hosts, number))
        line, sync = os.pipe()
        return Way(
            prefix=("/usr/bin/env", "PREFIX=here"),
            environment={"PROXY": "there"},
            descriptors=(line, sync),
            finish=lambda: ("refused: none",),
        )

    async with box(tmp_path, open_way=open_way) as ours:
        ours.leave = lambda _: Leave(hosts=("example.org",))
        process = await ours.start("echo $PREFIX $PROXY; ls /proc/self/fd")
        await process.gone
        assert process.output.take() == "here there\n0\n1\n2\n3\n5\n"
        assert (asked, process.notes) == ([(("example.org",), 5)], ["refused: none"])
    async with box(tmp_path) as ours:
        ours.leave = lambda _: Leave(hosts=("example.org",))
        with pytest.raises(ToolError, match="single hosts cannot be allowed here"):
            await ours.run("true")


async def test_one_command_speaks_to_the_server_of_another(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        server = await ours.start("python3 -m http.server 8765")
        assert await ours.processes.attend(server, seconds=20) == Listens((8765,))
        get = "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:8765\").status)'"
        assert await ours.run(get) == (0, "200\n")
        ours.leave = lambda _: Leave(network=True)
        assert (await ours.run(get))[0] == 1
        await server.kill()
        assert server.gone.done()


async def test_questions_and_keys(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        asks = await ours.start('read -p "Name? " name < /dev/tty; echo "<$name>"')
        assert await ours.processes.attend(asks, seconds=20) == WaitsForInput("Name?")
        await asks.write("me\n")
        assert (await asks.ended, asks.output.take()) == (0, "Name? <me>\n")
        heeds = await ours.start("trap 'echo stopping; exit 7' INT; echo ready; while :; do sleep 0.05; done")
        await until(lambda: "ready" in heeds.output.unseen)
        await heeds.write("\x03")
        await heeds.gone
        assert (await heeds.ended, heeds.output.take()) == (7, "ready\nstopping\n")


async def test_what_goes_on_in_the_background(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        process = await ours.start("sleep 60 & echo started")
        assert await process.ended == 0
        assert not process.gone.done()
        assert len(process.family.members()) == 1
        await process.kill()
        assert process.gone.done()


async def test_what_is_found_while_others_run_is_protected_later(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        job = await ours.start("sleep 60")
        assert (await ours.run("git init -q inner; git -C inner config a.b c"))[0] == 0
        await job.kill()
        code, text = await ours.run("git -C inner config a.b d")
        assert (code != 0, "inner/.git/config" in text) == (True, True)


async def test_a_directory_cannot_be_swapped_under_the_next_sandbox(tmp_path: Path) -> None:
    """What a job made since it began is not mounted: it could become a link to anywhere at any moment."""
    async with box(tmp_path) as ours:
        job = await ours.start(
            "while :; do mkdir -p inner/.git/refs inner/.git/objects; touch inner/.git/HEAD; mv inner i2; "
            f"ln -s {ours.home} inner; rm inner; rm -rf i2; done"
        )
        await until((ours.root / "inner").exists)
        for _ in range(10):
            _, text = await ours.run(f"touch {ours.home}/new {ours.home}/.git/x; grep -c inner /proc/self/mountinfo")
            assert text.splitlines()[-1:] == ["0"]
        await job.kill()
        assert not (ours.home / "new").exists()


@needs_root
async def test_root_can_work_in_the_project_of_another(tmp_path: Path) -> None:
    (tmp_path / "home/project").mkdir(parents=True)
    file = tmp_path / "home/project/file"
    file.write_text("1\n")
    for path in (file, file.parent):
        os.chown(path, 65534, 65534)
    async with box(tmp_path) as ours:
        code, text = await ours.run("echo 2 >> file; touch new; mount -t tmpfs none . || touch /etc/new")
        assert (code, "Read-only" in text) == (1, True)
        assert (file.read_text(), (ours.root / "new").exists()) == ("1\n2\n", True)


async def test_without_a_proc_of_its_own(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"], env={"KEY": "S3CR3T"}) as victim:
        async with box(tmp_path, own_proc=False) as ours:
            code, text = await ours.run(f"cat /proc/{victim.pid}/environ; ls /proc/self/fd; kill {victim.pid}; echo x")
            assert (code, text.splitlines()[-1], "S3CR3T" in text) == (0, "x", False)
            _, text = await ours.run(f"touch /proc/{victim.pid}/cwd/new /proc/{victim.pid}/root/{ours.home}/new")
            assert not (ours.home / "new").exists()
        assert victim.poll() is None
        victim.kill()


async def test_a_state_directory_that_cannot_be_used_stops_everything(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        lock = Path(os.fsdecode(ours.sandbox._agreed._lock_file))
        lock.unlink()
        lock.mkdir()
        with pytest.raises(ToolError, match="The command could not be confined"):
            await ours.run("touch ran")
        assert not (ours.root / "ran").exists()


async def test_many_at_once(tmp_path: Path) -> None:
    async with box(tmp_path) as ours:
        ours.git("init", "-q")
        results = await asyncio.gather(*(ours.run(f"sleep 0.0{number}; echo {number}") for number in range(8)))
        assert results == [(0, f"{number}\n") for number in range(8)]
        assert [path.name for path in ours.root.iterdir()] == [".git"]


async def test_git_finds_the_repository_that_the_project_is_a_part_of(tmp_path: Path) -> None:
    (tmp_path / "repo/sub").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", tmp_path / "repo"], check=True)
    async with box(tmp_path, root="repo/sub") as ours:
        code, text = await ours.run("touch a; git status --short; touch ../b")
        assert (code, text.splitlines()[0]) == (1, "?? ./"), text
        assert [one.name for one in (tmp_path / "repo").iterdir() if one.is_file()] == []
