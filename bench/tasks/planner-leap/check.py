from checking import function, same, tests_pass, unchanged

is_leap = function("planner.dates", "is_leap")
for year, wanted in (
    (1900, False),
    (2000, True),
    (2024, True),
    (2023, False),
    (2100, False),
    (2400, True),
    (1996, True),
):
    same(is_leap(year), wanted, f"is_leap({year})")
tests_pass()
unchanged("planner/dates.py")
