from checking import function, same, tests_pass, unchanged

to_text = function("ledger.money", "to_text")
for cents, wanted in (
    (-50, "-0.50"),
    (-1, "-0.01"),
    (0, "0.00"),
    (5, "0.05"),
    (1250, "12.50"),
    (-1250, "-12.50"),
    (-100, "-1.00"),
):
    same(to_text(cents), wanted, f"to_text({cents})")
same(function("ledger.money", "to_cents")("1'200"), 120000, "1'200 in cents")
tests_pass()
unchanged("ledger/money.py")
