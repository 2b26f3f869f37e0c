import unittest

from game.board import is_full, winner


class TestBoard(unittest.TestCase):
    def test_a_row(self):
        self.assertEqual(winner("XXXOO    "), "X")

    def test_nobody(self):
        self.assertIsNone(winner("XOX OX   "))

    def test_full(self):
        self.assertTrue(is_full("XOXOXOOXO"))


if __name__ == "__main__":
    unittest.main()
