from checking import does_not_say, says, unchanged

says("128", r"\b128\b")
does_not_say(r"\b64 bytes")
unchanged()
