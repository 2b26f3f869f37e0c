from checking import names_function, unchanged

others = ("browser", "parse_line", "read_log", "per_hour", "busiest_hour", "error_rate", "bars")
names_function("humans_only", others=others)
unchanged()
