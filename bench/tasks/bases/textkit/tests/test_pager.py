import unittest

from textkit.pager import page, page_count


class TestPager(unittest.TestCase):
    def test_full_pages(self):
        self.assertEqual(page_count(list(range(20)), 10), 2)

    def test_first_page(self):
        self.assertEqual(page("abcdef", 1, 4), "abcd")


if __name__ == "__main__":
    unittest.main()
