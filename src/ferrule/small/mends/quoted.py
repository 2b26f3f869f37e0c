"""Scripts of a shell that stumble over blanks in names: values get quotes, and lists of files become patterns."""

import re

_BLANKS = re.compile(
    r"\b(?:spaces?|blanks?|whitespace)\b[^.!?\n]{0,40}\b(?:names?|paths?|files?|folders?|director(?:y|ies)|arguments?)\b"
    r"|\b(?:names?|paths?|files?|folders?|director(?:y|ies)|arguments?)\b[^.!?\n]{0,40}\b(?:spaces?|blanks?|whitespace)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(\bfor\s+\w+\s+in\s+)(?:\$\(\s*ls\s+([^-\s$`()'\"][^\s$`()'\"]*)\s*\)|`\s*ls\s+([^-\s$`'\"]\S*)\s*`)"
)
"""A loop over what `ls` says of a pattern; the pattern alone keeps names whole."""
_VALUE = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*]|\{[A-Za-z_0-9@*][^{}\s'\"]*\})")
_KEPT = re.compile(r"(?:^|[;&|(]|\bdo\b|\bthen\b|\blocal\b|\bexport\b)\s*[A-Za-z_]\w*\+?=\S*$|\bcase\s+$|\bin\s+$")
"""What stands before a value that is not cut at blanks, or that is meant to be: assignments, cases, lists."""


def speaks_of_blanks(request: str) -> bool:
    """Whether a request says that names with blanks are the trouble."""
    return bool(_BLANKS.search(request))


def with_quotes(text: str) -> str:
    """A script with quotes around the values that it gives to commands."""
    return "\n".join(_quoted(_LISTED.sub(lambda one: one[1] + (one[2] or one[3]), line)) for line in text.split("\n"))


def _quoted(line: str) -> str:
    """A line with quotes around values outside of quotes; what spans lines, or is no command, stays as it is."""
    done, place, open_quotes = "", 0, [""]
    while place < len(line):
        sign, quote = line[place], open_quotes[-1]
        found = _VALUE.match(line, place) if not quote else None
        if sign == "#" and not quote and (not place or line[place - 1].isspace()):
            return done + line[place:]
        if line.startswith(("[[", "((", "$(("), place) and not quote:
            return done + line[place:]
        if found and not _KEPT.search(done):
            value = found[0].replace("*", "@") if found[0] == "$*" else found[0]
            done += f'"{value}"'
            place = found.end()
            continue
        size = 2 if sign == "\\" and quote != "'" else 1
        if line.startswith("$(", place) and quote != "'":
            open_quotes.append("")
            size = 2
        elif sign == ")" and not quote and len(open_quotes) > 1:
            open_quotes.pop()
        elif sign in "'\"" and quote in {"", sign}:
            open_quotes[-1] = "" if quote else sign
        done += line[place : place + size]
        place += size
    return done if open_quotes == [""] else line
