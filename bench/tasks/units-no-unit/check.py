from checking import does_not_say, says, unchanged

says("cm", r"\bcm\b|centimet")
does_not_say(
    r"(returns?|returned (unit )?(is|would be|will be)) (an? )?(empty string|`?None\b)",
    r"""12(\.0)?, *(""|''|None)""",
)
unchanged()
