from checking import function, same, tests_pass, unchanged

wrap_cost = function("shop.giftwrap", "wrap_cost")
for given, wanted in (([], 0), ([1], 150), ([2, 3], 750), ([6], 900), ([4, 5], 900), ([1, 1, 1], 450)):
    same(wrap_cost(given), wanted, f"wrap_cost({given})")
tests_pass()
unchanged()
