from checking import does_not_say, says, unchanged

says("the address", r"\b10\.0\.4\.77\b")
says("the port", r"\b2202\b")
does_not_say(r"\b10\.0\.4\.10\b", r"\b10\.0\.9\.5\b")
unchanged()
