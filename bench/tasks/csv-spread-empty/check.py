from checking import equal, function, tests_pass, unchanged

mean, spread = function("csvtool.stats", "mean"), function("csvtool.stats", "spread")
for values, wanted in (([], 0), ([4, -1, 2], 5), ([3], 0), ([-8.5, -2], 6.5)):
    equal(spread(values), wanted, f"spread({values})")
equal((mean([]), mean([1, 2, 6])), (0, 3), "What mean gives")
tests_pass()
unchanged("csvtool/stats.py", "tests/test_stats.py")
