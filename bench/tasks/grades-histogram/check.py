from checking import function, same, tests_pass, unchanged

histogram = function("histogram", "histogram")


def lines(marks):
    return [line.rstrip() for line in histogram(marks).rstrip().splitlines()]


same(lines([1.3, 1.7, 3.0]), ["1: ##", "2:", "3: #", "4:", "5:", "6:"], "histogram([1.3, 1.7, 3.0])")
same(lines([6.0, 5.9, 2.0, 2.9]), ["1:", "2: ##", "3:", "4:", "5: #", "6: #"], "histogram([6.0, 5.9, 2.0, 2.9])")
same(lines([]), ["1:", "2:", "3:", "4:", "5:", "6:"], "histogram([])")
tests_pass()
unchanged()
