import unittest

from shop.cart import Cart


class TestCart(unittest.TestCase):
    def test_net_total(self):
        cart = Cart()
        cart.add("pen", 150, 3)
        cart.add("book", 1000)
        self.assertEqual(cart.net_total(), 1450)

    def test_adding_twice_adds_up(self):
        cart = Cart()
        cart.add("pen", 150)
        cart.add("pen", 150, 2)
        self.assertEqual(cart.items["pen"], (150, 3))

    def test_gross_total(self):
        cart = Cart("FR")
        cart.add("book", 1000)
        self.assertEqual(cart.gross_total(), 1200)


if __name__ == "__main__":
    unittest.main()
