import re

from checking import expect, text, unchanged

header = text("include/version.h")
for name, value in (("VERSION_MAJOR", "2"), ("VERSION_MINOR", "4"), ("VERSION_STRING", '"2.4"')):
    expect(
        re.search(rf"^\s*#\s*define\s+{name}\s+\(?{value}\)?\s*($|/)", header, re.MULTILINE),
        f"{name} is not defined as {value}.",
    )
guard = re.search(r"^\s*#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+(\w+)\s*$", header, re.MULTILINE)
expect(guard and guard[1] == guard[2], "There is no include guard.")
expect(re.search(r"^\s*#\s*endif", header, re.MULTILINE), "There is no #endif.")
unchanged()
