import unittest

from textkit.words import count_words, most_common


class TestWords(unittest.TestCase):
    def test_case_does_not_matter(self):
        self.assertEqual(count_words("The cat. The dog!"), {"the": 2, "cat": 1, "dog": 1})

    def test_most_common(self):
        self.assertEqual(most_common("b a b c a b", 2), ["b", "a"])


if __name__ == "__main__":
    unittest.main()
