from checking import equal, expect, function, unchanged

Board = function("board", "Board")
board = Board(3, 4)
for place, around in (
    ((1, 1), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)]),
    ((0, 0), [(0, 1), (1, 0), (1, 1)]),
    ((2, 3), [(1, 2), (1, 3), (2, 2)]),
):
    equal(sorted(board.neighbours(*place)), around, f"What neighbours{place} gives")
board.mines = {(0, 0), (2, 2), (1, 2), (2, 3)}
equal([board.count(1, 1), board.count(0, 3), board.count(2, 0)], [3, 1, 0], "What count gives")
big = Board(5, 5)
big.mines = {(4, 4)}
expect(big.open(0, 0) and big.cleared(), "Opening cells does not work.")
unchanged("board.py")
