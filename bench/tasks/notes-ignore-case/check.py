from checking import function, same, tests_pass, unchanged

find = function("search", "find")
notes = [{"id": 1, "text": "buy milk"}, {"id": 2, "text": "call Anna"}, {"id": 3, "text": "ANNA's book"}]
same(find(notes, "anna"), notes[1:], "What is found for anna")
same(find(notes, "ANNA"), notes[1:], "What is found for ANNA")
same(find(notes, "Milk"), notes[:1], "What is found for Milk")
same(find(notes, "tea"), [], "What is found for tea")
tests_pass()
unchanged("search.py", "test_search.py")
