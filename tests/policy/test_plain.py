"""Lines in which a command hides are never taken for plain, and those that people write are."""

import time
from pathlib import Path

import pytest

from ferrule.policy.plain import odd, too_much
from tests.policy.test_judge import bash, policy

HIDING = r"""
x='a[$(touch pwn)]'; ((x++))
x='a[$(touch pwn)]'; echo $((x+1))
x='a[$(touch pwn)]'; let y=x
read x < f; let y=x
x='b[$(touch pwn)]'; z=([x]=1)
declare -a 'x=(a `touch pwn`)'
SHLVL='a[$(touch pwn)]'; echo $((SHLVL))
RANDOM='a[$(touch pwn)]'
OPTIND='a[$(touch pwn)]'
echo $(( $(date '+a[$(touch pwn)]') ))
x=$(seq -f 'a[$(touch pwn)]%g' 1); echo $((x))
a=(1); echo ${#a[$(touch pwn)]}
echo ${#a[$(touch x)]}
[ $(cat f) ]
test $(cat f)
read x < f; [ $x ]
while read -r l; do [ $l ]; done < f
if [ $(cat f) ]; then ls; fi
[ -n x -a $(cat f) ]
hash -lp ./evil ls; ls
command -pp rm README.md
builtin -- command -pp touch pwn
find . | xargs -a list cat
printf 'data.csv,-opwn' | xargs -d, sort
cat optlist | xargs sort data.csv 3<<<data.csv
exec 3< list; find . | while read -u 3 f; do cat $f; done
echo x | grep -l --label=secret x | xargs cat
cat $(echo ©home | tr éª /)
sort data.csv $'\x{2d}opwn'
x=ab; cat ${x#[^a]}
x=ab; cat ${x##"*"}
cat key[^a]ink
cat key[[:alpha:]]ink
cat '[x]'*/credentials
cat "["x]*/credentials
x=([0]=secret); cat $x
cat ~0/../.aws/credentials
cat ~-/secret
until cd ..; do :; done; cat .aws/credentials
for i in a b; do cat .aws/credentials; cd ..; continue; done
trap 'cd ..' DEBUG; cat .aws/credentials
REPLY=README.md; read <<< secret; cat $REPLY
for _ in README.md; do true secret; cat $_; done
env -C link_dir/../home cat .aws/credentials
POSIXLY_CORRECT=1 grep -v z README.md -e secret
x=PATH; echo ${!x}
""".strip().splitlines()

PLAIN = r"""
git status && git log --oneline -5 | head
for f in *.py; do wc -l "$f"; done
while IFS= read -r f; do echo "$f"; done < list
find . -name '*.py' | xargs grep -l main
[ -f x ] && echo yes || echo no
if [ "$x" = y ]; then ls; fi
[ $? -eq 0 ] && echo fine
[ $(wc -l < README.md) -gt 3 ] && echo long
[[ -d src ]] && ls src
echo $((1 + 2))
for i in $(seq 1 5); do echo $((i * 2)); done
sort -t$'\t' -k2 data.csv
grep -E '[^a-z]+' file
grep "foo[0-9]" *.txt
f=a.py; echo ${f%.py} ${f##*/}
cd src && ls
ls *.[ch] src/*.{js,ts}
awk -F: '{print $1}' data | sort | uniq -c
cat <<'E'
echo "$(git rev-parse HEAD)"
diff <(sort a) <(sort b)
command -v python3
""".strip().splitlines()


@pytest.mark.parametrize("line", HIDING)
def test_what_hides_a_command_is_odd_and_asks(line: str, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    assert bash(policy(project), line) != "allow"


@pytest.mark.parametrize("line", PLAIN)
def test_what_people_write_is_plain(line: str) -> None:
    assert odd(line) == ""


def test_what_would_take_too_long_is_not_followed(tmp_path: Path) -> None:
    words = " ".join("abcdefghijklmnop")
    loops = "".join(f"for {name} in {words}; do " for name in "vwxyz") + "true" + "; done" * 5
    functions = "f0(){ :; }; " + "".join(f"f{n}(){{ f{n - 1}; f{n - 1}; }}; " for n in range(1, 20)) + "f19"
    doubling = "x=aaaaaaaaaa; " + "x=$x$x; " * 60
    (tmp_path / "home").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    began = time.process_time()
    for line in (loops, functions, doubling):
        assert too_much(line)
        assert bash(policy(project, "auto"), line) == "ask"
    assert time.process_time() - began < 2


@pytest.mark.parametrize("wrapped", ["{}", """python3 -c 'import os; os.system("{}")'""", "bash -c '{}'"])
@pytest.mark.parametrize(
    "script",
    [
        "a=xx; " + "a=$a$a; " * 40 + "echo $a",
        "a=xx; " + "a=x$a$a; " * 40 + "echo $a",
        "a=xx; " + "a+=x$a; " * 40 + "echo $a",
        "a=xx; " + "a=$a$a$a$a$a$a$a$a; " * 11 + "echo $a",
        "set -- a b; " + "set -- x$@ $@; " * 40 + "echo $@",
        "set -- a b; " + "set -- $@ $@; " * 40 + "echo $@",
        "a=xx; " + "eval a=x$a$a; " * 40 + "echo $a",
        "a=" + "x" * 30_000 + "; echo " + "$a " * 300,
        "".join(f"for {name} in a b c d e f g h i j k l; do " for name in "vwxyz") + "true" + "; done" * 5,
    ],
)
def test_no_script_grows_without_end_wherever_it_stands(wrapped: str, script: str, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    began = time.process_time()
    found = policy(project).verdict(wrapped.format(script))
    assert (found.level, found.opaque) == ("danger", True)
    assert time.process_time() - began < 2


def test_what_is_intricate_does_not_hide_the_worst(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    script = "rm -rf /; " + "for a in b; do true; done; " * 4
    assert bash(policy(project, "yolo"), f"""python3 -c 'import os; os.system("{script}")'""") == "deny"


def test_loops_of_a_python_program_are_none_of_the_shell(tmp_path: Path) -> None:
    loops = "python3 -c 'for a in b:\n for c in d:\n  for e in f:\n   for g in h: print(1)'"
    assert not too_much(loops)
    (tmp_path / "home").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    assert not policy(project).verdict(loops).opaque
