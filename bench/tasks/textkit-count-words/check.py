from checking import function, same, tests_pass, unchanged

count_words = function("textkit.words", "count_words")
same(count_words("It's late, IT'S late."), {"it's": 2, "late": 2}, "The words of It's late, IT'S late.")
same(count_words(""), {}, "The words of nothing")
same(function("textkit.words", "most_common")("Z a z B", 3), ["z", "a", "b"], "The most common words of Z a z B")
tests_pass()
unchanged("textkit/words.py")
