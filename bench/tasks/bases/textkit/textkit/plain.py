"""Makes texts comparable."""

import unicodedata


def fold(text):
    """A text without accents, in lower case."""
    split = unicodedata.normalize("NFKD", text)
    return "".join(char for char in split if not unicodedata.combining(char)).lower()
