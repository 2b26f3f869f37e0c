import re

from checking import answer, expect, points_at, unchanged

points_at("csvtool/flavour.py")
said = answer()
numbers = set(re.findall(r"\b(?:lines?|l\.)\W{0,4}(?:number\W{0,4})?(\d+)", said, re.IGNORECASE))
numbers |= set(re.findall(r"\.py:(\d+)", said)) | set(re.findall(r"\b(\d+)(?:st|nd|rd|th) line", said))
numbers |= set(re.findall(r"^\W{0,4}(\d+)\W{0,3}$", said, re.MULTILINE))
quoted = re.search(r"""SEPARATOR\s*=\s*["']?;""", said)
expect("7" in numbers or (quoted and not numbers), f"The answer does not say line 7: {said.strip()[:160]}")
expect(not numbers - {"7", "15"}, f"The answer names another line: {said.strip()[:160]}")
unchanged()
