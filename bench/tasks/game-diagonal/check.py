from checking import function, same, tests_pass, unchanged

winner = function("game.board", "winner")
cases = {"X O XO  X": "X", "O X OX  O": "O", "X OXO O  ": "O", "         ": None, "OX OX OX ": "O", "XOX OX   ": None}
for board, wanted in (cases | {" X  X  X ": "X", "XXO  O  O": "O", "   OOOXX ": "O"}).items():
    same(winner(board), wanted, f"The winner of {board!r}")
tests_pass()
unchanged("game/board.py", "tests/test_board.py")
