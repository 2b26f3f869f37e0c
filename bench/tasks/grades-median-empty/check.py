from checking import does_not_say, says, unchanged

says("that it raises a ValueError", r"ValueError")
does_not_say(r"returns? (`)?None", r"IndexError", r"ZeroDivisionError")
unchanged()
