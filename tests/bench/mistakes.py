"""Files as agents write them who are almost right: what the checks of changes must not take."""

TURNED_AROUND = """\
class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop(0)

    def peek(self):
        return self.items[-1]

    def is_empty(self):
        return not self.items
"""
ALL_CAPITALS = """\
function capitalize(text) {
  return text.toUpperCase();
}

module.exports = { capitalize };
"""
NOT_EXPORTED = """\
function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
"""
ASSERTS_NOTHING = """\
import unittest

from wordtools.slug import slugify


class SlugTest(unittest.TestCase):
    def test_words(self):
        slugify("My first post")
"""
HINTS_AND_MORE = """\
def repeat(text: str, times: int, sep: str = "") -> str:
    return sep.join(text for _ in range(times))


def centre(text, width):
    space = width - len(text)
    left = space // 2
    return " " * left + text + " " * (space - left)
"""

MISTAKES: dict[str, tuple[dict[str, str], ...]] = {
    "calc-percent": ({"test_calc.py": "import unittest\n"},),
    "calendar-leap": ({"leap.py": "def is_leap_year(year):\n    return year % 4 == 0\n"},),
    "greeter-config": (
        {"config.json": '{"host": "localhost", "port": "8080", "debug": true}\n'},
        {"config.json": '{"host": "localhost", "port": 8080, "debug": 1}\n'},
        {"config.json": "{'host': 'localhost'}"},
    ),
    "gym-port-9000": ({"gymclub/config.py": "PORT = 9000\n"},),
    "listhelp-zero": ({"listhelp.py": "import sys\n\nsys.exit()\n"},),
    "new-hello": ({"hello.py": 'print("Hello World")\n'},),
    "render-clean": ({"clean.sh": "#!/bin/bash\nrm -f *\n"}, {"clean.sh": "#!/bin/bash\necho rm *.tmp\n"}),
    "scripts-count": ({"count_lines.py": "import sys\nprint(len(open(sys.argv[1]).read().split('\\n')))\n"},),
    "shapes-triangle": ({"geometry.py": "def area_of_triangle(base, height):\n    return base * height / 2\n"},),
    "strkit-capitalize": ({"lib/capitalize.js": ALL_CAPITALS}, {"lib/capitalize.js": NOT_EXPORTED}),
    "structures-stack": ({"stack.py": TURNED_AROUND},),
    "wordtools-hints": ({"wordtools/pad.py": HINTS_AND_MORE},),
    "wordtools-tests": ({"tests/test_slug.py": ASSERTS_NOTHING},),
}
