from checking import function, same, tests_pass, unchanged

Cart = function("shop.cart", "Cart")
cart = Cart("SE")
cart.add("cup", 400, 5)
cart.add("tea", 250, 2)
same(cart.net_total(), 2500, "The net total of 5 cups at 400 and 2 teas at 250")
same(cart.gross_total(), 3125, "The gross total with 25 % VAT")
tests_pass()
unchanged("shop/cart.py")
