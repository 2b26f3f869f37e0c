from checking import equal, function, tests_pass, unchanged

unchanged("jobqueue/backoff.py", "README.md")
tests_pass()
delay = function("jobqueue.backoff", "delay")
for attempt, wanted in ((1, 1.5), (2, 3.0), (5, 24.0), (8, 192.0), (9, 300.0), (30, 300.0)):
    equal(delay(attempt), wanted, f"delay({attempt})")
equal(delay(2, base=4, cap=5), 5, "delay(2, base=4, cap=5)")
