from datetime import date

from checking import function, raises, same, tests_pass, unchanged

parse_date = function("planner.dates", "parse_date")
for given in ("2024-05-01", "2024/05/01", " 2024/05/01 "):
    same(parse_date(given), date(2024, 5, 1), f"parse_date({given!r})")
raises(ValueError, lambda: parse_date("2024-13-01"), "parse_date('2024-13-01')")
raises(ValueError, lambda: parse_date("tomorrow"), "parse_date('tomorrow')")
same(function("planner.dates", "is_leap")(2000), True, "is_leap(2000)")
tests_pass()
unchanged("planner/dates.py")
