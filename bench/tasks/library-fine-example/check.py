from checking import does_not_say, says, unchanged

says(
    "50 cents",
    r"\b50 ?(cents?|c\b|ct|¢)",
    r"\b0[.,]50\b",
    r"[=:*`( ]\s*50\b(?!\s*(days|%))",
    r"\bfine (is|of|would be) \W*50\b",
)
does_not_say(r"\b125 cents", r"\b1[.,]25\b")
unchanged()
