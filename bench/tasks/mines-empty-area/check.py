from checking import names_function, unchanged

others = ("place_mines", "neighbours", "toggle_flag", "cleared", "parse_command", "draw", "symbol")
names_function("_ripple", others=(*others, "read_scores", "add_score", "play"))
unchanged()
