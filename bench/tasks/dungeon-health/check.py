from checking import does_not_say, says, unchanged

says("35", r"\b35\b")
does_not_say(r"(starts?|begins?) with\D{0,20}\b(60|8|100)\b", r"initial(ly| health)\D{0,20}\b(60|8|100)\b")
unchanged()
