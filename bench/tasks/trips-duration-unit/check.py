from checking import does_not_say, says, unchanged

says("minutes", r"\bminutes?\b|\bmins?\b")
does_not_say(
    r"\b(to|into|remains?( in)?|still( in)?|stays?( in)?) (the unit )?(seconds|hours)\b",
    r"after cleaning,? (it |the duration )?(is|are|will be) (in )?(seconds|hours)\b",
)
unchanged()
