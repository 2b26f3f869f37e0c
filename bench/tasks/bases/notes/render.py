"""Shows notes."""

WIDTH = 40


def shorten(text):
    """A text that fits into a line."""
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."


def table(notes):
    """One note a line, the newest first."""
    ordered = sorted(notes, key=lambda note: note["id"], reverse=True)
    return "\n".join(f"{note['id']:>3}  {shorten(note['text'])}" for note in ordered)
