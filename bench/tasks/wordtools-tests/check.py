import re
from pathlib import Path

from checking import expect, original, run, text, unchanged

text("tests/test_slug.py")
unchanged()


def result():
    ended = run("python", "-m", "unittest", "tests.test_slug")
    count = re.search(r"Ran (\d+) test", ended.stderr)
    return ended.returncode == 0, int(count[1]) if count else 0, ended.stderr[-600:]


passed, count, words = result()
expect(count >= 1, f"No test was run: {words}")
expect(passed, f"The tests fail: {words}")
Path("wordtools/slug.py").write_text("def slugify(title):\n    return title\n")
passed, _, _ = result()
Path("wordtools/slug.py").write_bytes((original() / "wordtools/slug.py").read_bytes())
expect(not passed, "The tests pass with a slugify that does nothing.")
