"""Defaults of a new game."""

ROWS = 8
COLUMNS = 9
MINES = 10
SCORE_FILE = "scores.txt"
