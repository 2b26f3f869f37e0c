from checking import equal, load, unchanged

options = load("options")
equal(options.COLUMNS, 12, "COLUMNS")
equal((options.ROWS, options.MINES, options.SCORE_FILE), (8, 10, "scores.txt"), "What the other options are")
equal(load("main").COLUMNS, 12, "COLUMNS as the game knows it")
unchanged("options.py", "README.md")
