import unittest

from calc import add, percent, subtract


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_subtract(self):
        self.assertEqual(subtract(2, 3), -1)

    def test_percent(self):
        self.assertEqual(percent(1, 4), 25)


if __name__ == "__main__":
    unittest.main()
