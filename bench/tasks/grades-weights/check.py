from checking import close, function, same, tests_pass, unchanged

mean = function("stats", "mean")
close(mean([1, 2, 3]), 2, "mean([1, 2, 3])")
same(mean([]), None, "mean([])")
close(mean([1.0, 4.0], weights=[2, 1]), 2.0, "mean([1.0, 4.0], weights=[2, 1])")
close(mean([2.0, 3.0, 4.0], [1, 1, 2]), 3.25, "mean([2.0, 3.0, 4.0], [1, 1, 2])")
close(mean([1.0, 3.0], weights=None), 2.0, "mean([1.0, 3.0], weights=None)")
tests_pass()
unchanged("stats.py", "test_stats.py")
