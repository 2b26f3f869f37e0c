"""Finds notes by a word in them."""


def find(notes, word):
    """The notes that contain a word."""
    return [note for note in notes if word in note["text"]]
