from checking import equal, expect, load, same, unchanged

wordplay = load("wordplay")
for first, second, wanted in (
    ("Listen", "Silent", True),
    ("tea", "EAT", True),
    ("tea", "eat", True),
    ("abc", "abd", False),
    ("aab", "abb", False),
):
    same(bool(wordplay.is_anagram(first, second)), wanted, f"is_anagram({first!r}, {second!r})")
equal(wordplay.initials("Ada Lovelace"), "AL", "initials('Ada Lovelace')")
expect(not wordplay.is_pangram("abc"), "is_pangram was broken.")
unchanged("wordplay.py")
