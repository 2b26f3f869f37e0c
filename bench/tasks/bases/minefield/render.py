def symbol(board, cell):
    if cell in board.flags:
        return "!"
    if cell not in board.opened:
        return "#"
    number = board.count(*cell)
    return str(number) if number else "."


def draw(board):
    header = "   " + " ".join(chr(ord("a") + c) for c in range(board.columns))
    lines = [header]
    for r in range(board.rows):
        cells = " ".join(symbol(board, (r, c)) for c in range(board.columns))
        lines.append(f"{r + 1:2} {cells}")
    return "\n".join(lines)
