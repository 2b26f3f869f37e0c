from checking import says, unchanged

says("failed", r"\bfail(ed|s)?\b")
says("that there is a hyphen instead of a mark", r"[\"'`“(]-", r": ?- ?\w", r"\bhyphen", r"\bdash\b")
unchanged()
