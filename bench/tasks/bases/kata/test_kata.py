import unittest

from anagram import is_anagram
from primes import primes


class KataTest(unittest.TestCase):
    def test_anagram(self):
        self.assertTrue(is_anagram("Listen", "silent"))

    def test_primes(self):
        self.assertEqual(primes(12), [2, 3, 5, 7, 11])
