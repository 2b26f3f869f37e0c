from checking import does_not_say, says, unchanged

says(
    "that it is an empty list",
    r"\[\s*\]|empty (list|array)|list (that is|which is) empty",
    r"list with(out any| no) (entries|items|elements)",
)
does_not_say(r"returns? `?None\b", r"returns? (an? )?empty (dict|string)")
unchanged()
