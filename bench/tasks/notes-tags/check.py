from checking import function, same, unchanged

extract = function("tags", "extract_tags")
cases = {
    "": [],
    "no tags here": [],
    "buy milk #shopping": ["shopping"],
    "#Work call Anna #urgent #work": ["urgent", "work"],
    "plan #trip_2024, pack #bags.": ["bags", "trip_2024"],
    "a lone # is none": [],
}
for given, wanted in cases.items():
    same(extract(given), wanted, f"extract_tags({given!r})")
unchanged()
