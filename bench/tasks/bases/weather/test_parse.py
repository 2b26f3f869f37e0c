import unittest

from parse import parse_file, parse_line


class TestParse(unittest.TestCase):
    def test_celsius(self):
        wanted = {"time": "2024-05-01T06:00", "temperature": 14.2, "wind": 3.1}
        self.assertEqual(parse_line("2024-05-01T06:00 14.2C 3.1m/s"), wanted)

    def test_fahrenheit(self):
        self.assertEqual(parse_line("2024-05-01T07:00 57.2F 4.0m/s")["temperature"], 14.0)

    def test_comments_are_passed_over(self):
        self.assertEqual(len(parse_file("data/sample.txt")), 3)


if __name__ == "__main__":
    unittest.main()
