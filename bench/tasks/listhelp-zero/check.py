from checking import equal, load, unchanged

listhelp = load("listhelp")
for items, number, wanted in (
    ([1, 2, 3], 0, []),
    ([1, 2, 3], 2, [2, 3]),
    ([1, 2, 3], 3, [1, 2, 3]),
    ([1, 2, 3], 1, [3]),
    ([], 0, []),
):
    equal(listhelp.last_n(items, number), wanted, f"last_n({items}, {number})")
equal(listhelp.first_n([1, 2], 1), [1], "first_n([1, 2], 1)")
equal(listhelp.chunks([1, 2, 3], 2), [[1, 2], [3]], "chunks([1, 2, 3], 2)")
unchanged("listhelp.py")
