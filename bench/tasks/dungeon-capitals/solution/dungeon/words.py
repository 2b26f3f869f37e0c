"""Understands what the player types."""

SHORT = {"n": "north", "s": "south", "e": "east", "w": "west"}


def understand(line):
    """The verb and the noun of a command; the noun may be empty."""
    words = line.lower().split()
    if not words:
        return "", ""
    if words[0] in SHORT:
        return "go", SHORT[words[0]]
    return words[0], words[1] if len(words) > 1 else ""
