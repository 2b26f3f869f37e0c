"""Notes that teachers take."""


def add_note(text, notes=[]):
    """A list of notes with one more at its end."""
    notes.append(text.strip())
    return notes


def words(notes):
    return sum(len(note.split()) for note in notes)
