import unittest

from wordtools.pad import centre, repeat


class PadTest(unittest.TestCase):
    def test_repeat(self):
        self.assertEqual(repeat("ab", 3, "-"), "ab-ab-ab")

    def test_centre(self):
        self.assertEqual(centre("ab", 5), " ab  ")


if __name__ == "__main__":
    unittest.main()
