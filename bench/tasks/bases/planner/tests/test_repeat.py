import unittest
from datetime import date

from planner.repeat import weekly, workdays


class TestRepeat(unittest.TestCase):
    def test_weekly(self):
        self.assertEqual(weekly(date(2024, 5, 1), 2), [date(2024, 5, 1), date(2024, 5, 8)])

    def test_workdays(self):
        self.assertEqual(workdays(date(2024, 5, 3), 2), [date(2024, 5, 3), date(2024, 5, 6)])


if __name__ == "__main__":
    unittest.main()
