import unittest

from app.messages import Request
from app.router import handle


class TestRouter(unittest.TestCase):
    def test_index(self):
        self.assertEqual(handle(Request("GET", "/")).status, 200)

    def test_unknown(self):
        self.assertEqual(handle(Request("GET", "/nothing")).status, 404)

    def test_slash_at_the_end(self):
        self.assertEqual(handle(Request("GET", "/users/")).status, 200)


if __name__ == "__main__":
    unittest.main()
