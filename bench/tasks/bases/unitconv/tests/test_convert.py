import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from unitconv import convert, parse_quantity


class ConvertTest(unittest.TestCase):
    def test_length(self):
        self.assertAlmostEqual(convert(3, "km", "m"), 3000)
        self.assertAlmostEqual(convert(1, "in", "cm"), 2.54)

    def test_parse(self):
        self.assertEqual(parse_quantity("12 km"), (12.0, "km"))


if __name__ == "__main__":
    unittest.main()
