from checking import function, raises, same, tests_pass, unchanged

parse = function("planner.duration", "parse_duration")
for given, wanted in (("1h30m", 90), ("2h", 120), ("45m", 45), ("10h05m", 605), ("0m", 0)):
    same(parse(given), wanted, f"parse_duration({given!r})")
for given in ("", "90", "h", "1m2h", "1h 30", "abc"):
    raises(ValueError, lambda given=given: parse(given), f"parse_duration({given!r})")
tests_pass()
unchanged()
