"""Says how full the memory is."""

import sys
import tomllib


def percent(used, size):
    """How much of the memory is used, in percent with one decimal."""
    return round(100 * used / size, 1)


def fits(used, size, reserve=0.1):
    """Whether the program fits and leaves the reserve, a fraction of the memory."""
    return used <= size * (1 - reserve)


if __name__ == "__main__":
    with open("board.toml", "rb") as file:
        board = tomllib.load(file)
    used = int(sys.argv[1])
    print(f"{percent(used, board['flash'])} % of flash used")
    sys.exit(0 if fits(used, board["flash"]) else 1)
