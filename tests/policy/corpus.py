"""Command lines by what may become of them: the check that nothing is judged more lightly than it may be."""

from pathlib import Path

READS_LONG = (
    "cat <<'EOF'\n$(rm -rf /)\nEOF",
    "cat <<EOF\nhello $USER\nEOF",
    "cat <<-EOF\n\thello\n\tEOF",
    "ls\npwd\ndate",
    "# only looks\nls",
    "if true; then\n  ls\nfi",
    'for f in *.md; do\n  head -1 "$f"\ndone',
)

ASKS_LONG = (
    "ls\nrm x",
    "ls \\\n; rm x",
    "ls # comment\nrm x",
    "cat <<EOF\n$(rm x)\nEOF",
    "cat <<EOF\n`rm x`\nEOF",
    "cat <<EOF | sh\nrm x\nEOF",
    "bash <<EOF\nrm x\nEOF",
    "bash <<'EOF'\nrm x\nEOF",
    "cat > x <<'EOF'\nhello\nEOF",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "r\\\nm x",
    "ls;\\\nrm x",
    "echo $\\\n(rm x)",
    "ls &\\\n& rm x",
    "cat <<EOF\nEO\\\nF\nrm x\nEOF",
    "ls\r\nrm x",
    "ls \x00 rm x",
    "ls \x1b[2K",
    "ls \u202e x",
    "ls \u200b",
    "r\u200bm x",
    "ls a\u2800b",
    "ls a\u3164b",
    "ls\u00a0rm",
    "ls" + " x" * 60_000,
    "(" * 50_000,
    "$(" * 50_000,
    "a|" * 50_000,
    "eval " * 50 + "ls",
    "sudo " * 20 + "ls",
)

DENIES_LONG = (
    "ls\nrm -rf /",
    "rm \\\n-rf \\\n/",
    "r\\\nm -rf /",
    "bash <<EOF\nrm -rf /\nEOF",
    "bash <<'EOF'\nrm -rf /\nEOF",
    "cat <<EOF | sh\nrm -rf /\nEOF",
    "cat <<EOF\n$(rm -rf /)\nEOF",
    "cat <<EOF\n`rm -rf /`\nEOF",
    "python3 - <<'EOF'\nimport shutil\nshutil.rmtree('/')\nEOF",
    "python3 <<'EOF'\nimport os\nos.system('rm -rf /')\nEOF",
)


def table(name: str) -> tuple[str, ...]:
    """The commands of a file, one on each line; one that goes on ends with a backslash."""
    found: list[str] = []
    for line in (Path(__file__).parent / name).read_text().strip("\n").split("\n"):
        if found and found[-1].endswith(" \\"):
            found[-1] += "\n" + line
        else:
            found.append(line)
    return tuple(found)


READING = (*table("corpus_reading.txt"), *READS_LONG)
ASKING = (*table("corpus_asking.txt"), *ASKS_LONG)
DENIED = (*table("corpus_denied.txt"), *DENIES_LONG)
