"""Numbers of books."""


def is_valid_isbn13(text):
    """Whether a text is an ISBN with 13 digits whose sum is right."""
    digits = text.replace("-", "").replace(" ", "")
    if len(digits) != 13 or not digits.isdigit():
        return False
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
