"""Tags in notes."""

import re


def extract_tags(text):
    """The tags in a text, sorted, each once."""
    return sorted({tag.lower() for tag in re.findall(r"#(\w+)", text)})
