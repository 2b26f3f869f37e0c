import unittest

from ledger.balance import balances


class TestBalance(unittest.TestCase):
    def test_money_moves(self):
        entries = [{"date": "2024-01-03", "from": "members", "to": "cash", "cents": 500}]
        self.assertEqual(balances(entries), {"members": -500, "cash": 500})


if __name__ == "__main__":
    unittest.main()
