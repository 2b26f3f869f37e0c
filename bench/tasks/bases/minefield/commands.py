import re

PATTERN = re.compile(r"(!?)([a-z])(\d+)$")


def parse_command(text):
    """('open' | 'flag' | 'quit', row, column), or None if it makes no sense."""
    text = text.strip().lower()
    if text == "q":
        return "quit", 0, 0
    match = PATTERN.match(text)
    if not match:
        return None
    flag, column, row = match.groups()
    return "flag" if flag else "open", int(row) - 1, ord(column) - ord("a")
