"""Counts words."""

import re


def count_words(text):
    """How often each word occurs, without regard to case."""
    counts = {}
    for word in re.findall(r"[a-z']+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(text, number):
    """The most frequent words; those that are equally frequent by the alphabet."""
    counts = count_words(text)
    return sorted(counts, key=lambda word: (-counts[word], word))[:number]
