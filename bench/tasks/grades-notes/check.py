from checking import function, same, tests_pass, unchanged

add_note = function("journal", "add_note")
same(add_note(" late "), ["late"], "The first list")
same(add_note("loud"), ["loud"], "The second list")
mine = ["a"]
same(add_note("b", mine), ["a", "b"], "A list that was given, with one more note,")
tests_pass()
unchanged("journal.py")
