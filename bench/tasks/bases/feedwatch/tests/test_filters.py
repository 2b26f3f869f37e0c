import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from feedwatch.filters import Filter


class FilterTest(unittest.TestCase):
    def test_words(self):
        wanted = Filter(["release"])
        self.assertTrue(wanted.matches("New Release 3.2"))
        self.assertFalse(wanted.matches("Holiday greetings"))


if __name__ == "__main__":
    unittest.main()
