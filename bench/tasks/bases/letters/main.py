import sys

from letters import count_digits, count_vowels

if __name__ == "__main__":
    text = sys.stdin.read()
    print(count_vowels(text), "vowels,", count_digits(text), "digits")
