from checking import does_not_say, says, unchanged

says("-1", r"(?<![\w.])[-−–]1\b|\b(minus|negative) (1|one)\b")
does_not_say(r"returns? `?(None|0)\b")
unchanged()
