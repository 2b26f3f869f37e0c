from checking import does_not_say, says, unchanged

says("Overdrawn", r"\b(?-i:Overdrawn)\b")
does_not_say(r"\b(ValueError|InsufficientFunds\w*)\b")
unchanged()
