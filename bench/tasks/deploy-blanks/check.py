from pathlib import Path

from checking import run, same, unchanged

for source, target in (("my uploads", "the copy"), ("plain", "target")):
    Path(source).mkdir()
    Path(source, "a.txt").write_text("one")
    Path(source, "sub").mkdir()
    Path(source, "sub", "b.txt").write_text("two")
    ended = run("sh", "scripts/backup.sh", source, target)
    same((ended.returncode, ended.stdout.strip()), (0, "2"), f"Backing up {source!r} ({ended.stderr.strip()[:100]})")
    same(Path(target, "sub", "b.txt").read_text(), "two", "What is in the copy")
unchanged("scripts/backup.sh")
