from checking import equal, expect, function, run, unchanged

Filter = function("feedwatch.filters", "Filter", root="src")
one, other = Filter(), Filter()
one.add("rust")
expect(not other.words, f"The other filter has {other.words}.")
expect(not Filter().words, "A new filter has words.")
said = [bool(one.matches("python")), bool(one.matches("Rust 2")), bool(other.matches("python"))]
equal(said, [False, True, True], "What matches gives")
given = Filter(["x"])
given.add("y")
equal(list(given.words), ["x", "y"], "What a filter has that was made with a word")
equal([bool(given.matches("Y!")), bool(given.matches("z"))], [True, False], "What its matches gives")
ended = run("python", "tests/test_filters.py")
expect(ended.returncode == 0, f"The tests fail: {ended.stderr[-600:]}")
unchanged("src/feedwatch/filters.py")
