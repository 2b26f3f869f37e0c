import re
from pathlib import Path

from checking import run, same, text, unchanged

text("count_lines.py")
for content, wanted in (("one\ntwo\nthree\n", 3), ("a\n\nb\n\nc\n", 5), ("", 0)):
    Path("sample.txt").write_text(content)
    ended = run("python", "count_lines.py", "sample.txt")
    same(ended.returncode, 0, f"The exit code ({ended.stderr.strip()[-200:]})")
    numbers = [int(one) for one in re.findall(r"\d+", ended.stdout)]
    same(numbers, [wanted], f"The numbers in what it prints for {wanted} lines")
unchanged()
