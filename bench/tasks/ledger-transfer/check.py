from checking import function, same, tests_pass, unchanged

balances = function("ledger.balance", "balances")
entries = [{"from": "a", "to": "b", "cents": 300}, {"from": "b", "to": "c", "cents": 100}]
same(balances(entries), {"a": -300, "b": 200, "c": 100}, "The balances")
same(balances([]), {}, "The balances of nothing")
tests_pass()
unchanged("ledger/balance.py")
