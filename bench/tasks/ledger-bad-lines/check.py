from checking import does_not_say, says, unchanged

says("that the line is left out", r"\breject", r"\bskip", r"left out", r"ignor", r"leaves? (it|the line|them) out")
does_not_say(r"read\(\) (raises|crashes)", r"amount (is|becomes|of) (set to )?0\b", r"as (0|zero)\b")
unchanged()
