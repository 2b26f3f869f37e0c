from checking import function, same, unchanged

normalize_plate = function("parking.plates", "normalize_plate")
wanted = {"b-ab 123": "BAB123", "XY 9": "XY9", " m - k  77 ": "MK77", "": "", "abc": "ABC"}
for plate, normal in wanted.items():
    same(normalize_plate(plate), normal, f"normalize_plate({plate!r})")
unchanged("README.md", "parking/__init__.py")
