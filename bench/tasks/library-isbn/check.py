from checking import function, same, tests_pass, unchanged

valid = function("library.isbn", "is_valid_isbn13")
for given in ("9780306406157", "978-0-306-40615-7", "978 3 16 148410 0"):
    same(valid(given), True, f"is_valid_isbn13({given!r})")
for given in ("9780306406158", "", "978030640615", "97803064061570", "978-0-306-40615-X", "abc"):
    same(bool(valid(given)), False, f"is_valid_isbn13({given!r})")
tests_pass()
unchanged()
