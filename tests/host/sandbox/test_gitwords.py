"""What a git configuration points to is found without git, however it is written."""

from pathlib import Path

import pytest

from ferrule.host.sandbox.gitwords import Configurations, Pointer, settings

WORK = "/w"


def pointers(tmp_path: Path, text: str) -> list[Pointer]:
    (tmp_path / "config").write_text(text)
    return Configurations(home="/home/me").pointers([str(tmp_path / "config")], WORK)


def test_settings_are_read_as_git_reads_them() -> None:
    text = """\
\ufeff[core] fsmonitor = a ; not this
\thooksPath="b # c"   # nor this
[filter "x.\\"y]"]
\tclean = one \\
two
[Section.old]KEY=v\\\\w
; [no]
novalue
broken [ line
[include]
path = "q\\"r"
"""
    assert list(settings(text)) == [
        ("core.fsmonitor", "a"),
        ("core.hookspath", "b # c"),
        ("filter.clean", "one two"),
        ("section.key", "v\\w"),
        ("include.path", 'q"r'),
    ]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[core]\nhooksPath = .husky", "/w/.husky"),
        ("[core]\nhooksPath = .husky/_", "/w/.husky"),
        ("[core]\nhooksPath = ~/hooks/", "/home/me/hooks"),
        ("[core]\nfsmonitor = /w/fsm.sh", "/w/fsm.sh"),
        ("[core]\nfsmonitor = ./fsm.sh --x", "/w/./fsm.sh"),
        ("[core]\nattributesFile = attributes", "/w/attributes"),
        ("[core]\nsshCommand = A=1 tools/ssh -v", "/w/tools/ssh"),
        ("[core]\nsshCommand = \"'tools/my ssh' -v\"", "/w/tools/my ssh"),
        ("[core]\npager = tools/pager | less", "/w/tools/pager"),
        ('[filter "x"]\nclean = python3.11 clean.py %f', "/w/clean.py"),
        ('[filter "x"]\nprocess = tools/p', "/w/tools/p"),
        ('[diff "x"]\ntextconv = tools/t', "/w/tools/t"),
        ('[merge "x"]\ndriver = tools/m %A %B', "/w/tools/m"),
        ("[alias]\nx = !./x", "/w/./x"),
        ("[alias]\nx = !sh x.sh", "/w/x.sh"),
        ("[credential]\nhelper = !tools/c", "/w/tools/c"),
        ("[gpg]\nprogram = tools/g", "/w/tools/g"),
        ('[submodule "x"]\nupdate = !./u', "/w/./u"),
        ('[remote "x"]\nuploadpack = ./u', "/w/./u"),
        ("[unheard]\nof = ./u", "/w/./u"),
    ],
)
def test_what_is_surely_a_path(text: str, path: str, tmp_path: Path) -> None:
    assert path in [one.path for one in pointers(tmp_path, text) if one.is_certain]


@pytest.mark.parametrize(
    "text",
    [
        "[core]\nbare = false\nautocrlf = input\nfsmonitor = true\neditor = vi",
        '[remote "origin"]\nurl = ../other\nfetch = +refs/heads/*:refs/remotes/origin/*',
        '[branch "main"]\nmerge = refs/heads/main',
        "[alias]\nl = log origin/main",
        "[init]\ndefaultBranch = main",
        "[user]\nsigningKey = ./key",
        "[core]\nhooksPath =",
    ],
)
def test_what_is_none(text: str, tmp_path: Path) -> None:
    assert pointers(tmp_path, text) == []


def test_further_words_count_if_they_are_files(tmp_path: Path) -> None:
    found = pointers(tmp_path, "[alias]\nx = !make -f=tools/makefile all")
    assert Pointer("/w/tools/makefile", is_certain=False) in found
    assert not any(one.is_certain for one in found)


def test_included_files_are_followed_and_end(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("[include]\npath = deep/two\n[core]\nfsmonitor = ./f\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/two").write_text('[includeIf "gitdir:/"]\npath = ../one\npath = missing\n')
    found = pointers(tmp_path, "[include]\npath = one\n")
    names = ("one", "deep/two", "deep/../one", "deep/missing", "deep/../deep/two")
    expected = {Pointer(str(tmp_path / name)) for name in names if ".." not in name}
    assert expected | {Pointer("/w/./f")} <= set(found)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file, known = tmp_path / "config", Configurations(home="/home/me")
    for name in ("one", "three"):
        file.write_text(f"[core]\nhooksPath = {name}\n")
        assert known.pointers([str(file)], WORK) == [Pointer(f"/w/{name}", is_folder=True)]
    assert known.pointers([str(tmp_path), "/nowhere", "/dev/zero"], WORK) == []
