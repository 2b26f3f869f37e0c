"""Lines of a fixed width."""


def truncate(text, width):
    """A text that is no longer than the width; what was cut off is marked by three dots."""
    if len(text) <= width:
        return text
    return text[: width - 3] + "..."


def indent(text, blanks=4):
    """Every line that is not empty, moved to the right."""
    return "\n".join(" " * blanks + line if line else line for line in text.split("\n"))
