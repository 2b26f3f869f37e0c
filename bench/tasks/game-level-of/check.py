from checking import does_not_say, says, unchanged

says(
    "level 3",
    r"level\W{0,6}(is |of |would be )?\W{0,4}3\b",
    r"\bthird level|level three",
    r"\b(rank|level|result|returns?|is|be|=)\W{1,6}3\b",
)
does_not_say(r"\bis level\W{0,4}(2|4)\b")
unchanged()
