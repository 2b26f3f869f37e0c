from checking import does_not_say, says, unchanged

says("12 hours", r"\b(12|twelve)[ -]*(h|hrs?|hours?)\b|\b43[ ,.]?200\b|\b720 min|12 ?\* ?60 ?\* ?60")
does_not_say(
    r"\b(24|1|one|2|two)[ -]hours?",
    r"(?<![\d.])(\d+|one) (days?|weeks?)\b",
    r"\b12 (minutes|seconds|days)",
)
unchanged()
