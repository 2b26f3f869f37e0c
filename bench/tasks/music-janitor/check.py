from checking import does_not_say, says, unchanged

says(
    "that it removes something",
    r"remov|delet|drop|filter|clean|discard|prun|eliminat|keep|kept|get(s|ting)? rid|throw",
)
says(
    "that the file of it is not there",
    r"exist|missing|is ?file|(not|n.t)( \w+){0,3} (valid |regular |real |actual )?files?\b|no longer",
    r"on (the |your )?disk|(valid|real|actual|without an?|have an?|has an?) (\w+ )?files?\b|not found|gone|unavailable",
)
does_not_say(r"duplicat")
unchanged()
