from checking import does_not_say, says, unchanged

says("that it is None", r"\bNone\b", r"\bnull\b")
does_not_say(r"returns? (an )?empty (dict|string|list)", r"raises")
unchanged()
