import unittest

from wordtools.slug import slugify


class SlugTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slugify("My first post"), "my-first-post")
