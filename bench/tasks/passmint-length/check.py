from checking import does_not_say, says, unchanged

says("18", r"\b(18|eighteen)\b")
does_not_say(
    r"default\w* (password )?(length )?(is|of) (8|12|16|20|30)\b",
    r"(are|be) (8|12|16|20|30) (characters|chars|letters) (long )?by default",
)
unchanged()
