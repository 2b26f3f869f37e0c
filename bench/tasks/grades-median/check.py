from checking import close, function, raises, tests_pass, unchanged

median = function("stats", "median")
for given, wanted in (([4, 1, 3, 2], 2.5), ([1, 2], 1.5), ([5], 5), ([3, 1, 2], 2), ([1, 1, 9, 9], 5)):
    close(median(given), wanted, f"median({given})")
raises(ValueError, lambda: median([]), "median([])")
tests_pass()
unchanged("stats.py")
