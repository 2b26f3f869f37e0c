class Filter:
    """Says whether a title contains one of some words. Without words, everything matches."""

    def __init__(self, words=[]):
        self.words = words

    def add(self, word):
        self.words.append(word)

    def matches(self, title):
        if not self.words:
            return True
        return any(word.lower() in title.lower() for word in self.words)
