VOWELS = "aeiouAEIOU"


def count_vowels(text):
    count = 0
    for letter in text:
        if letter in VOWELS:
            count += 1
    return count


def count_digits(text):
    return sum(letter.isdigit() for letter in text)
