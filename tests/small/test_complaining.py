"""Complaints of scripts, which go to stderr where that is asked for."""

import pytest

from ferrule.small.mends.complaining import with_complaints
from ferrule.small.words.wish import understand

ASKED = understand("If there is no such file: message to stderr and exit 1.")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.sh", 'echo "no $1"\nexit 1\n', 'echo "no $1" >&2\nexit 1\n'),
        ("a.sh", '[ -f x ] || { echo "no"; exit 1; }\n', '[ -f x ] || { echo "no" >&2; exit 1; }\n'),
        ("a.sh", "if x; then echo no; exit 2; fi\n", "if x; then echo no >&2; exit 2; fi\n"),
        ("a.py", "    print('no', a)\n    sys.exit(1)\n", "    print('no', a, file=sys.stderr)\n    sys.exit(1)\n"),
        ("a.py", "    print('no')\n    return 2\n", "    print('no', file=sys.stderr)\n    return 2\n"),
        ("a.js", "  console.log('no');\n  process.exit(1);\n", "  console.error('no');\n  process.exit(1);\n"),
    ],
)
def test_what_is_said_before_it_ends_badly(path: str, text: str, expected: str) -> None:
    assert with_complaints(path, text, ASKED) == expected
    assert with_complaints(path, text, understand("Say so and exit 1.")) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "echo 7\nexit 0\n"),
        ("a.sh", "echo 7\n"),
        ("a.sh", "echo 7 > out\nexit 1\n"),
        ("a.sh", "echo no >&2\nexit 1\necho 1\nexit 1\n"),
        ("a.py", "print(7)\nsys.exit(0)\n"),
        ("a.py", "print('no', file=out)\nsys.exit(1)\n"),
        ("a.rb", "puts 'no'\nexit 1\n"),
        ("a.sh", f"echo {'a' * 400}\nexit 1\n"),
    ],
)
def test_everything_else_stays(path: str, text: str) -> None:
    assert with_complaints(path, text, ASKED) == text
