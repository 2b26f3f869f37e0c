"""Mounts lie in the right order, and what is protected cannot be moved away with what it lies in."""

from ferrule.host.sandbox.mounts import Mounts


def test_parents_come_first_and_are_held() -> None:
    mounts = Mounts()
    mounts.show("/", "read")
    mounts.lay("/p/a/b/.git/config", "read")
    mounts.show("/p", "write")
    mounts.lay("/p/a/b/.git/config", "read")
    mounts.show("/tmp", "scratch", "/s")
    mounts.lay("/p-evil", "closed")
    mounts.show("/dev", "devices")
    mounts.show("/proc", "processes")
    mounts.lay("/p/x", "blank")
    mounts.lay("/p/y", "empty")
    mounts.show("/run", "hidden")

    assert list(mounts.arguments(blank="/blank")) == [
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--bind", "/p", "/p"),
        *("--bind", "/p/a", "/p/a"),
        *("--bind", "/p/a/b", "/p/a/b"),
        *("--bind", "/p/a/b/.git", "/p/a/b/.git"),
        *("--ro-bind", "/p/a/b/.git/config", "/p/a/b/.git/config"),
        *("--ro-bind", "/blank", "/p/x"),
        *("--perms", "0555", "--tmpfs", "/p/y"),
        *("--perms", "0111", "--tmpfs", "/p-evil"),
        *("--proc", "/proc"),
        *("--perms", "0755", "--tmpfs", "/run"),
        *("--bind", "/s", "/tmp"),
    ]


def test_what_is_the_same_inside() -> None:
    mounts = Mounts()
    mounts.show("/", "read")
    mounts.show("/tmp", "scratch", "/s")
    mounts.show("/tmp/p", "write")
    mounts.show("/tmp/p/q", "closed")
    there = {
        path: mounts.is_there(path) for path in ("/", "/x/y", "/tmp", "/tmp/x", "/tmp/p", "/tmp/p/x", "/tmp/p/q/x")
    }

    assert there == {
        "/": True,
        "/x/y": True,
        "/tmp": False,
        "/tmp/x": False,
        "/tmp/p": True,
        "/tmp/p/x": True,
        "/tmp/p/q/x": False,
    }


def test_what_is_covered_shows_nothing_that_was_laid_in_it_before() -> None:
    mounts = Mounts()
    mounts.show("/", "read")
    mounts.show("/home", "write")
    mounts.lay("/home/data/ours/session/file", "write")
    mounts.lay("/home/data/ours/project/.git", "read")
    mounts.cover("/home/data/ours", "closed", spare=("/home", "/home/data/ours/project"))
    mounts.lay("/home/data/ours/session/file", "write")

    assert list(mounts.arguments(blank="/blank")) == [
        *("--ro-bind", "/", "/"),
        *("--bind", "/home", "/home"),
        *("--bind", "/home/data", "/home/data"),
        *("--perms", "0111", "--tmpfs", "/home/data/ours"),
        *("--bind", "/home/data/ours/project", "/home/data/ours/project"),
        *("--ro-bind", "/home/data/ours/project/.git", "/home/data/ours/project/.git"),
        *("--bind", "/home/data/ours/session/file", "/home/data/ours/session/file"),
    ]
