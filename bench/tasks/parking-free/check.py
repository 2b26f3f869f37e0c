from checking import says, unchanged

says("that it is about 15 minutes", r"\b(15|fifteen)\b")
says(
    "that less is free",
    r"grace|free|less|under|below|fewer|shorter|within|first|<|no (fee|charge)|returns? 0",
)
unchanged()
