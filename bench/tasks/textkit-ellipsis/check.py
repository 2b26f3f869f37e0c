from checking import function, same, tests_pass, unchanged

truncate = function("textkit.lines", "truncate")
for given, width, wanted in (("abc", 3, "abc"), ("abcdef", 4, "abc…"), ("hello world", 6, "hello…"), ("ab", 1, "…")):
    same(truncate(given, width), wanted, f"truncate({given!r}, {width})")
same(function("textkit.lines", "indent")("a", 2), "  a", "indent('a', 2)")
tests_pass()
unchanged("textkit/lines.py")
