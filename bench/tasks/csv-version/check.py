from pathlib import Path

from checking import expect, run, same, text, unchanged

ended = run("python", "-m", "csvtool", "--version")
said = ended.stdout + ended.stderr
expect(ended.returncode == 0 and "1.4.2" in said, f"csvtool --version says: {said[-200:]}")
Path("sample.csv").write_text("x;y\n1;2\n4;5\n")
ended = run("python", "-m", "csvtool", "stats", "sample.csv", "--column", "y")
wanted = (0, ["mean", "3.5", "spread", "3"])
same((ended.returncode, ended.stdout.split()), wanted, f"What csvtool stats says ({ended.stderr[-200:]})")
expect('__version__ = "1.4.2"' in text("csvtool/__init__.py"), "The version was changed.")
unchanged("csvtool/cli.py", "csvtool/__main__.py", "csvtool/__init__.py", "README.md")
