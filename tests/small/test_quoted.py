"""Scripts that stumble over blanks in names."""

import subprocess
from pathlib import Path

import pytest

from ferrule.small.mends.quoted import speaks_of_blanks, with_quotes
from tests.server import ModelServer
from tests.small.led import answer, opened


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("number=$(ls $1 | wc -l)", 'number=$(ls "$1" | wc -l)'),
        ('echo "$1: $number of $(ls $1)"', 'echo "$1: $number of $(ls "$1")"'),
        ("cp $from ${to}/x", 'cp "$from" "${to}"/x'),
        ("rm -- $@; rm $*", 'rm -- "$@"; rm "$@"'),
        ("if [ -f $name ]; then", 'if [ -f "$name" ]; then'),
        ("for one in $(ls *.txt); do", "for one in *.txt; do"),
        ("for one in `ls notes/*.md`; do cat $one; done", 'for one in notes/*.md; do cat "$one"; done'),
        ("mv ${name%.*}.txt x", 'mv "${name%.*}".txt x'),
        ("x=$1", "x=$1"),
        ("local x=$1; export Y=$2", "local x=$1; export Y=$2"),
        ("case $1 in", "case $1 in"),
        ("for one in $files; do", "for one in $files; do"),
        ("if [[ -f $name ]]; then", "if [[ -f $name ]]; then"),
        ("(( n = $1 + 2 ))", "(( n = $1 + 2 ))"),
        ("sed 's/$1/x/' \"$1\"", "sed 's/$1/x/' \"$1\""),
        ("# cp $1 x", "# cp $1 x"),
        ("cp x y # as $1 says", "cp x y # as $1 says"),
        ("if [ $# -ne 1 ] || [ $? -ne 0 ]; then", "if [ $# -ne 1 ] || [ $? -ne 0 ]; then"),
        ("echo \\$1", "echo \\$1"),
        ("for one in $(ls -t *.txt); do", "for one in $(ls -t *.txt); do"),
        ("echo 'it goes on, $1", "echo 'it goes on, $1"),
        ("", ""),
    ],
)
def test_values_are_quoted(line: str, quoted: str) -> None:
    assert with_quotes(line) == quoted
    assert with_quotes(quoted) == quoted


@pytest.mark.parametrize(
    ("request_", "is_so"),
    [
        ("count.sh doesn't work for folders with a space in the name", True),
        ("It breaks on file names with spaces.", True),
        ("The names in the list should be separated by a comma. Leave a space behind it.", False),
        ("The disk has no space left.", False),
    ],
)
def test_blanks_are_spoken_of(request_: str, is_so: bool) -> None:
    assert speaks_of_blanks(request_) is is_so


async def test_it_is_done_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "count.sh").write_text('#!/bin/bash\nnumber=$(ls $1 | wc -l)\necho "$1: $number files"\n')
    (project / "other.sh").write_text("#!/bin/bash\nls $1\n")
    (project / "a b").mkdir()
    (project / "a b/c").touch()
    async with opened(project, server) as session:
        await session.prompt(
            'count.sh doesn\'t work for folders with a space in the name:\n\n$ ./count.sh "a b"\n'
            "ls: cannot access 'a': No such file or directory\na b: 0 files"
        )
        assert "count.sh" in answer(session)
    done = subprocess.run(["bash", "count.sh", "a b"], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout == "a b: 1 files\n"
    assert (project / "other.sh").read_text() == "#!/bin/bash\nls $1\n"
    assert not server.requests
