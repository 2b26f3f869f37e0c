from checking import does_not_say, says, unchanged

says(
    "that it is 15 %",
    r"\b15 ?(%|percent|per cent)",
    r"\bSPRING15\b.{0,60}\b(counts|applie[sd]|used|wins|higher|best|max)",
    r"(discount|percent(age)?|result)\W.{0,30}\b15\b",
)
does_not_say(r"\b25 ?(%|percent)", r"discount (of|is|would be) 25\b")
unchanged()
