from checking import function, same, tests_pass, unchanged

page_count = function("textkit.pager", "page_count")
for number, size, wanted in ((0, 10, 0), (1, 10, 1), (10, 10, 1), (11, 10, 2), (25, 10, 3), (30, 10, 3), (7, 1, 7)):
    same(page_count(list(range(number)), size), wanted, f"The number of pages of {number} items, {size} a page,")
same(function("textkit.pager", "page")("abcdef", 2, 4), "ef", "The second page of abcdef")
tests_pass()
unchanged("textkit/pager.py", "tests/test_pager.py")
