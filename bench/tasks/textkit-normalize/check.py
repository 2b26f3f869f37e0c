from checking import does_not_say, says, unchanged

says("[0.5, 0.5]", r"\b0?\.5\b")
does_not_say(r"returns? (an )?empty list", r"divi(de|sion) by zero error is raised")
unchanged()
