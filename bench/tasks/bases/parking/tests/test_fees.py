import unittest

from parking.fees import fee


class FeeTest(unittest.TestCase):
    def test_hours(self):
        self.assertEqual(fee(60), 250)
        self.assertEqual(fee(61), 430)

    def test_day(self):
        self.assertEqual(fee(24 * 60), 1900)
