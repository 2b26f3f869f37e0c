from checking import does_not_say, says, unchanged

says("405", r"\b405\b")
does_not_say(r"\b404\b.{0,40}\bDELETE|DELETE[^.]{0,40}\b(404|401)\b")
unchanged()
