ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def mint(number):
    """Spell a number with letters and digits that nobody mixes up."""
    letters = ""
    while True:
        number, rest = divmod(number, len(ALPHABET))
        letters = ALPHABET[rest] + letters
        if number == 0:
            return letters.rjust(4, ALPHABET[0])
