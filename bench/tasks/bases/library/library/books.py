"""Books on the shelves."""

from dataclasses import dataclass


@dataclass
class Book:
    isbn: str
    title: str
    author: str = ""
    copies: int = 1


def by_author(books, author):
    """The books of an author, by title."""
    return sorted((book for book in books if book.author == author), key=lambda book: book.title)
