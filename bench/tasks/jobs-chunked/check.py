from checking import function, same, unchanged

chunked = function("jobqueue.batching", "chunked")
for items, size, wanted in (
    ([1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]),
    ([], 3, []),
    (["a", "b", "c", "d"], 4, [["a", "b", "c", "d"]]),
    ([7, 8], 9, [[7, 8]]),
    ([1, 2, 3], 1, [[1], [2], [3]]),
):
    same([list(one) for one in chunked(items, size)], wanted, f"chunked({items}, {size})")
unchanged("README.md", "jobqueue/__init__.py")
