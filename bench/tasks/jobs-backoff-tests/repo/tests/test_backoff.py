import unittest

from jobqueue.backoff import delay


class DelayTest(unittest.TestCase):
    def test_it_doubles(self):
        self.assertEqual(delay(1, base=2), 2)
        self.assertEqual(delay(2, base=2), 4)
        self.assertEqual(delay(4, base=2), 16)

    def test_there_is_a_limit(self):
        self.assertEqual(delay(20, base=2, cap=60), 60)


if __name__ == "__main__":
    unittest.main()
