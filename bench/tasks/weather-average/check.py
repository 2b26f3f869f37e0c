from checking import close, function, same, tests_pass, unchanged

average = function("report", "average")
same(average([], "wind"), None, "The average of nothing")
close(average([{"wind": 2.0}, {"wind": 5.0}], "wind"), 3.5, "The average of 2 and 5")
close(average([{"wind": 0.0}], "wind"), 0.0, "The average of 0 alone")
tests_pass()
unchanged("report.py")
