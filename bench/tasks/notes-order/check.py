from checking import does_not_say, says, unchanged

says(
    "that the newest comes first",
    r"(newest|most recent(ly added)?|latest|highest id)( notes?)?( is| are| comes?| shown)* (first|at the top)",
    r"descending",
    r"reverse",
    r"(newest|latest|most recent) to (the )?oldest",
    r"newest (at|on) (the )?top",
)
does_not_say(r"oldest (note )?(is )?first", r"\bascending")
unchanged()
