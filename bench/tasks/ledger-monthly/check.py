from checking import function, same, tests_pass, unchanged

monthly = function("ledger.monthly", "monthly_totals")
entries = [
    {"date": "2024-01-03", "from": "a", "to": "b", "cents": 100},
    {"date": "2024-02-02", "from": "a", "to": "b", "cents": 250},
    {"date": "2024-01-31", "from": "b", "to": "c", "cents": 5},
    {"date": "2023-01-31", "from": "b", "to": "c", "cents": 7},
]
same(dict(monthly(entries)), {"2024-01": 105, "2024-02": 250, "2023-01": 7}, "The totals")
same(dict(monthly([])), {}, "The totals of nothing")
tests_pass()
unchanged()
