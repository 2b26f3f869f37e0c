"""How paths stand, on real files: links, odd names, and all else that was ever used to get around a check."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ferrule.policy.names import HOME_SECRETS
from ferrule.policy.paths import Level, Places, Standing, Use

AS_ROOT = os.geteuid() == 0
NOBODY = 65534
BLOCKED = "it is one of the blocked paths"
OUTSIDE = "it lies outside the project"
GIT = "it belongs to git, which runs what its settings and hooks say"
OBEYED = "it is protected, since other programs obey what is in it"
SECRET = "it is likely to hold secrets"


class World:
    """A home directory with a project in it, and what lies around them."""

    def __init__(self, top: Path, *, blocked: tuple[str, ...] = ()) -> None:
        self.top = top = top / "Top Dir"
        self.home = top / "people" / "me"
        self.root = self.home / "proj"
        self.own = self.home / ".local" / "share" / "ferrule"
        for path in (self.root, self.own / "sessions" / "one.outputs", self.own / "scratch", top / "added"):
            path.mkdir(parents=True)
        self.places = Places(
            root=self.root,
            home=self.home,
            added=(top / "added",),
            blocked=blocked,
            own=(self.own,),
            open=(self.own / "sessions" / "one.outputs",),
            scratch=(self.own / "scratch",),
        )

    def file(self, path: str | Path, text: str = "x") -> Path:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)
        return full

    def level(self, path: str | Path, use: Use = "read", *, shell: bool = False) -> Level:
        return self.places.standing(str(path), use, shell=shell).level


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world for tests that change nothing in it."""
    return World(tmp_path_factory.mktemp("still").resolve())


def test_the_project_is_free(world: World) -> None:
    world.file("src/a.py")
    for path in ("src/a.py", "./src/../src//a.py", str(world.root / "src"), ".", "", "new/file.py", str(world.root)):
        full = os.path.normpath(world.root / path)
        assert [world.places.standing(path, use) for use in ("read", "list", "write")] == [Standing("free", full)] * 3


def test_a_relative_path_starts_where_it_is_said_to(still: World) -> None:
    below = str(still.root / "src")
    assert still.places.standing("a", "read", directory=below) == Standing("free", f"{below}/a")
    assert still.places.standing("../../b", "read", directory=below) == Standing(
        "outside", str(still.home / "b"), OUTSIDE
    )


def test_what_was_added_counts_as_the_project(still: World) -> None:
    assert still.level(still.top / "added" / "x", "write") == "free"
    assert still.level(still.top / "added-evil" / "x", "write") == "outside"


@pytest.mark.parametrize("name", ["proj-evil/x", "proj.bak", "Proj/x", "x", "proj/../x", "projx", "../me/x"])
def test_what_lies_beside_the_project_is_outside(still: World, name: str) -> None:
    path = os.path.normpath(still.home / name)
    for use in ("read", "list", "write"):
        assert still.places.standing(f"{still.home}/{name}", use) == Standing("outside", path, OUTSIDE)


def test_two_slashes_are_one(still: World) -> None:
    assert still.places.standing(f"/{still.root}/a", "write") == Standing("free", f"{still.root}/a")
    assert still.places.standing("//etc/shadow", "read").level == "blocked"


class TestBlocked:
    @pytest.mark.parametrize("name", HOME_SECRETS)
    def test_secrets_below_every_home(self, still: World, name: str) -> None:
        name = name.replace("*", "x")
        for home in ("~", str(still.home), "/root", "/home/somebody", "/Users/Some Body"):
            for path in (
                f"{home}/{name}",
                f"{home}/{name}/below/it",
                f"{home}/x/../{name}",
                f"{home}/./{name.upper()}",
            ):
                for use in ("read", "list", "write"):
                    found = still.places.standing(path, use)
                    assert (found.level, found.reason, found.hard) == ("blocked", BLOCKED, True), path
        assert still.level(f"{still.root}/{name}x") != "blocked"

    @pytest.mark.parametrize(
        "path",
        [
            "/etc/shadow",
            "/etc/shadow-",
            "/etc/gshadow",
            "/etc/sudoers",
            "/etc/sudoers.d/me",
            "/etc/ssh/ssh_host_rsa_key",
            "/etc/ssl/private/x.key",
            "/private/etc/master.passwd",
            "/etc/ferrule/config.json",
            "/proc/kcore",
            "/proc/1/environ",
            "/proc/self/environ",
            "/proc/self/mem",
            "/proc/self/maps",
            "/proc/self/cmdline",
            "/proc/self/fd/0",
            "/proc/self/root",
            "/proc/self/root/etc/hostname",
            "/proc/self/cwd/x",
            "/proc/self/task/1/environ",
            "/proc/thread-self/environ",
            "/dev/fd/0",
            "/dev/stdin",
            "/dev/mem",
            "/dev/kmem",
            "/dev/port",
            "/run/secrets/token",
            "/var/run/secrets/token",
            "/var/run/docker.sock",
            "id_rsa",
            "keys/id_ed25519",
            "id_ed25519_sk",
            "ID_RSA",
            "id_rsa.bak",
            "id_rsa~",
            "key.ppk",
        ],
    )
    def test_secrets_of_the_system_and_keys(self, still: World, path: str) -> None:
        for use in ("read", "list", "write"):
            assert still.places.standing(path, use).level == "blocked"

    @pytest.mark.parametrize("path", ["id_rsa.pub", "id_rsa_test.py", "valid_rsa", "ssh/config", "x.pem", ".npmrc"])
    def test_what_only_looks_like_it(self, still: World, path: str) -> None:
        assert still.level(path) == "free"

    def test_the_name_of_a_process_is_harmless(self, still: World) -> None:
        assert still.level("/proc/self/status") == "outside"
        assert still.level("/proc/1/stat") == "outside"

    def test_ferrules_own(self, still: World) -> None:
        own = Standing(
            "blocked", str(still.own / "sessions" / "two.jsonl"), "it is one of Ferrule's own files", hard=True
        )
        for use in ("read", "list", "write"):
            assert still.places.standing(own.path, use) == own
        assert still.level(still.own) == "blocked"
        assert still.level(f"{still.own}-evil") == "outside"
        outputs = still.own / "sessions" / "one.outputs" / "1.txt"
        assert [still.level(outputs, use) for use in ("read", "list", "write")] == ["free", "free", "blocked"]
        assert still.level(still.own / "scratch" / "x", "write") == "free"
        assert still.level(still.own / "scratch" / ".." / "x") == "blocked"

    def test_the_users_own(self, tmp_path: Path) -> None:
        patterns = ("private", "*.pem", "deep/*/secret.txt", "~/diary", "/srv/data", "a/**/b", "l[ou]g", "data/**")
        world = World(tmp_path.resolve(), blocked=patterns)
        for path in [
            "private",
            "private/x",
            "src/private/x",
            "PRIVATE/x",
            "a.pem",
            "src/deep/er/b.PEM",
            "deep/x/secret.txt",
            "~/diary/today",
            "/srv/data/x",
            "/srv//data",
            "/srv/x/../data",
            "a/x/y/b",
            "a/b/c",
            "log",
            "src/lug/x",
            "data/x",
            "data",
        ]:
            found = world.places.standing(path, "read")
            assert (found.level, found.reason) == ("blocked", f"{BLOCKED} (safety.blocked_paths)"), path
        for path in ["privat", "deep/secret.txt", "deep/x/y/secret.txt", "x/deep/x/secret.txt", "lag", "x/data/y"]:
            assert world.level(path) == "free", path
        assert world.level("~/x.pem") == "outside"

    def test_a_project_with_an_odd_name(self, tmp_path: Path) -> None:
        top = tmp_path.resolve()
        root = top / "[a]*\\x"
        root.mkdir()
        places = Places(root=root, home=top / "home", blocked=("secret", "./b*"))
        levels = [places.standing(path, "read").level for path in ("secret", "x/secret", "bc", "c", f"{top}/a/secret")]
        assert levels == ["blocked", "blocked", "blocked", "free", "outside"]

    def test_everything(self, tmp_path: Path) -> None:
        for pattern in ("/", "**", "/**", "*"):
            places = Places(root=tmp_path, home=tmp_path / "home", blocked=(pattern,))
            assert places.standing("x", "read").level == "blocked", pattern

    def test_devices_and_sockets(self, world: World) -> None:
        os.mknod(world.root / "s", stat.S_IFSOCK | 0o600)
        assert world.places.standing("s", "read") == Standing("blocked", f"{world.root}/s", "it is a socket", hard=True)
        if not AS_ROOT:
            return
        try:
            os.mknod(world.root / "disk", 0o60600, os.makedev(7, 0))
        except OSError:
            return
        assert world.places.standing("disk", "read").reason == "it is a device"


class TestLinks:
    def test_a_link_to_a_secret(self, world: World) -> None:
        secret = world.home / ".ssh" / "config"
        secret.parent.mkdir()
        secret.write_text("x")
        (world.root / "a").symlink_to("b")
        (world.root / "b").symlink_to("../.ssh")
        (world.root / "c").symlink_to(secret)
        for path in ("a/config", "b/config", "c", "a", "b/nothing", "a/../.ssh/config", "./c"):
            assert world.places.standing(path, "read").level == "blocked", path

    def test_every_link_on_the_way_counts(self, world: World) -> None:
        (world.home / ".ssh").mkdir()
        (world.home / ".ssh" / "back").symlink_to(world.root)
        (world.root / "a").symlink_to("../.ssh/back/src")
        world.file("src/x")
        assert world.places.standing("a/x", "read") == Standing(
            "blocked", f"{world.home}/.ssh/back/src/x", BLOCKED, hard=True, end=f"{world.root}/src/x"
        )

    def test_a_link_that_leads_outside(self, world: World) -> None:
        (world.top / "else").mkdir()
        (world.root / "out").symlink_to("../../../else")
        assert world.places.standing("out/x", "write") == Standing("outside", f"{world.top}/else/x", OUTSIDE)
        assert world.places.standing("out", "list") == Standing("outside", f"{world.top}/else", OUTSIDE)

    def test_up_from_where_a_link_leads(self, world: World) -> None:
        (world.home / "deep" / "er").mkdir(parents=True)
        (world.root / "link").symlink_to("../deep/er")
        assert world.places.standing("link/../x", "read") == Standing("outside", f"{world.home}/deep/x", OUTSIDE)

    def test_a_dangling_link(self, world: World) -> None:
        (world.root / "a").symlink_to("../../../nowhere/x")
        (world.root / "b").symlink_to("nowhere/x")
        assert (world.level("a", "write"), world.level("b", "write")) == ("outside", "free")

    def test_the_project_under_another_name(self, world: World) -> None:
        (world.top / "alias").symlink_to(world.root)
        places = Places(root=world.top / "alias", home=world.home)
        for path in ("x", f"{world.top}/alias/x", f"{world.root}/x"):
            assert places.standing(path, "write").level == "free"
        assert world.level(world.top / "alias" / "x", "write") == "outside"

    def test_a_home_under_another_name(self, world: World) -> None:
        (world.top / "alias").symlink_to(world.home)
        places = Places(root=world.root, home=world.top / "alias")
        for path in ("~/.ssh/x", f"{world.top}/alias/.ssh/x", f"{world.home}/.ssh/x"):
            assert places.standing(path, "read").level == "blocked"

    def test_a_secret_directory_that_is_a_link(self, world: World) -> None:
        (world.top / "dotfiles" / "aws").mkdir(parents=True)
        (world.home / ".aws").symlink_to(world.top / "dotfiles" / "aws")
        found = Places(root=world.top, home=world.home).standing("dotfiles/aws/credentials", "read")
        assert (found.level, found.reason) == ("blocked", f"it is {world.home}/.aws under another name, a blocked path")

    def test_a_history_that_is_no_file_makes_nothing_a_secret(self, world: World) -> None:
        (world.home / ".bash_history").symlink_to("/dev/null")
        (world.home / ".kube").symlink_to(world.root)
        places = Places(root=world.root, home=world.home)
        assert places.standing("/dev/null", "read").level == "outside"
        assert places.standing("x", "write").level == "free"
        assert Path("/dev/null") not in places.masks()
        assert world.root not in places.masks()

    def test_circles(self, world: World) -> None:
        (world.root / "a").symlink_to("b")
        (world.root / "b").symlink_to("a")
        (world.root / "c").symlink_to("c/c")
        lost = "it cannot be followed to its end: its symbolic links lead in a circle"
        for path in ("a", "b/x", "c"):
            found = world.places.standing(path, "read")
            assert found == Standing("blocked", f"{world.root}/{path}", lost, hard=True)

    def test_hard_links_of_a_secret(self, world: World) -> None:
        for secret in (".netrc", ".ssh/config", ".gnupg/private-keys-v1.d/x.key"):  # the first by what it is itself
            path = world.home / secret
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
            (world.root / path.name).hardlink_to(path)
            found = world.places.standing(path.name, "read")
            assert found.level == "blocked", secret
            assert found.reason.endswith("under another name, a blocked path" if secret == ".netrc" else "another name")

    def test_other_hard_links(self, world: World) -> None:
        (world.root / "b").hardlink_to(world.file("a"))
        assert world.places.standing("a", "read") == Standing("free", f"{world.root}/a")
        many = "it has other names (hard links), which may lie outside the project"
        assert world.places.standing("a", "write") == Standing("outside", f"{world.root}/a", many)


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            ".GIT",
            ".Git",
            ".g\u200cit",
            ".gi\ufefft",
            "．ｇｉｔ",
            ".git.",
            ".git ",
            ".git. .",
            ".git::$INDEX_ALLOCATION",
            "git~1",
            "GIT~1",
        ],
    )
    def test_spellings_of_one_name(self, still: World, name: str) -> None:
        for path in (f"{name}/config", f"sub/{name}", f"sub/{name}/hooks/x"):
            found = still.places.standing(path, "write")
            assert (found.level, found.reason, found.hard) == ("protected", GIT, True), path

    def test_they_count_for_secrets_as_well(self, still: World) -> None:
        for name in (".SSH", ".s\u200dsh", "．ssh", ".ſsh", ".ssh.", ".ssh ", ".ssh:x"):
            assert still.level(still.home / name / "x") == "blocked", name

    def test_but_not_for_what_is_allowed(self, still: World) -> None:
        assert still.level(str(still.root).upper() + "/x") == "outside"

    def test_names_that_cannot_be(self, still: World) -> None:
        for path, words in [
            ("a\0b", "its name contains a NUL character"),
            ("\0", "its name contains a NUL character"),
            ("\ud800", "no file can be named so"),
            ("x" * 256, "file name too long"),
            ("x/" * 3_000, "its name is too long"),
            ("../" * 3_000 + "etc/hostname", "its name is too long"),
        ]:
            found = still.places.standing(path, "read")
            assert (found.level, found.reason) == ("blocked", f"it cannot be followed to its end: {words}")
            found.path.encode()

    def test_names_that_are_no_utf_8(self, still: World) -> None:
        assert still.level(os.fsdecode(b"caf\xe9")) == "free"
        assert still.level(os.fsdecode(b"caf\xe9/.git/x"), "write") == "protected"

    def test_below_a_file(self, world: World) -> None:
        world.file("a")
        assert world.level("a/b", "write") == "free"

    def test_what_is_not_there_and_back(self, world: World) -> None:
        (world.root / "link").symlink_to("/etc")
        assert world.places.standing("no/../link/shadow", "read").level == "blocked"
        assert world.places.standing("no/../../x", "read") == Standing("outside", f"{world.home}/x", OUTSIDE)

    @pytest.mark.skipif(not AS_ROOT, reason="needs root, to become someone else")
    def test_a_directory_that_cannot_be_looked_into(self, tmp_path: Path) -> None:
        for above in [tmp_path, *tmp_path.parents][:-2]:
            above.chmod(0o755)
        (tmp_path / "locked").mkdir(mode=0o700)
        code = (
            "import os, sys\nfrom pathlib import Path\nfrom ferrule.policy.paths import Places\n"
            f"os.setgid({NOBODY})\nos.setuid({NOBODY})\n"
            "found = Places(root=Path(sys.argv[1]), home=Path('/nonexistent')).standing('locked/x', 'read')\n"
            "assert (found.level, found.reason) == "
            "('blocked', 'it cannot be followed to its end: permission denied'), found"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)


class TestProtected:
    @pytest.mark.parametrize(
        ("path", "hard"),
        [
            (".git", True),
            (".git/hooks/pre-commit", True),
            (".git/index", True),
            ("vendor/lib/.git", True),
            (".ferrule/config.json", True),
            (".ferrule.json", True),
            ("sub/.ferrule.json", True),
            (".gitmodules", False),
            (".mcp.json", False),
            (".vscode/tasks.json", False),
            ("sub/.idea/x.xml", False),
            (".claude/settings.json", False),
            (".envrc", False),
            (".bashrc", False),
            ("~/.bashrc", False),
            ("/home/somebody/.zshenv", False),
            ("~/.config/fish/config.fish", False),
            (".config/systemd/user/x.service", False),
            ("/etc/hosts", False),
            ("/etc/cron.d/x", False),
            ("/usr/bin/ls", False),
            ("/dev/null", False),
            ("/dev/sdz", False),
            ("/proc/sys/kernel/core_pattern", False),
            ("/sys/power/state", False),
        ],
    )
    def test_what_others_obey_is_not_written(self, still: World, path: str, hard: bool) -> None:
        found = still.places.standing(path, "write")
        assert (found.level, found.hard) == ("protected", hard)
        assert still.level(path, "read") in {"free", "outside"}

    @pytest.mark.parametrize(
        "path",
        [".gitignore", ".gitattributes", ".github/workflows/x.yml", "git/x", "bashrc", "x.git", ".config/x", "hooks/x"],
    )
    def test_what_only_looks_like_it(self, still: World, path: str) -> None:
        assert still.level(path, "write") == "free"

    def test_a_link_into_git(self, world: World) -> None:
        (world.root / ".git").mkdir()
        (world.root / "x").symlink_to(".git")
        assert world.places.standing("x/config", "write") == Standing(
            "protected", f"{world.root}/.git/config", GIT, hard=True
        )
        assert world.level("x/config") == "free"

    def test_a_project_inside_a_protected_directory(self, world: World) -> None:
        root = world.home / ".vscode" / "extensions" / "mine"
        root.mkdir(parents=True)
        places = Places(root=root, home=world.home)
        assert places.standing("x", "write").level == "free"
        assert places.standing("../x", "write").level == "protected"

    def test_the_system_is_protected_in_a_project_that_is_all(self, still: World) -> None:
        places = Places(root=Path("/"), home=still.home)
        levels = [places.standing(path, "write").level for path in ("/etc/hosts", "/usr/lib/x", "/srv/x")]
        assert levels == ["protected", "protected", "free"]

    def test_a_bare_repository(self, world: World) -> None:
        for name in ("HEAD", "objects/x", "refs/x", "config"):
            world.file(f"store/{name}")
        for path in (
            "store/config",
            "store/hooks/pre-receive",
            "store/HEAD",
            "store/objects/y",
            "store/info/attributes",
        ):
            assert world.places.standing(path, "write") == Standing("protected", f"{world.root}/{path}", GIT, hard=True)
        assert world.level("store/readme", "write") == "free"

    @pytest.mark.parametrize("last", ["HEAD", "objects/x", "refs/x"])
    def test_none_is_made_piece_by_piece(self, world: World, last: str) -> None:
        for name in {"HEAD", "objects/x", "refs/x", "config"} - {last}:
            assert world.level(f"store/{name}", "write") == "free"
            world.file(f"store/{name}")
        assert world.level(f"store/{last}", "write") == "protected"

    def test_nor_one_that_borrows(self, world: World) -> None:
        world.file("store/commondir", "../other")
        assert world.level("store/HEAD", "write") == "protected"


class TestEnvironmentFiles:
    @pytest.mark.parametrize("name", [".env", ".env.local", "sub/.env.production", ".ENV", ".env.example.local"])
    def test_they_ask(self, world: World, name: str) -> None:
        world.file(name)
        asks = Standing("outside", f"{world.root}/{name}", SECRET)
        assert [world.places.standing(name, use) for use in ("read", "write")] == [asks, asks]
        assert world.level(name, "list") == "free"

    @pytest.mark.parametrize(
        "name", [".env.example", ".env.sample", ".env.local.template", ".envoy", "x.env", ".environment"]
    )
    def test_these_do_not(self, still: World, name: str) -> None:
        assert still.level(name) == "free"

    def test_a_directory_of_that_name(self, world: World) -> None:
        world.file(".env/bin/python")
        assert (world.level(".env"), world.level(".env/bin/python")) == ("free", "free")

    def test_by_a_link(self, world: World) -> None:
        world.file(".env")
        (world.root / "x").symlink_to(".env")
        assert world.places.standing("x", "read").reason == SECRET


class TestShell:
    @pytest.mark.parametrize(
        ("path", "use"),
        [
            ("/", "list"),
            ("/etc", "list"),
            ("..", "list"),
            ("/usr/include/stdio.h", "read"),
            ("/bin/ls", "read"),
            ("/lib/x", "read"),
            ("/opt/x", "read"),
            ("/etc/hostname", "read"),
            ("/proc/cpuinfo", "read"),
            ("/proc/mounts", "read"),
            ("/proc/self/status", "read"),
            ("/tmp/x", "read"),
            ("/dev/null", "read"),
            ("/dev/stdin", "read"),
            ("/dev/fd/63", "read"),
            ("/dev/null", "write"),
            ("/dev/stdout", "write"),
            ("/dev/stderr", "write"),
            ("/dev/tty", "write"),
        ],
    )
    def test_a_confined_command_may_see_more(self, still: World, path: str, use: Use) -> None:
        assert still.level(path, use, shell=True) == "free"

    @pytest.mark.parametrize(
        ("path", "use", "level"),
        [
            ("/etc/passwd", "read", "outside"),
            ("/srv/x", "read", "outside"),
            ("/usrlocal/x", "read", "outside"),
            ("/srv/x", "write", "outside"),
            ("/usr/x", "write", "protected"),
            ("/dev/sda", "write", "protected"),
            ("/dev/null/../sda", "write", "protected"),
            ("~/.ssh", "list", "blocked"),
            ("/root/.ssh", "list", "blocked"),
            ("/proc/self/environ", "read", "blocked"),
            ("/proc/self/root/x", "list", "blocked"),
            ("/dev/fd/../mem", "read", "blocked"),
            ("/usr/../etc/shadow", "read", "blocked"),
        ],
    )
    def test_but_not_everything(self, still: World, path: str, use: Use, level: Level) -> None:
        assert still.level(path, use, shell=True) == level

    def test_a_link_from_a_common_place(self, world: World, tmp_path: Path) -> None:
        world.file("../.ssh/x")
        (tmp_path / "link").symlink_to(world.home / ".ssh" / "x")
        assert world.level(tmp_path / "link", shell=True) == "blocked"

    def test_a_quoted_tilde_is_judged_both_ways(self, world: World) -> None:
        (world.root / "~").symlink_to("/etc")
        assert world.level("~/shadow", shell=True) == "blocked"
        assert world.level("~/x", shell=True) == "outside"


class TestMany:
    def test_masks_are_what_is_there(self, world: World) -> None:
        for name in (
            ".ssh/id_rsa",
            ".bash_history",
            ".config/gh/hosts.yml",
            ".cargo/credentials.toml",
            ".docker/config.json",
        ):
            world.file(world.home / name)
        (world.home / ".aws").symlink_to(world.top / "added")
        world.file("secret/x")
        places = Places(
            root=world.root,
            home=world.home,
            own=(world.own,),
            open=(world.own / "sessions" / "one.outputs",),
            scratch=(world.own / "scratch",),
            blocked=("secret/**", "*.pem", "~/not-there"),
        )
        mine = [path for path in places.masks() if path.is_relative_to(world.top)]
        assert mine == sorted(
            [
                world.top / "added",
                world.own,
                world.home / ".ssh",
                world.home / ".bash_history",
                world.home / ".config" / "gh",
                world.home / ".cargo" / "credentials.toml",
                world.home / ".docker" / "config.json",
                world.root / "secret",
            ],
            key=lambda path: path.parts,
        )

    def test_a_project_in_a_directory_of_ferrules_own(self, world: World) -> None:
        root = world.own / "worktrees" / "one"
        root.mkdir(parents=True)
        places = Places(root=root, home=world.home, own=(world.own,))
        assert world.own in places.masks()
        assert [places.standing(path, "write").level for path in ("x", "../x")] == ["free", "blocked"]

    def test_the_quick_test_lets_nothing_through(self, still: World, tmp_path: Path) -> None:
        world = World(tmp_path.resolve(), blocked=("*.pem", "private", "a/*/b", "data/**"))
        paths = [
            "a/x/b/c",
            "data/x",
            "src/a.py",
            "a.PEM",
            "x/private/y",
            "id_rsa",
            "k.ppk",
            ".env",
            "sub/.env.local",
            ".e\u200bnv",
            "README.md",
        ]
        for directory in (world.root, world.home, world.top, Path("/")):
            odd = world.places.odd(str(directory), paths)
            for path in set(paths) - set(odd):
                assert world.level(directory / path) in {"free", "outside"}, (directory, path)
        plain = ["src/a.py", "README.md"]
        assert world.places.odd(str(world.root), paths) == [path for path in paths if path not in plain]
        assert not world.places.odd(str(world.root), plain)
        assert not still.places.odd(str(still.root), plain)

    def test_the_quick_test_sees_hard_links_of_secrets(self, world: World) -> None:
        world.file(world.home / ".netrc")
        (world.root / "x").hardlink_to(world.home / ".netrc")
        assert world.places.odd(str(world.root), ["x"]) == ["x"]

    def test_the_quick_test_sees_where_links_of_secrets_lead(self, world: World) -> None:
        (world.home / ".aws").symlink_to(world.file("dotfiles/aws/credentials").parent)
        assert world.places.hidden(str(world.root)) == ["dotfiles/aws"]
        paths = ["dotfiles/aws/credentials", "dotfiles/x"]
        assert world.places.odd(str(world.root), paths) == paths[:1]
        assert world.level(paths[0]) == "blocked"

    def test_what_a_search_leaves_out(self, world: World) -> None:
        world.file("../.ssh/x")
        assert world.places.hidden(str(world.root)) == []
        assert set(world.places.hidden(str(world.home))) == {".ssh", ".local/share/ferrule"}

    def test_nothing_is_remembered_of_the_disk(self, world: World) -> None:
        path = world.file("a")
        assert world.level("a") == "free"
        path.unlink()
        path.symlink_to("/etc/shadow")
        assert world.level("a") == "blocked"
        path.unlink()
        assert world.level("a") == "free"

    def test_from_several_threads(self, still: World) -> None:
        found: list[Level] = []
        threads = [threading.Thread(target=lambda: found.append(still.level("~/.ssh/x"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == ["blocked"] * 8
