from checking import does_not_say, says, unchanged

says(
    "that they are left out",
    r"\b(skip|ignor|drop|discard|remov|filter|exclud|omit|left out|leaves? (them )?out|thrown? (away|out)|eliminat)",
    r"\b(not (be )?(included|added|kept|appended|counted|used|considered)|disregard|reject)",
    r"\bcontinues? (on )?(to|with) the next",
)
does_not_say(
    r"\b(set|replaced|changed|converted|clipped|capped|clamped) (to|by|with) `?(0|zero)\b",
    r"\braises (an? )?`?\w*(Error|exception)",
)
unchanged()
