import re
from pathlib import Path

from checking import run, same, text, unchanged

text("count_rows.py")
Path("other.csv").write_text("a,b\n1,2\n3,4\n")
Path("lone.csv").write_text("a,b\n")
for path, wanted in (("data/trips.csv", 6), ("other.csv", 2), ("lone.csv", 0)):
    ended = run("python", "count_rows.py", path)
    same(ended.returncode, 0, f"The exit code of count_rows.py {path} ({ended.stderr.strip()[-200:]})")
    numbers = re.findall(r"(?<![\w./])\d+(?![\w/])", ended.stdout.replace(path, ""))
    same(numbers, [str(wanted)], f"What count_rows.py {path} prints ({ended.stdout.strip()[:100]})")
unchanged("README.md")
