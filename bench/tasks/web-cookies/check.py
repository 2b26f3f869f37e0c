from checking import function, same, tests_pass, unchanged

parse = function("app.cookies", "parse_cookies")
cases = {
    "": {},
    "theme=dark": {"theme": "dark"},
    "theme=dark; lang=en": {"theme": "dark", "lang": "en"},
    " a = 1 ;b=2;": {"a": "1", "b": "2"},
    "broken; ok=yes": {"ok": "yes"},
    "token=a=b": {"token": "a=b"},
}
for given, wanted in cases.items():
    same(parse(given), wanted, f"parse_cookies({given!r})")
tests_pass()
unchanged()
