from checking import equal, load, unchanged

letters = load("letters")
for text, wanted in {"APPLE": 2, "apple": 2, "Ada Iou": 5, "": 0, "xyz": 0}.items():
    equal(letters.count_vowels(text), wanted, f"count_vowels({text!r})")
equal(letters.count_digits("a1b22"), 3, "count_digits('a1b22')")
unchanged("letters.py")
