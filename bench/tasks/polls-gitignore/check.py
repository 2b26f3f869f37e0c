import re

from checking import expect, text, unchanged

lines = [line.strip() for line in text(".gitignore").splitlines()]
lines = [line for line in lines if line and not line.startswith("#")]
strange = [line for line in lines if re.match(r"```|git|touch|echo|!", line)]
expect(not strange, f"There is something in .gitignore that does not belong there: {strange}")
for what, pattern in (
    ("__pycache__", r"(\*\*/|/)?__pycache__(/|/\*|/\*\*)?"),
    (".env", r"(\*\*/|/)?\.env\*?"),
    ("build", r"(\*\*/|/|\./)?build(/|/\*|/\*\*)?"),
):
    expect(any(re.fullmatch(pattern, line) for line in lines), f".gitignore does not ignore {what}: {lines}")
too_much = {"*", "*.py", "polls", "polls/", "templates/", "app.py"} & set(lines)
expect(not too_much, f".gitignore ignores too much: {too_much}")
unchanged("README.md")
