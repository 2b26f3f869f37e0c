from checking import does_not_say, says, unchanged

says("18 hit points", r"\b18\b")
says("the staff", r"\bstaff\b")
does_not_say(r"wizard[^.\n]{0,30}\b(30|22)\b")
unchanged()
