from pathlib import Path

import pytest

from ferrule.tools.display import count, escaped, shown, size


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain name.py", "plain name.py"),
        ("naïve-文件-😀", "naïve-文件-😀"),
        ("new\nline\ttab", "new\\nline\\ttab"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("abc\u202egpj.exe", "abc\\u202egpj.exe"),
        ("bad\udcff\udc80", "bad\\xff\\x80"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_names_are_shown_on_one_line_and_can_be_written_as_utf8(name: str, expected: str) -> None:
    assert escaped(name) == expected
    expected.encode()


def test_paths_are_shown_from_the_directory() -> None:
    home = Path("/home/me/project")
    assert shown(home / "src" / "a.py", home) == "src/a.py"
    assert shown(home / "src" / ".." / "b.py", home) == "b.py"
    assert shown("/home/me/project-evil/a.py", home) == "/home/me/project-evil/a.py"
    assert shown(home, home) == "."
    assert shown("/etc/hosts", Path("/")) == "etc/hosts"


def test_numbers_are_written_for_people() -> None:
    assert [count(1, "line"), count(12_345, "line"), count(2, "match"), count(0, "entry")] == [
        "1 line",
        "12,345 lines",
        "2 matches",
        "0 entries",
    ]
    sizes = [0, 1, 999, 1_000, 1_234, 9_960, 999_499, 999_600, 1_250_000, 64_000_000, 3 * 10**12, 10**16]
    assert [size(number) for number in sizes] == [
        "0 bytes",
        "1 byte",
        "999 bytes",
        "1.0 KB",
        "1.2 KB",
        "10 KB",
        "999 KB",
        "1.0 MB",
        "1.2 MB",
        "64 MB",
        "3.0 TB",
        "10000 TB",
    ]
