import unittest
from datetime import date

from library.loans import lend
from library.members import Member


class TestLoans(unittest.TestCase):
    def test_a_book_is_lent_for_four_weeks(self):
        member = Member("Ada", "ada@example.org")
        self.assertEqual(lend(member, "978-1", date(2024, 1, 1)).due, date(2024, 1, 29))

    def test_blocked_members_get_nothing(self):
        member = Member("Bob", "bob@example.org", blocked=True)
        with self.assertRaises(PermissionError):
            lend(member, "978-1", date(2024, 1, 1))


if __name__ == "__main__":
    unittest.main()
