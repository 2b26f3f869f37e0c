from pathlib import Path

from checking import expect, run, text, unchanged

text("clean.sh")
for name in ("work.tmp", "other.tmp", "keep.txt"):
    Path(name).write_text("x")
for _ in ("with files to delete", "with none"):
    ended = run("bash", "clean.sh")
    left = [name for name in ("work.tmp", "other.tmp") if Path(name).exists()]
    expect(not left, f"{', '.join(left)} is still there. {ended.stderr[-200:]}")
    expect(Path("keep.txt").exists(), "keep.txt was deleted.")
unchanged()
