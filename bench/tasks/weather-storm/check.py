from checking import does_not_say, says, unchanged

says("24.5", r"\b24[.,]5\b")
does_not_say(r"\b25\.3\b")
unchanged()
