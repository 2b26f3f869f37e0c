"""Options of shell scripts."""

import subprocess
from pathlib import Path

import pytest

from ferrule.small.mends.flagged import with_flag
from ferrule.small.words.wish import understand

ASKED = understand("Give it an option -n (dry run), used like `prune.sh -n logs`: it deletes nothing then.")
PRUNE = '#!/bin/sh\n# prune.sh DIRECTORY\nset -eu\n\nfolder=$1\nrm -- "$folder"/*.old\n'


@pytest.mark.parametrize(
    "asks", ['[ "$2" = "-n" ]', '[ "${2:-}" = -n ]', '[ $1 = "-n" ]', "[ \"$1\" = '-n' ]", '[ "$1" == "-n" ]']
)
def test_an_option_is_taken_before_the_rest(asks: str, tmp_path: Path) -> None:
    told = 'ls -- "$folder"/*.old'
    written = PRUNE.replace("rm --", f"if {asks}; then {told}; exit 0; fi\nrm --")
    script = with_flag("prune.sh", PRUNE, written, ASKED)
    old = tmp_path / "a.old"
    old.write_text("")
    ended = [subprocess.run(["sh", "-c", script, "sh", "-n", str(tmp_path)], capture_output=True, check=True)]
    assert (ended[0].stdout.decode().strip(), old.exists()) == (str(old), True)
    subprocess.run(["sh", "-c", script, "sh", str(tmp_path)], check=True)
    assert not old.exists()


@pytest.mark.parametrize(
    ("path", "text", "request_"),
    [
        ("a.sh", 'if [ "$1" = "-n" ]; then shift; fi\n', ASKED.text),
        ("a.sh", 'while getopts n one; do [ "$1" = "-n" ]; done\n', ASKED.text),
        ("a.sh", '[ "$2" = "-n" ] && [ "$2" = "-m" ]\n', ASKED.text),
        ("a.sh", '[ "$2" = "-n" ]\n', "Give it an option --dry-run."),
        ("a.sh", '[ "$2" = "no" ]\n', ASKED.text),
        ("a.py", '[ "$2" = "-n" ]\n', ASKED.text),
    ],
)
def test_everything_else_stays(path: str, text: str, request_: str) -> None:
    assert with_flag(path, "", text, understand(request_)) == text


def test_an_option_that_was_there_stays_where_it_was() -> None:
    text = '[ "$2" = "-n" ] && exit\n'
    assert with_flag("a.sh", text, f"{text}ls\n", ASKED) == f"{text}ls\n"


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    asked = understand("Add an option --dry-run.")
    text = 'dry_run=1\n[ "$2" = "--dry-run" ] && exit\n'
    assert 'with_dry_run=no\nif [ "${1:-}" = "--dry-run" ]; then' in with_flag("a.sh", "dry_run=1\n", text, asked)
