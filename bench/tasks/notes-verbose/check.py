import json
from pathlib import Path

from checking import run, same, unchanged

Path("some.json").write_text(json.dumps([{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]))
quiet = run("python", "cli.py", "--file", "some.json", "list")
same((quiet.returncode, quiet.stdout, quiet.stderr), (0, "  2  b\n  1  a\n", ""), "Without the flag, the outcome")
loud = run("python", "cli.py", "--verbose", "--file", "some.json", "list")
if loud.returncode == 2:
    loud = run("python", "cli.py", "--file", "some.json", "list", "--verbose")
same((loud.returncode, loud.stdout), (0, "  2  b\n  1  a\n"), "With --verbose, the output")
same(loud.stderr.strip().lower().rstrip("."), "loaded 2 notes", "With --verbose, standard error")
unchanged("cli.py", "README.md")
