import unittest
from datetime import datetime

from planner.events import Event


class TestEvents(unittest.TestCase):
    def test_one_after_the_other(self):
        first = Event("tea", datetime(2024, 5, 1, 9), 60)
        second = Event("talk", datetime(2024, 5, 1, 10), 30)
        self.assertFalse(first.overlaps(second))
        self.assertFalse(second.overlaps(first))

    def test_at_the_same_time(self):
        first = Event("tea", datetime(2024, 5, 1, 9), 60)
        self.assertTrue(first.overlaps(Event("call", datetime(2024, 5, 1, 9, 30), 10)))


if __name__ == "__main__":
    unittest.main()
