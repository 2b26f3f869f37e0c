from checking import equal, expect, function, raises, unchanged

convert = function("unitconv", "convert", root="src")
expect(abs(convert(1, "mi", "km") - 1.609344) < 1e-9, "Without digits the result has changed.")
for source, target, digits, wanted in (("mi", "km", 2, 1.61), ("lb", "kg", 3, 0.454), ("mi", "km", 0, 2)):
    got = convert(1, source, target, digits=digits)
    equal(got, wanted, f"convert(1, {source!r}, {target!r}, digits={digits})")
raises(ValueError, lambda: convert(1, "m", "kg", digits=1), "convert from m to kg")
unchanged("src/unitconv/convert.py", "src/unitconv/__init__.py", "README.md", "tests/test_convert.py")
