from checking import does_not_say, says, unchanged

says("five", r"(?<![\d.])5(?![\d]|\.\d)", r"\bfive\b")
does_not_say(r"\b(7|seven|6|six|4|four) (newest |latest |most recent )?releases")
unchanged()
