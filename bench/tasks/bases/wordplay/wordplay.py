"""Games with words."""


def is_anagram(first, second):
    """Whether two words are made of the same letters."""
    return sorted(first) == sorted(second)


def is_pangram(sentence):
    return set("abcdefghijklmnopqrstuvwxyz") <= set(sentence.lower())


def initials(name):
    return "".join(part[0] for part in name.split())
