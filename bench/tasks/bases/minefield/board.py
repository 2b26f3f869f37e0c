class Board:
    """The mines, and what the player has opened and flagged. Cells are (row, column), from 0."""

    def __init__(self, rows, columns):
        self.rows = rows
        self.columns = columns
        self.mines = set()
        self.opened = set()
        self.flags = set()

    def place_mines(self, count, rng):
        cells = [(r, c) for r in range(self.rows) for c in range(self.columns)]
        self.mines = set(rng.sample(cells, count))

    def neighbours(self, row, column):
        found = []
        for r in range(row - 1, row + 2):
            for c in range(column - 1, column + 2):
                inside = 0 <= r < self.rows and 0 <= c < self.columns
                if inside and (r, c) != (row, column):
                    found.append((r, c))
        return found

    def count(self, row, column):
        """How many mines lie next to a cell."""
        return sum(cell in self.mines for cell in self.neighbours(row, column))

    def open(self, row, column):
        """Open a cell; False if there was a mine."""
        if (row, column) in self.mines:
            return False
        self._ripple(row, column)
        return True

    def _ripple(self, row, column):
        todo = [(row, column)]
        while todo:
            cell = todo.pop()
            if cell in self.opened:
                continue
            self.opened.add(cell)
            if self.count(*cell) == 0:
                todo.extend(self.neighbours(*cell))

    def toggle_flag(self, row, column):
        self.flags ^= {(row, column)}

    def cleared(self):
        return len(self.opened) + len(self.mines) == self.rows * self.columns
