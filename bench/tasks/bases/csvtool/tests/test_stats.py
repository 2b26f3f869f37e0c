import unittest

from csvtool.stats import mean, spread


class StatsTest(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 2, 6]), 3)
        self.assertEqual(mean([]), 0)

    def test_spread(self):
        self.assertEqual(spread([4, -1, 2]), 5)
