from checking import does_not_say, says, unchanged

says("7070", r"\b7070\b")
does_not_say(r"\b(5000|8000|8080)\b")
unchanged()
