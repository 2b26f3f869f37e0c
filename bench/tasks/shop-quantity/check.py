from checking import function, raises, same, tests_pass, unchanged

Cart = function("shop.cart", "Cart")
cart = Cart()
raises(ValueError, lambda: cart.add("pen", 150, 0), "Adding 0 pens")
raises(ValueError, lambda: cart.add("pen", 150, -2), "Adding -2 pens")
same(cart.items, {}, "What is in the cart after that")
cart.add("pen", 150)
cart.add("pen", 150, 2)
same(cart.net_total(), 450, "The total of 3 pens at 150")
tests_pass()
unchanged("shop/cart.py", "tests/test_cart.py")
