import unittest

import search

NOTES = [{"id": 1, "text": "buy milk"}, {"id": 2, "text": "call Anna"}]


class TestSearch(unittest.TestCase):
    def test_finds_a_word(self):
        self.assertEqual(search.find(NOTES, "milk"), [NOTES[0]])

    def test_finds_nothing(self):
        self.assertEqual(search.find(NOTES, "tea"), [])


if __name__ == "__main__":
    unittest.main()
