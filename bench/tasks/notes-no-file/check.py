from pathlib import Path

from checking import expect, run, same, unchanged

ended = run("python", "cli.py", "--file", "missing.json", "list")
same((ended.returncode, ended.stdout.strip()), (0, ""), "The exit code and output without a file")
expect(not ended.stderr, f"There is something on standard error: {ended.stderr.strip()[-200:]}")
first = run("python", "cli.py", "--file", "new.json", "add", "buy milk")
same(first.returncode, 0, f"The exit code of add without a file ({first.stderr.strip()[-200:]})")
same(run("python", "cli.py", "--file", "new.json", "list").stdout, "  1  buy milk\n", "The list after adding a note")
Path("bad.json").write_text("[")
expect(run("python", "cli.py", "--file", "bad.json", "list").returncode, "A broken file should still be an error.")
unchanged("storage.py", "cli.py")
