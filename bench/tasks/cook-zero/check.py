from checking import does_not_say, says, unchanged

says("that a ValueError is raised", r"Value ?Error")
does_not_say(r"raises? an? `?ZeroDivisionError")
unchanged()
