"""What tools are called: ours and others' spellings of the same tools."""

ALIASES = {
    "todowrite": "todo",
    "askuserquestion": "ask_user",
    "webfetch": "web_fetch",
    "websearch": "web_search",
}
"""What others call our tools; apart from these, names match without regard to case."""


def canonical(name: str) -> str:
    """Our own name of a tool, whoever's spelling is given."""
    folded = name.strip().lower()
    return ALIASES.get(folded, folded)
