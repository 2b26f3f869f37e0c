import random

from board import Board
from commands import parse_command
from options import COLUMNS, MINES, ROWS
from render import draw
from scores import add_score


def play():
    board = Board(ROWS, COLUMNS)
    board.place_mines(MINES, random.Random())
    moves = 0
    while True:
        print(draw(board))
        command = parse_command(input("> "))
        if command is None:
            print("Sorry?")
            continue
        action, row, column = command
        if action == "quit":
            return
        moves += 1
        if action == "flag":
            board.toggle_flag(row, column)
        elif not board.open(row, column):
            print("BOOM!")
            return
        if board.cleared():
            print(f"You won in {moves} moves.")
            add_score(input("Your name: "), moves)
            return


if __name__ == "__main__":
    play()
