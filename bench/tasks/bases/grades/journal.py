"""Notes that teachers take."""


def add_note(text, notes=None):
    """A list of notes with one more at its end."""
    notes = [] if notes is None else notes
    notes.append(text.strip())
    return notes


def words(notes):
    return sum(len(note.split()) for note in notes)
