from checking import does_not_say, says, unchanged

says("49.00 or 4900 cents", r"\b49([.,]00)?\b(?!\d)", r"\b4[,.]?900\b")
does_not_say(r"\b4\.95\b.*free|€ ?4,?900\b|\$ ?4,?900\b|4,?900 (euros?|EUR)\b")
unchanged()
