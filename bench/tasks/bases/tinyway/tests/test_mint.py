import unittest

from tinyway.mint import mint


class MintTest(unittest.TestCase):
    def test_first(self):
        self.assertEqual(mint(0), "2222")

    def test_next(self):
        self.assertEqual(mint(1), "2223")
