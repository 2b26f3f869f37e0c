from checking import does_not_say, says, unchanged

says("15 minutes", r"\b15[- ]min", r"\bfifteen[- ]min", r"minutes\s*=\s*15", r"quarter of an hour")
does_not_say(r"\b(60|30|10)[- ]minutes? before")
unchanged()
