from checking import function, same, unchanged

is_leap_year = function("leap", "is_leap_year")
for year, wanted in {2024: True, 2023: False, 1900: False, 2000: True, 2100: False, 1996: True}.items():
    same(bool(is_leap_year(year)), wanted, f"is_leap_year({year})")
unchanged()
