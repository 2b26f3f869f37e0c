import unittest

from shop.delivery import cost


class TestDelivery(unittest.TestCase):
    def test_light_parcels_cost_the_base_price(self):
        self.assertEqual(cost(1000, 1), 495)

    def test_large_orders_are_free(self):
        self.assertEqual(cost(4900, 10), 0)


if __name__ == "__main__":
    unittest.main()
