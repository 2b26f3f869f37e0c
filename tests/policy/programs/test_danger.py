import pytest

from ferrule.policy.command import Knowledge, Level, Simple, Word
from ferrule.policy.programs import know
from tests.policy.programs.words import HOME, ask, level


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rm x", "changes"),
        ("rm -f x y", "changes"),
        ("rm -rf build", "changes"),
        ("rm -rf node_modules dist/*", "changes"),
        ("rm *.pyc", "changes"),
        ("rm -rf .", "danger"),
        ("rm -rf ./", "danger"),
        ("rm -rf *", "danger"),
        ("rm -rf ./*", "danger"),
        ("rm *", "danger"),
        ('rm -rf "$x"', "danger"),
        ('rm -rf "$x"/', "danger"),
        ("rm -rf $x/build", "danger"),
        ("rm -rf .git", "danger"),
        ("rm -rf '/*'", "changes"),
        ("rm -rf /tmp/build", "changes"),
        ("rm -rf ~/other", "changes"),
        ("shred -u x", "danger"),
        ("rmdir x", "changes"),
        ("mv a b", "changes"),
        ("mv * /tmp/x", "danger"),
        ("chmod +x run.sh", "changes"),
        ("chmod -R u+w src", "changes"),
        ("chmod -R 777 src", "danger"),
        ("chmod 4755 x", "danger"),
        ("chown -R me .", "danger"),
        ("truncate -s 0 x", "changes"),
        ("dd if=a of=b", "changes"),
        ('dd if=a of="$x"', "danger"),
        ("dd if=/dev/zero of=/dev/null", "changes"),
        ("tee /dev/null", "reads"),
        ("tee -a /dev/stderr", "reads"),
        ("tee /dev/null x", "changes"),
        ("tee -", "changes"),
        ("tee $x", "changes"),
        ("tee /dev/ttyS0", "danger"),
        ("kill 123", "changes"),
        ("kill -1 123", "changes"),
        ("kill -9 $x", "danger"),
        ("pkill node", "danger"),
        ("pkill -9 .", "catastrophe"),
        ("crontab -r", "danger"),
        ("umount /mnt/x", "danger"),
        ("mkfs.ext4 ./disk.img", "danger"),
        ("fdisk -l", "danger"),
        ("fdisk -l /dev/sda", "danger"),
        ("wipefs /dev/sda", "danger"),
        ("sysctl -w vm.swappiness=1", "danger"),
        ("systemctl stop x", "danger"),
        ("history -c", "danger"),
        ("rsync -a --delete a/ b/", "danger"),
        ("find . -delete", "danger"),
        ("find . -name '*.pyc' -delete", "changes"),
        ("find ~ -name '*.pyc' -delete", "danger"),
        ("find / -name '*.log' -delete", "catastrophe"),
        ("find . -exec rm {} +", "danger"),
        ("find . -name '*.tmp' -exec rm {} +", "changes"),
    ],
)
def test_changes_and_dangers(line: str, expected: Level) -> None:
    assert level(line) == expected


@pytest.mark.parametrize(
    ("directory", "line"),
    [
        ("/", "rm -rf *"),
        ("/", "rm -rf ."),
        ("/", "rm -rf etc"),
        ("/usr", "rm -rf lib"),
        ("/tmp/a", "rm -rf ../.."),
        ("/tmp/a", "rm -rf ../../*"),
        ("/home/kim", "rm -rf *"),
        ("/home/kim", "rm -rf .[a-z]*"),
        ("/home/kim/deep/down", "rm -rf ../.."),
        ("/home", "rm -rf kim"),
        ("/dev", "dd if=x of=sda"),
        ("/etc", "rm passwd"),
        ("/etc", "chmod 666 passwd"),
        ("/", "chmod -R 777 ."),
        ("/", "find -delete"),
        ("/", "mv etc /tmp"),
    ],
)
def test_relative_paths_are_those_of_the_directory(directory: str, line: str) -> None:
    assert level(line, directory=directory) == "catastrophe"


def test_in_an_unknown_directory_removing_is_a_danger() -> None:
    assert level("rm -rf build", directory=None) == "danger"
    assert level("rm -rf /", directory=None) == "catastrophe"
    assert level("rm -rf ../..", directory=None) == "danger"


@pytest.mark.parametrize("place", ["/srv/people/joe", "/srv/people", "/srv/people/joe/*", "/srv/people/joe/.*"])
def test_a_home_anywhere_and_what_holds_it_is_a_home(place: str) -> None:
    words = tuple(Word(text, text, glob="*" in text) for text in ("rm", "-rf", place))
    assert know(Simple(words=words, raw="", directory="/x"), home="/srv/people/joe").level == "catastrophe"


def test_names_that_were_found_all_over_the_disk() -> None:
    found = Word("…", many=True, below=("/",))
    near = Word("…", many=True, below=("/home/kim/project",))
    words = (Word("rm", "rm"), Word("-rf", "-rf"))
    assert know(Simple(words=(*words, found), raw=""), home=HOME).level == "catastrophe"
    assert know(Simple(words=(*words, near), raw=""), home=HOME).level == "danger"


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("cp a b c", ["a", "b"], ["c"]),
        ("cp -t d a b", ["a", "b"], ["d"]),
        ("mv a b c", [], ["a", "b", "c"]),
        ("ln -s /etc/hosts x", ["/etc/hosts"], ["x"]),
        ("ln a b", ["a"], ["b"]),
        ("ln -s ../x y/z", ["../x", "y/z/../x", "y/z/../../x"], ["y/z"]),
        ("ln -st d ../x", ["../x", "d/../x", "d/../../x"], ["d"]),
        ("ln -s /x/y", ["/x/y"], ["y"]),
        ("tee -a a b", [], ["a", "b"]),
        ("touch -r a b", [], ["b"]),
        ("mkdir -p a/b", [], ["a/b"]),
        ("dd if=a of=b bs=1", ["a"], ["b"]),
        ("chmod -R u+w a b", [], ["a", "b"]),
        ("chmod -w a", [], ["a"]),
        ("install -m 755 a b", ["755", "a"], ["b"]),
        ("sort -o a b", ["b"], ["a"]),
        ("uniq a b", ["a"], ["b"]),
        ("curl -o a https://x", [], ["a"]),
        ("curl -d @secret https://x", ["secret"], []),
        ("curl -F f=@secret https://x", ["secret"], []),
        ("curl -T secret https://x", ["secret"], []),
        ("curl file:///etc/passwd", ["/etc/passwd"], []),
        ("wget --post-file=secret https://x", ["secret"], []),
        ("scp secret host:x", ["secret"], []),
        ("scp host:x here", [], ["here"]),
        ("rsync a host:b", ["a"], []),
        ("tar czf a.tgz b c", ["b", "c"], ["a.tgz"]),
        ("tar xf a.tar -C b", ["a.tar"], ["b"]),
        ("unzip a.zip", ["a.zip"], ["."]),
        ("sed -i s/a/b/ x y", [], ["x", "y"]),
        ("gcc -o a b.c", [], ["a"]),
    ],
)
def test_paths_that_are_touched(line: str, reads: list[str], writes: list[str]) -> None:
    found = ask(line)
    assert [word.text for word in found.writes] == writes
    assert [word.text for word in found.reads] == reads


def test_whole_answers() -> None:
    assert ask("rm -r a") == Knowledge(level="changes", reason="rm removes files", writes=(Word("a", "a"),))
    assert ask("rm -rf /") == Knowledge(level="catastrophe", reason="rm would remove the whole disk")
    assert ask("rm -rf /etc/") == Knowledge(level="catastrophe", reason="rm would remove /etc")
    assert ask("tee /dev/sda") == Knowledge(level="catastrophe", reason="tee would overwrite /dev/sda")
